"""A Deployment as a CloneSet that rolls, scales and fails as it did (migration.md §3.1, §3.3)."""

from typing import Final, NamedTuple

from kubectl_kruise.convert.metadata import convert_metadata
from kubectl_kruise.convert.report import Conversion, Fates
from kubectl_kruise.convert.template import template_for_kruise, without_hash
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.raw import Raw, dig, name_of, put
from kubectl_kruise.objects.workload import Workload

RECREATE: Final = "ReCreate"
IN_PLACE: Final = "InPlaceIfPossible"
GRACE_SECONDS: Final = 10
"""Time for endpoints to drop a pod before its containers change, where updates in place are asked for (§3.7)."""

_LONG_READY: Final = 300
_KNOWN: Final = frozenset(
    {
        "replicas", "selector", "template", "strategy", "minReadySeconds", "revisionHistoryLimit", "paused",
        "progressDeadlineSeconds",
    }
)  # fmt: skip


class Target(NamedTuple):
    """The CloneSet wanted: `name` "" for that of the source, `deadline` whether its CRD has progressDeadlineSeconds."""

    name: str = ""
    version: str = "v1alpha1"
    policy: str = RECREATE
    deadline: bool = True
    keep_helm: bool = False


def deployment_to_cloneset(source: Raw, target: Target = Target()) -> Conversion:  # noqa: B008 - immutable
    """Convert a Deployment whose defaults are filled in; every field is written that a webhook would default."""
    fates = Fates()
    spec: Raw = source["spec"]
    made: Raw = {
        "replicas": fates.keep(spec["replicas"]),
        "selector": _selector(spec, fates),
        "template": template_for_kruise(spec["template"], fates),
        "minReadySeconds": fates.keep(spec.get("minReadySeconds")) or 0,
        "revisionHistoryLimit": fates.keep(spec["revisionHistoryLimit"]),
        "updateStrategy": _strategy(source, target, fates),
    }
    if deadline := spec.get("progressDeadlineSeconds"):
        if target.deadline:
            made["progressDeadlineSeconds"] = fates.keep(deadline)
        else:
            fates.drop("spec.progressDeadlineSeconds", "this release of Kruise has no such field")
    if made["minReadySeconds"] > _LONG_READY:
        fates.remark("W-MINREADY", "a long minReadySeconds slows down the removal of pods of a CloneSet")
    for key in spec:
        if key not in _KNOWN:
            fates.drop(f"spec.{key}", "CloneSets have no such field")
    obj = {
        "apiVersion": f"{CLONESET.group}/{target.version}",
        "kind": CLONESET.kind,
        "metadata": convert_metadata(
            source, target.name or name_of(source), fates, keep_helm=target.keep_helm
        ),
        "spec": made,
    }
    return fates.conversion(obj)


def unknown_fields(source: Raw) -> tuple[str, ...]:
    """Name the fields of a Deployment's spec that this conversion does not know."""
    return tuple(f"spec.{key}" for key in source["spec"] if key not in _KNOWN)


def _selector(spec: Raw, fates: Fates) -> Raw:
    selector: Raw = spec["selector"]
    labels = without_hash(selector.get("matchLabels"))
    if labels != (selector.get("matchLabels") or {}):
        fates.drop("spec.selector.matchLabels[pod-template-hash]", "belongs to a ReplicaSet")
        selector = {**selector, "matchLabels": labels}
    fates.keep(selector)
    return selector


def _strategy(source: Raw, target: Target, fates: Fates) -> Raw:
    """Give spec.updateStrategy, its switches where the version keeps them."""
    layout = CLONESET.layout(target.version)
    workload = Workload(source, DEPLOYMENT)
    made: Raw = {}
    if target.version != "v1alpha1":
        put(made, ("spec", "updateStrategy", "type"), "RollingUpdate")
    put(made, layout.update_type, target.policy)
    put(made, layout.partition, 0)
    surge, unavailable = _pace(workload, fates)
    put(made, layout.max_surge, surge)
    put(made, layout.max_unavailable, unavailable)
    put(made, layout.paused, bool(fates.keep(dig(source, ("spec", "paused")))))
    if target.policy != RECREATE:
        put(made, layout.in_place, {"gracePeriodSeconds": GRACE_SECONDS})
        fates.change(
            "spec.strategy.type", f"{target.policy}: a new image restarts the container, the pod stays"
        )
    strategy: Raw = made["spec"]["updateStrategy"]
    return strategy


def _pace(workload: Workload, fates: Fates) -> tuple[number.IntOrPercent, number.IntOrPercent]:
    """Give maxSurge and maxUnavailable as they stand, and say where the same text means another number (§3.3)."""
    if workload.update_type == "Recreate":
        fates.change("spec.strategy.type", "Recreate has no twin: maxUnavailable 100%, maxSurge 0")
        fates.remark(
            "W-RECREATE", "new pods start while the old ones still end, a Recreate Deployment waits for them"
        )
        return 0, "100%"
    surge, unavailable = workload.max_surge_value, workload.max_unavailable_value
    assert surge is not None  # noqa: S101 - a Deployment has defaults for both
    assert unavailable is not None  # noqa: S101
    fates.keep([surge, unavailable])
    before = workload.max_unavailable
    after = number.unavailable(unavailable, workload.replicas, surge=number.surge(surge, workload.replicas))
    if before != after and workload.replicas:
        fates.remark(
            "W-ROUND",
            f"maxUnavailable {unavailable} of {workload.replicas} pods: the Deployment takes {before} at a time,"
            f" the CloneSet {after}",
        )
    return surge, unavailable

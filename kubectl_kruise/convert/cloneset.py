"""A CloneSet as a Deployment: the way back, and what it refuses (migration.md §3.5)."""

from collections.abc import Iterator
from typing import Final

from kubectl_kruise.convert.metadata import convert_metadata
from kubectl_kruise.convert.report import Conversion, Fates
from kubectl_kruise.convert.template import template_for_native, without_hash
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from kubectl_kruise.facts.names import MIGRATE_STRATEGY
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.raw import Raw, annotations_of, api_version, dig, name_of
from kubectl_kruise.objects.workload import Workload

_HISTORY: Final = 10
_KNOWN: Final = frozenset(
    {
        "replicas", "selector", "template", "minReadySeconds", "revisionHistoryLimit", "updateStrategy",
        "progressDeadlineSeconds", "lifecycle", "scaleStrategy", "volumeClaimTemplates",
    }
)  # fmt: skip
_LOST: Final = {
    ("spec", "lifecycle"): "Deployments have no lifecycle hooks",
    ("spec", "scaleStrategy"): "Deployments have no scale strategy",
    ("spec", "updateStrategy", "priorityStrategy"): "a Deployment picks the pods itself",
    ("spec", "updateStrategy", "scatterStrategy"): "a Deployment picks the pods itself",
    ("spec", "updateStrategy", "inPlaceUpdateStrategy"): "Deployments always recreate pods",
    ("spec", "updateStrategy", "rollingUpdate", "priorityStrategy"): "a Deployment picks the pods itself",
    ("spec", "updateStrategy", "rollingUpdate", "scatterStrategy"): "a Deployment picks the pods itself",
    ("spec", "updateStrategy", "rollingUpdate", "inPlaceUpdateStrategy"): "Deployments always recreate pods",
}


def cloneset_to_deployment(source: Raw, name: str = "", *, keep_helm: bool = False) -> Conversion:
    """Convert a CloneSet that `refusals` has nothing against; its absent fields mean the defaults of Kruise."""
    fates = Fates()
    workload = Workload(source, CLONESET)
    spec: Raw = source["spec"]
    selector = {**spec["selector"], "matchLabels": without_hash(spec["selector"].get("matchLabels"))}
    made: Raw = {
        "replicas": fates.keep(workload.replicas),
        "selector": fates.keep(selector if selector["matchLabels"] else spec["selector"]),
        "template": template_for_native(spec["template"], fates),
        "minReadySeconds": fates.keep(workload.min_ready_seconds),
        "revisionHistoryLimit": fates.keep(dig(spec, ("revisionHistoryLimit",), _HISTORY)),
        "strategy": _strategy(workload, fates),
        "progressDeadlineSeconds": _deadline(spec, fates),
    }
    if workload.paused:
        made["paused"] = fates.keep(True)
    _tell_losses(source, fates)
    obj = {
        "apiVersion": "apps/v1",
        "kind": DEPLOYMENT.kind,
        "metadata": convert_metadata(source, name or name_of(source), fates, keep_helm=keep_helm),
        "spec": made,
    }
    return fates.conversion(obj)


def _tell_losses(source: Raw, fates: Fates) -> None:
    """Name everything that has no place in a Deployment, and what of hooks its pods would still bear."""
    workload = Workload(source, CLONESET)
    for path, why in _LOST.items():
        if dig(source, path):
            fates.drop(".".join(path), why)
    if workload.partition_value not in (None, 0, "0%"):
        where = ".".join(CLONESET.layout(api_version(source)).partition)
        fates.drop(where, f"{workload.partition_value}: a Deployment updates all its pods")
    for key in source["spec"]:
        if key not in _KNOWN:
            fates.drop(f"spec.{key}", "Deployments have no such field")
    hooks = str(dig(source, ("spec", "lifecycle"), {}))
    held = [
        each
        for each in dig(source, ("spec", "template", "metadata", "finalizers")) or []
        if f"'{each}'" in hooks
    ]
    if held:
        fates.remark(
            "W-LIFECYCLE",
            f"pods are made with {', '.join(held)}, and wait for a hook when they end that is not called any more",
        )


def refusals(source: Raw) -> Iterator[str]:
    """Say what of a CloneSet no Deployment can do, one sentence each."""
    workload = Workload(source, CLONESET)
    if dig(source, ("spec", "volumeClaimTemplates")):
        yield "it has volumeClaimTemplates, which Deployments have not: a StatefulSet could take them"
    if workload.on_delete:
        yield "its update type OnDelete has no equivalent in Deployments"
    if dig(source, ("spec", "scaleStrategy", "podsToDelete")):
        yield "its scaleStrategy.podsToDelete names pods that are still to be deleted"
    if workload.partition and workload.update_revision != workload.current_revision:
        yield f"its partition {workload.partition_value} holds pods of two revisions: finish or undo the rollout"


def check_convertible(source: Raw) -> None:
    """Raise RefusedError with everything that stands against the conversion."""
    if found := list(refusals(source)):
        title = Workload(source, CLONESET).title
        raise RefusedError(f"cannot make a Deployment of {title}: {'; '.join(found)}")


def _strategy(workload: Workload, fates: Fates) -> Raw:
    surge = workload.max_surge_value or 0
    unavailable = workload.max_unavailable_value
    if _was_recreate(workload):
        fates.change("spec.updateStrategy", "Recreate, as the Deployment it came from")
        return {"type": "Recreate"}
    fates.keep([surge, unavailable])
    if workload.in_place:
        fates.change("spec.updateStrategy.type", f"{workload.update_type}: Deployments always recreate pods")
    if workload.update_type == "InPlaceOnly":
        fates.remark("W-INPLACEONLY", "updates will recreate the pods, which InPlaceOnly ruled out")
    made = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    _remark_rounding(workload, made, fates)
    return made


def _was_recreate(workload: Workload) -> bool:
    return (
        annotations_of(workload.raw).get(MIGRATE_STRATEGY) == "Recreate"
        and workload.max_unavailable_value == "100%"
        and not workload.max_surge_value
    )


def _remark_rounding(workload: Workload, strategy: Raw, fates: Fates) -> None:
    twin = Workload(
        {"apiVersion": "apps/v1", "spec": {"replicas": workload.replicas, "strategy": strategy}}, DEPLOYMENT
    )
    before = number.unavailable(
        workload.max_unavailable_value,
        workload.replicas,
        surge=number.surge(workload.max_surge_value, workload.replicas),
    )
    if before != twin.max_unavailable:
        fates.remark(
            "W-ROUND",
            f"maxUnavailable {workload.max_unavailable_value} of {workload.replicas} pods: the CloneSet takes {before}"
            f" at a time, the Deployment {twin.max_unavailable}",
        )


def _deadline(spec: Raw, fates: Fates) -> int:
    """Give the deadline; without one a CloneSet has none, and a Deployment must say so (§3.1)."""
    if (deadline := spec.get("progressDeadlineSeconds")) is not None:
        return int(fates.keep(deadline))
    fates.change("spec.progressDeadlineSeconds", f"{number.UNLIMITED}: the CloneSet has no deadline")
    return number.UNLIMITED

"""A StatefulSet as an Advanced StatefulSet that keeps names, claims and pace (migration.md §3.2, advanced-statefulset.md §19)."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from kubectl_kruise.convert.claims import claim_templates
from kubectl_kruise.convert.deployment import GRACE_SECONDS
from kubectl_kruise.convert.metadata import convert_metadata
from kubectl_kruise.convert.report import Conversion, Fates
from kubectl_kruise.convert.template import template_for_kruise, with_in_place_gate
from kubectl_kruise.facts.kinds import STATEFULSET
from kubectl_kruise.facts.policies import ON_DELETE, RECREATE
from kubectl_kruise.objects.raw import Raw, dig, name_of
from kubectl_kruise.objects.retention import retains, retention_of

OLD_VERSION: Final = "v1alpha1"
LONGEST_READY: Final = 300
"""The greatest minReadySeconds of an Advanced StatefulSet (advanced-statefulset.md §7.1 W-7)."""

SINGLE_MAX: Final = 1000
"""Reserved ordinals that are written one by one; more of them are a range, which Kruise knows from 1.8 on."""

_KNOWN: Final = frozenset(
    {
        "replicas", "selector", "template", "serviceName", "podManagementPolicy", "volumeClaimTemplates", "ordinals",
        "persistentVolumeClaimRetentionPolicy", "updateStrategy", "minReadySeconds", "revisionHistoryLimit",
    }
)  # fmt: skip


class SetTarget(NamedTuple):
    """The Advanced StatefulSet wanted.

    `ranges` says whether its CRD takes ranges of reserved ordinals, `start_gate` whether its manager is known to honour
    `ordinals.start`, `clamp` whether a minReadySeconds beyond the greatest is lowered to that.
    """

    version: str = "v1beta1"
    policy: str = RECREATE
    keep_helm: bool = False
    ranges: bool = True
    start_gate: bool = False
    clamp: bool = False


class Objection(NamedTuple):
    """What stands against a conversion: a code of migration.md §10, what was found, and what resolves it."""

    code: str
    text: str
    fix: str


def statefulset_to_asts(source: Raw, target: SetTarget = SetTarget()) -> Conversion:  # noqa: B008 - immutable
    """Convert a StatefulSet whose defaults are filled in; every field is written that a webhook would default.

    What `objections` names is written as well as it can be. The name stays: pods and claims bear it.
    """
    fates = Fates()
    spec: Raw = source["spec"]
    made: Raw = {
        "replicas": fates.keep(spec["replicas"]),
        "selector": fates.keep(spec["selector"]),
        "template": _template(spec, target, fates),
        "podManagementPolicy": fates.keep(spec["podManagementPolicy"]),
        "revisionHistoryLimit": fates.keep(spec["revisionHistoryLimit"]),
        "updateStrategy": _strategy(spec, target, fates),
    }
    if service := spec.get("serviceName"):
        made["serviceName"] = fates.keep(service)
    if templates := claim_templates(spec, fates):
        made["volumeClaimTemplates"] = templates
    if target.version != OLD_VERSION:
        made["persistentVolumeClaimRetentionPolicy"] = fates.keep(retention_of(source))
        made |= _window(spec, target, fates)
    for key in unknown_fields(source):
        fates.drop(key, "Advanced StatefulSets have no such field")
    obj = {
        "apiVersion": f"{STATEFULSET.group}/{target.version}",
        "kind": STATEFULSET.kind,
        "metadata": convert_metadata(source, name_of(source), fates, keep_helm=target.keep_helm),
        "spec": made,
    }
    return fates.conversion(obj)


def objections(source: Raw, target: SetTarget) -> Iterator[Objection]:
    """Say what of a StatefulSet this target cannot take (migration.md §10: P-MINREADY, P-ORD, P-V1ALPHA1)."""
    spec = source["spec"]
    ready = spec.get("minReadySeconds") or 0
    if ready > LONGEST_READY and not target.clamp and not _on_delete(spec):
        yield Objection(
            "P-MINREADY",
            f"its minReadySeconds {ready} is above {LONGEST_READY}, the greatest of an Advanced StatefulSet",
            f"--clamp lowers it to {LONGEST_READY}",
        )
    start = start_of(spec)
    if target.version == OLD_VERSION:
        missing = [
            name for name, used in (("ordinals", start), ("a retention policy", not retains(source))) if used
        ]
        if missing:
            yield Objection(
                "P-V1ALPHA1",
                f"only {OLD_VERSION} is served, which has no {' and no '.join(missing)}",
                "install a release of Kruise that serves v1beta1",
            )
    elif start > SINGLE_MAX and not (target.start_gate or target.ranges):
        yield Objection(
            "P-ORD",
            f"its ordinals start at {start}, and this release of Kruise can reserve neither a range nor so many",
            "Kruise 1.8 or newer, or its gate StatefulSetStartOrdinal",
        )


def unknown_fields(source: Raw) -> tuple[str, ...]:
    """Name the fields of a StatefulSet's spec that this conversion does not know."""
    return tuple(f"spec.{key}" for key in source["spec"] if key not in _KNOWN)


def start_of(spec: Raw) -> int:
    """Give the first ordinal that a spec asks for."""
    return int(dig(spec, ("ordinals", "start"), 0) or 0)


def _template(spec: Raw, target: SetTarget, fates: Fates) -> Raw:
    template = template_for_kruise(spec["template"], fates)
    if target.policy == RECREATE or _on_delete(spec):
        return template
    return with_in_place_gate(template, fates)


def _strategy(spec: Raw, target: SetTarget, fates: Fates) -> Raw:
    strategy: Raw = spec["updateStrategy"]
    ready = spec.get("minReadySeconds") or 0
    if _on_delete(spec):
        if ready:
            fates.drop(
                "spec.minReadySeconds",
                "has no place beside OnDelete: pods are available as soon as they are ready",
            )
        if target.policy != RECREATE:
            fates.remark("P-INPLACE", "OnDelete updates a pod only when somebody deletes it: never in place")
        return {"type": fates.keep(ON_DELETE)}
    rolling = strategy.get("rollingUpdate") or {}
    made: Raw = {
        "partition": fates.keep(rolling.get("partition")) or 0,
        "maxUnavailable": _max_unavailable(spec, rolling.get("maxUnavailable"), fates),
        "podUpdatePolicy": target.policy,
        "paused": False,
        "minReadySeconds": _min_ready(ready, fates),
    }
    if target.policy != RECREATE:
        made["inPlaceUpdateStrategy"] = {"gracePeriodSeconds": GRACE_SECONDS}
        fates.change(
            "spec.updateStrategy", f"{target.policy}: a new image restarts the container, the pod stays"
        )
    return {"type": fates.keep("RollingUpdate"), "rollingUpdate": made}


def _max_unavailable(spec: Raw, value: Any, fates: Fates) -> Any:
    """Give how many pods may be updated at a time: anything but 1 needs Parallel."""
    if value is None:
        return 1
    if value == 1 or spec["podManagementPolicy"] == "Parallel":
        return fates.keep(value)
    fates.drop(
        "spec.updateStrategy.rollingUpdate.maxUnavailable",
        f"{value}: beside OrderedReady it must be 1, more than one at a time needs Parallel",
    )
    return 1


def _min_ready(seconds: int, fates: Fates) -> int:
    if not seconds:
        return 0
    where = "spec.updateStrategy.rollingUpdate.minReadySeconds"
    if seconds > LONGEST_READY:
        fates.change(
            "spec.minReadySeconds", f"{seconds} becomes {LONGEST_READY}, the greatest there is, at {where}"
        )
        return LONGEST_READY
    fates.change("spec.minReadySeconds", f"stands at {where} now")
    return seconds


def _window(spec: Raw, target: SetTarget, fates: Fates) -> Raw:
    """Give the fields that let the ordinals begin where they do.

    Reserved ordinals need no gate of the manager, which would number the pods from 0 without it (§2.2 A10).
    """
    start = start_of(spec)
    if not start:
        return {}
    if target.start_gate:
        return {"ordinals": {"start": fates.keep(start)}}
    reserved = list(range(start)) if start <= SINGLE_MAX or not target.ranges else [f"0-{start - 1}"]
    fates.change(
        "spec.ordinals.start",
        f"{start}: reserveOrdinals 0 to {start - 1} mean the same and need no feature gate",
    )
    return {"reserveOrdinals": reserved}


def _on_delete(spec: Raw) -> bool:
    return bool(dig(spec, ("updateStrategy", "type")) == ON_DELETE)

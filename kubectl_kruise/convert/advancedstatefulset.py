"""An Advanced StatefulSet as a StatefulSet: the way back, and what it refuses (migration.md §3.5)."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from kubectl_kruise.convert.claims import claim_templates
from kubectl_kruise.convert.metadata import convert_metadata
from kubectl_kruise.convert.report import Conversion, Fates
from kubectl_kruise.convert.statefulset import start_of
from kubectl_kruise.convert.template import template_for_native
from kubectl_kruise.engine.statefulset.ordinals import Reserved, parse_reserved
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET, STATEFULSET
from kubectl_kruise.facts.policies import IN_PLACE_ONLY, ON_DELETE
from kubectl_kruise.objects.raw import Raw, dig, name_of
from kubectl_kruise.objects.retention import retention_of
from kubectl_kruise.objects.workload import Workload

_HISTORY: Final = 10
_ROLLING: Final = ("spec", "updateStrategy", "rollingUpdate")
_LOST: Final = {
    ("spec", "lifecycle"): "StatefulSets have no lifecycle hooks",
    ("spec", "scaleStrategy"): "StatefulSets have no scale strategy",
    ("spec", "volumeClaimUpdateStrategy"): "StatefulSets never change a claim",
    (*_ROLLING, "unorderedUpdate"): "a StatefulSet goes from the highest ordinal down",
    (*_ROLLING, "inPlaceUpdateStrategy"): "StatefulSets always recreate pods",
}


class NativeTarget(NamedTuple):
    """What the server has for StatefulSets: `ordinals` from Kubernetes 1.27 on, `max_unavailable` behind a gate.

    `honours_start` says whether the manager of the source goes by its `ordinals.start`, which takes a gate too.
    """

    ordinals: bool = True
    max_unavailable: bool = False
    honours_start: bool = True
    keep_helm: bool = False


def asts_to_statefulset(source: Raw, target: NativeTarget = NativeTarget()) -> Conversion:  # noqa: B008 - immutable
    """Convert an Advanced StatefulSet that `refusals` has nothing against; absent fields mean the defaults of Kruise."""
    fates = Fates()
    spec: Raw = source["spec"]
    made: Raw = {
        "replicas": fates.keep(dig(spec, ("replicas",), 1)),
        "selector": fates.keep(spec["selector"]),
        "template": template_for_native(spec["template"], fates),
        "podManagementPolicy": fates.keep(spec.get("podManagementPolicy") or "OrderedReady"),
        "revisionHistoryLimit": fates.keep(dig(spec, ("revisionHistoryLimit",), _HISTORY)),
        "persistentVolumeClaimRetentionPolicy": fates.keep(retention_of(source)),
        "serviceName": fates.keep(spec.get("serviceName") or ""),
        "updateStrategy": _strategy(source, target, fates),
    }
    if seconds := dig(source, (*_ROLLING, "minReadySeconds"), 0):
        fates.change(".".join((*_ROLLING, "minReadySeconds")), "stands at spec.minReadySeconds now")
        made["minReadySeconds"] = seconds
    if templates := claim_templates(spec, fates):
        made["volumeClaimTemplates"] = templates
    made |= _window(spec, target, fates)
    for path, why in _LOST.items():
        if dig(source, path):
            fates.drop(".".join(path), why)
    obj = {
        "apiVersion": "apps/v1",
        "kind": NATIVE_STATEFULSET.kind,
        "metadata": convert_metadata(source, name_of(source), fates, keep_helm=target.keep_helm),
        "spec": made,
    }
    return fates.conversion(obj)


def refusals(source: Raw, target: NativeTarget = NativeTarget()) -> Iterator[str]:  # noqa: B008 - immutable
    """Say what of an Advanced StatefulSet no StatefulSet can do, one sentence each."""
    spec = source["spec"]
    start = first_ordinal(spec, target)
    if holes := [span for span in _reserved(spec).ranges if span[0] > start]:
        skipped = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in holes)
        yield f"its reserveOrdinals leave out {skipped}, and the ordinals of a StatefulSet have no holes"
    if start and not target.ordinals:
        yield f"its ordinals start at {start}, and this server has StatefulSets only from 0"


def check_convertible(source: Raw, target: NativeTarget = NativeTarget()) -> None:  # noqa: B008 - immutable
    """Raise RefusedError with everything that stands against the conversion."""
    if found := list(refusals(source, target)):
        title = Workload(source, STATEFULSET).title
        raise RefusedError(f"cannot make a StatefulSet of {title}: {'; '.join(found)}")


def first_ordinal(spec: Raw, target: NativeTarget) -> int:
    """Give the first ordinal that a pod can have: where the ordinals start, beyond those reserved from there on."""
    return next(_reserved(spec).free_from(start_of(spec) if target.honours_start else 0))


def _reserved(spec: Raw) -> Reserved:
    return parse_reserved(spec.get("reserveOrdinals") or ())


def _window(spec: Raw, target: NativeTarget, fates: Fates) -> Raw:
    if start_of(spec) and not target.honours_start:
        fates.drop("spec.ordinals", "this manager does not go by it: its pods are numbered from 0")
    first = first_ordinal(spec, target)
    if spec.get("reserveOrdinals"):
        why = f"the ordinals start at {first}" if first else "a StatefulSet cannot leave out ordinals"
        fates.change("spec.reserveOrdinals", why)
    elif first:
        fates.keep(first)
    return {"ordinals": {"start": first}} if first else {}


def _strategy(source: Raw, target: NativeTarget, fates: Fates) -> Raw:
    workload = Workload(source, STATEFULSET)
    if workload.on_delete:
        return {"type": fates.keep(ON_DELETE)}
    if workload.in_place:
        fates.change(
            "spec.updateStrategy.rollingUpdate.podUpdatePolicy",
            f"{workload.update_type}: StatefulSets always recreate pods",
        )
    if workload.update_type == IN_PLACE_ONLY:
        fates.remark("W-INPLACEONLY", "updates will recreate the pods, which InPlaceOnly ruled out")
    partition = int(dig(source, (*_ROLLING, "partition"), 0))
    if workload.paused:
        partition = max(partition, workload.replicas)
        fates.change(
            "spec.updateStrategy.rollingUpdate.paused", f"partition {partition} holds all pods back instead"
        )
    else:
        fates.keep(partition)
    made: Raw = {"partition": partition}
    if (most := _max_unavailable(source, target, fates)) is not None:
        made["maxUnavailable"] = most
    return {"type": fates.keep("RollingUpdate"), "rollingUpdate": made}


def _max_unavailable(source: Raw, target: NativeTarget, fates: Fates) -> Any:
    """Give maxUnavailable where the server has it; 1 is what it does without."""
    value = dig(source, (*_ROLLING, "maxUnavailable"))
    if value in (None, 1):
        return None
    if target.max_unavailable:
        return fates.keep(value)
    fates.drop(
        ".".join((*_ROLLING, "maxUnavailable")),
        f"{value}: StatefulSets of this server update one pod at a time",
    )
    return None

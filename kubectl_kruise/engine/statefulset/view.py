"""An Advanced StatefulSet as the engine reads it: defaults filled in, every share resolved, whatever the API version.

Defaults are those of advanced-statefulset.md §6; they live in memory only and are never written to the object.
"""

from dataclasses import dataclass
from typing import Any, Final

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.statefulset.ordinals import Reserved, parse_reserved
from kubectl_kruise.facts.policies import (
    IN_PLACE_IF_POSSIBLE,
    IN_PLACE_ONLY,
    ON_DELETE,
    RECREATE,
    ROLLING_UPDATE,
)
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.raw import Raw, dig, metadata, name_of, namespace_of, uid_of

PARALLEL: Final = "Parallel"
RETAIN: Final = "Retain"
ON_ROLLING_UPDATE: Final = "OnPodRollingUpdate"
GROUP_VERSION: Final = "apps.kruise.io/v1beta1"
"""What every owner reference to a set says, whatever version it was written in (§2)."""
DEFAULT_HISTORY: Final = 10


@dataclass(frozen=True, slots=True)
class AdvancedStatefulSet:
    """`partition` counts replicas that keep their revision, `unavailable` and `scale_unavailable` pods.

    `start` is 0 unless its gate is on. `rolls`: the type is RollingUpdate; one that admission never saw may be neither
    that nor OnDelete. `rolling`: there is a rolling update to configure, which admission always fills in.
    `scale_unavailable` None is without limit. `resizes`: claims grow with their template before their pod is updated.
    `current_replicas` is what the status says.
    """

    raw: Raw
    name: str
    namespace: str
    uid: str
    generation: int
    deleting: bool
    replicas: int
    start: int
    reserved: Reserved
    selector: Raw
    template: Raw
    claim_templates: tuple[Raw, ...]
    service_name: str
    monotonic: bool
    history: int
    on_delete: bool
    rolls: bool
    rolling: bool
    policy: str
    paused: bool
    partition: int
    unavailable: int
    scale_unavailable: int | None
    unordered: bool
    priority: Raw | None
    grace_seconds: int
    min_ready: int
    lifecycle: Raw | None
    when_deleted: str
    when_scaled: str
    resizes: bool
    current_replicas: int
    gates: Gates

    def hook(self, name: str) -> Raw | None:
        """Give the lifecycle hook `preDelete`, `inPlaceUpdate` or `preNormal`, None where it is not set."""
        return None if self.lifecycle is None else self.lifecycle.get(name)

    @property
    def claim_names(self) -> tuple[str, ...]:
        """Names of the claim templates, in order."""
        return tuple(name_of(template) for template in self.claim_templates)


def read_statefulset(raw: Raw, gates: Gates | None = None) -> AdvancedStatefulSet:
    """Read an Advanced StatefulSet of v1alpha1 or v1beta1, which differ in the fields they have; `raw` is only read."""
    gates = gates or Gates()
    spec = raw.get("spec") or {}
    strategy = spec.get("updateStrategy") or {}
    kind = strategy.get("type") or ROLLING_UPDATE
    on_delete = kind == ON_DELETE
    given = None if on_delete else strategy.get("rollingUpdate")
    rolling: Raw = given or {}
    unordered = rolling.get("unorderedUpdate")
    replicas = _default(spec.get("replicas"), 1)
    retention = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    return AdvancedStatefulSet(
        raw=raw,
        name=name_of(raw),
        namespace=namespace_of(raw),
        uid=uid_of(raw),
        generation=int(metadata(raw).get("generation") or 0),
        deleting=bool(metadata(raw).get("deletionTimestamp")),
        replicas=replicas,
        start=int(dig(spec, ("ordinals", "start"), 0)) if gates.start_ordinal else 0,
        reserved=parse_reserved(spec.get("reserveOrdinals") or ()),
        selector=spec.get("selector") or {},
        template=spec.get("template") or {},
        claim_templates=tuple(spec.get("volumeClaimTemplates") or ()),
        service_name=str(spec.get("serviceName") or ""),
        monotonic=spec.get("podManagementPolicy") != PARALLEL,
        history=_default(spec.get("revisionHistoryLimit"), DEFAULT_HISTORY),
        on_delete=on_delete,
        rolls=kind == ROLLING_UPDATE,
        rolling=given is not None,
        policy=_policy(str(rolling.get("podUpdatePolicy") or "")),
        paused=bool(rolling.get("paused")),
        partition=_default(rolling.get("partition"), 0),
        unavailable=_at_least_one(rolling.get("maxUnavailable"), replicas),
        scale_unavailable=_scale_unavailable(spec, replicas),
        unordered=unordered is not None,
        priority=(unordered or {}).get("priorityStrategy"),
        grace_seconds=int(dig(rolling, ("inPlaceUpdateStrategy", "gracePeriodSeconds"), 0)),
        min_ready=_default(rolling.get("minReadySeconds"), 0),
        lifecycle=spec.get("lifecycle"),
        when_deleted=str(retention.get("whenDeleted") or RETAIN),
        when_scaled=str(retention.get("whenScaled") or RETAIN),
        resizes=gates.resize_claims and dig(spec, ("volumeClaimUpdateStrategy", "type")) == ON_ROLLING_UPDATE,
        current_replicas=int(dig(raw, ("status", "currentReplicas"), 0)),
        gates=gates,
    )


def _policy(name: str) -> str:
    return name if name in (IN_PLACE_IF_POSSIBLE, IN_PLACE_ONLY) else RECREATE


def _at_least_one(value: Any, replicas: int) -> int:
    """Resolve a share rounded down, but never below one pod ([P-54], §12.3)."""
    return max(1, number.legacy(1 if value is None else value, replicas, up=False))


def _scale_unavailable(spec: Raw, replicas: int) -> int | None:
    value = dig(spec, ("scaleStrategy", "maxUnavailable"))
    return None if value is None else _at_least_one(value, replicas)


def _default(value: Any, default: int) -> int:
    return default if value is None else int(value)

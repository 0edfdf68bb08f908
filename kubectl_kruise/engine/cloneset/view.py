"""A CloneSet as the engine reads it: admission defaults filled in, every share resolved, whatever the API version.

Defaults are those of cloneset.md §4; they live in memory only and are never written to the object.
"""

from dataclasses import dataclass
from typing import Any, Final

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.names import EXCLUDE_PREPARING_DELETE_LABEL
from kubectl_kruise.facts.policies import IN_PLACE_IF_POSSIBLE, IN_PLACE_ONLY, ON_DELETE, RECREATE
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.raw import Raw, dig, labels_of, metadata, name_of, namespace_of, uid_of

DEFAULT_HISTORY: Final = 10


@dataclass(frozen=True, slots=True)
class CloneSet:
    """`partition` counts old pods to keep, `surge`, `unavailable` and `scale_unavailable` pods; the rest is as in the spec.

    `rolling`: there is a rolling update to configure, which an `OnDelete` object of v1beta1 may lack.
    """

    raw: Raw
    name: str
    namespace: str
    uid: str
    api_version: str
    generation: int
    deleting: bool
    replicas: int
    selector: Raw
    template: Raw
    claim_templates: tuple[Raw, ...]
    min_ready: int
    history: int
    deadline: int | None
    lifecycle: Raw | None
    rolling: bool
    on_delete: bool
    policy: str
    paused: bool
    partition: int
    expected_updated: int
    surge: int
    unavailable: int
    scale_unavailable: int
    grace_seconds: int
    priority: Raw | None
    scatter: tuple[Raw, ...]
    to_delete: frozenset[str]
    reuse_claims: bool
    exclude_preparing_delete: bool
    gates: Gates

    def hook(self, name: str) -> Raw | None:
        """Give the lifecycle hook `preDelete`, `inPlaceUpdate` or `preNormal`, None where it is not set."""
        return None if self.lifecycle is None else self.lifecycle.get(name)


def read_cloneset(
    raw: Raw, gates: Gates | None = None, *, exclude_preparing_delete: bool = False
) -> CloneSet:
    """Read a CloneSet of v1alpha1 or v1beta1; `raw` is only read.

    `exclude_preparing_delete` is the manager's flag of that name, which overrules the field.
    """
    spec = raw.get("spec") or {}
    version = str(raw.get("apiVersion") or "apps.kruise.io/v1alpha1")
    flat = not version.endswith("/v1beta1")
    strategy = spec.get("updateStrategy") or {}
    rolling = strategy if flat else strategy.get("rollingUpdate")
    kind = str(strategy.get("type") or "")
    on_delete = kind == ON_DELETE
    if rolling is None and not on_delete:
        rolling = {}
    scale = spec.get("scaleStrategy") or {}
    replicas = 1 if spec.get("replicas") is None else int(spec["replicas"])
    paused = bool((rolling or {}).get("paused"))
    surge = _surge(rolling, replicas, paused=paused)
    partition = _partition((rolling or {}).get("partition"), spec.get("replicas"))
    return CloneSet(
        raw=raw,
        name=name_of(raw),
        namespace=namespace_of(raw),
        uid=uid_of(raw),
        api_version=version,
        generation=int(metadata(raw).get("generation") or 0),
        deleting=bool(metadata(raw).get("deletionTimestamp")),
        replicas=replicas,
        selector=spec.get("selector") or {},
        template=spec.get("template") or {},
        claim_templates=tuple(spec.get("volumeClaimTemplates") or ()),
        min_ready=int(spec.get("minReadySeconds") or 0),
        history=_default(spec.get("revisionHistoryLimit"), DEFAULT_HISTORY),
        deadline=_deadline(spec.get("progressDeadlineSeconds")),
        lifecycle=spec.get("lifecycle"),
        rolling=rolling is not None,
        on_delete=on_delete,
        policy=_policy(kind if flat else str((rolling or {}).get("podUpdatePolicy") or "")),
        paused=paused,
        partition=partition or 0,
        expected_updated=0 if partition is None else replicas - partition,
        surge=surge,
        unavailable=_unavailable(rolling, replicas, surge),
        scale_unavailable=number.scale_unavailable(scale.get("maxUnavailable"), replicas),
        grace_seconds=int(dig(rolling or {}, ("inPlaceUpdateStrategy", "gracePeriodSeconds"), 0)),
        priority=(rolling or {}).get("priorityStrategy"),
        scatter=tuple((rolling or {}).get("scatterStrategy") or ()),
        to_delete=frozenset(scale.get("podsToDelete") or ()),
        reuse_claims=not scale.get("disablePVCReuse") if flat else bool(scale.get("enablePVCReuse")),
        exclude_preparing_delete=exclude_preparing_delete
        or bool(scale.get("excludePreparingDelete"))
        or (flat and _excluded_by_label(raw)),
        gates=gates or Gates(),
    )


def _excluded_by_label(raw: Raw) -> bool:
    return labels_of(raw).get(EXCLUDE_PREPARING_DELETE_LABEL) == "true"


def _policy(name: str) -> str:
    return name if name in (IN_PLACE_IF_POSSIBLE, IN_PLACE_ONLY) else RECREATE


def _partition(value: Any, replicas: int | None) -> int | None:
    """Resolve the partition; None where it cannot be read, which keeps no pod and expects none either (§22.1)."""
    try:
        return number.partition(value, replicas)
    except ValueError:
        return None


def _surge(rolling: Raw | None, replicas: int, *, paused: bool) -> int:
    return 0 if rolling is None else number.surge(rolling.get("maxSurge"), replicas, paused=paused)


def _unavailable(rolling: Raw | None, replicas: int, surge: int) -> int:
    """Resolve maxUnavailable; without a rolling update the default is rounded down (§6.4)."""
    if rolling is None:
        return number.legacy(number.DEFAULT_MAX_UNAVAILABLE, replicas, up=False)
    return number.unavailable(rolling.get("maxUnavailable"), replicas, surge=surge)


def _deadline(value: int | None) -> int | None:
    return None if value is None or value == number.UNLIMITED else int(value)


def _default(value: int | None, default: int) -> int:
    return default if value is None else int(value)

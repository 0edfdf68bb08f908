"""The status of a set, and when it is worth a write (advanced-statefulset.md §4)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from kubectl_kruise.engine.statefulset.claims import Lookup, count_claims
from kubectl_kruise.engine.statefulset.member import Member
from kubectl_kruise.engine.statefulset.slots import Slots
from kubectl_kruise.engine.statefulset.steps import Counter
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.selector import selector_of

FAILED_CREATE: Final = "FailedCreatePod"
FAILED_UPDATE: Final = "FailedUpdatePod"

_DECISIVE: Final = (
    "replicas",
    "readyReplicas",
    "availableReplicas",
    Counter.CURRENT.value,
    Counter.UPDATED.value,
)
"""Counters that are always shown, and whose change is written; that of the others alone is not."""
_NAMES: Final = ("currentRevision", "updateRevision", "labelSelector")


class StatusPlan(NamedTuple):
    """`write` says whether the status differs in something that is written."""

    status: Raw
    write: bool


def plan_status(
    view: AdvancedStatefulSet,
    slots: Slots,
    lookup: Lookup,
    now: float,
    *,
    current: str,
    update: str,
    collisions: int,
    lowered: Mapping[Counter, int],
    failures: Iterable[tuple[str, str]] = (),
) -> StatusPlan:
    """Compute the status behind a pass over pods as they were at its start.

    `current` and `update` name the revisions; `lowered` is by how much steps of the pass lower counters ([ST-3]);
    `failures` are (condition type, error text).
    """
    members = slots.claimed if view.deleting else (*slots.replicas, *slots.condemned)
    counts = count_members(members, current=current, update=update)
    for counter, by in lowered.items():
        counts[counter.value] -= by
    if view.rolls and counts["updatedReplicas"] == counts["replicas"] == counts["readyReplicas"]:
        counts["currentReplicas"] = counts["updatedReplicas"]
        current = update
    status: Raw = {"observedGeneration": view.generation, "collisionCount": collisions}
    status |= {name: value for name, value in counts.items() if value or name in _DECISIVE}
    status |= dict(zip(_NAMES, (current, update, str(selector_of(view.selector))), strict=True))
    conditions = [
        {"type": kind, "status": "True", "lastTransitionTime": rfc3339(now), "message": message}
        for kind, message in failures
    ]
    claims = _volume_claims(view, slots, lookup)
    status |= {"conditions": conditions} if conditions else {}
    status |= {"volumeClaims": claims} if claims else {}
    return StatusPlan(status, _differs(view.raw.get("status") or {}, status))


def count_members(members: Iterable[Member], *, current: str, update: str) -> dict[str, int]:
    """Give the counters of the status by their field names, without what steps of the pass change of them."""
    counts = dict.fromkeys((*_DECISIVE, "updatedReadyReplicas", "updatedAvailableReplicas"), 0)
    for member in members:
        updated, stays = member.revision == update, member.created and not member.terminating
        counts["replicas"] += member.created
        counts["readyReplicas"] += member.ready
        counts["availableReplicas"] += member.available
        counts["currentReplicas"] += stays and member.revision == current
        counts["updatedReplicas"] += stays and updated
        counts["updatedReadyReplicas"] += member.ready and updated
        counts["updatedAvailableReplicas"] += member.available and updated
    return counts


def _volume_claims(view: AdvancedStatefulSet, slots: Slots, lookup: Lookup) -> list[Raw]:
    members: Sequence[Member] = slots.claimed if view.deleting else slots.replicas
    counted = count_claims(view, (member.ordinal for member in members), lookup)
    return [
        {"volumeClaimName": name, "compatibleReplicas": large, "compatibleReadyReplicas": ready}
        for name, large, ready in counted
    ]


def _differs(old: Raw, new: Raw) -> bool:
    """Say whether the change is one that is written ([ST-6])."""
    if int(new["observedGeneration"]) > int(old.get("observedGeneration") or 0):
        return True
    if any(int(old.get(name) or 0) != new[name] for name in _DECISIVE):
        return True
    if any(str(old.get(name) or "") != new[name] for name in _NAMES):
        return True
    claims = {claim["volumeClaimName"]: claim for claim in new.get("volumeClaims") or []}
    return any(claims.get(claim.get("volumeClaimName")) != claim for claim in old.get("volumeClaims") or [])

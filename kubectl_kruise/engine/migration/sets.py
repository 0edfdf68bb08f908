"""What of a migration between a StatefulSet and an Advanced StatefulSet is there, and the step that follows (migration.md §5.2.2).

Both ways are alike: the one set gives, the other, of the same name, gets. The live state alone decides: a run that was
killed goes on as one that never stopped.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

from kubectl_kruise.engine.migration.handover import owners_of
from kubectl_kruise.engine.migration.marks import PodMark
from kubectl_kruise.engine.migration.ordinals import ordinal_of
from kubectl_kruise.engine.migration.stillness import at_work, still
from kubectl_kruise.facts.kinds import STATEFULSET, Kind
from kubectl_kruise.facts.names import REVISION_LABEL
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, metadata, owner_uid, uid_of
from kubectl_kruise.objects.retention import RETENTION, retains
from kubectl_kruise.objects.workload import Workload

_TEMPLATE: Final = ("spec", "template")


class Sets(NamedTuple):
    """The two sets as they are, None for one that does not exist; `pods` are all that the selector matches."""

    giving: Raw | None
    getting: Raw | None
    pods: Sequence[Raw]

    def owned_by(self, owner: Raw | None) -> list[Raw]:
        """Give the active pods whose controller is `owner`."""
        if owner is None:
            return []
        return [pod for pod in self.pods if owner_uid(pod) == uid_of(owner) and active(pod)]

    @property
    def giver_lives(self) -> bool:
        return self.giving is not None and not deleting(self.giving)


class Aim(NamedTuple):
    """What one direction leads to.

    `kind` is that of the set that gets, `wanted` its manifest as it shall be in the end, `name` that of both. `marks` are
    the pods of the start, () before they are noted. `last` creates the new set only when the old one is gone. `origin` is
    the uid of the set that had the pods at the start, where it is this one that gets them back, "" otherwise.
    """

    kind: Kind
    name: str
    wanted: Raw
    marks: Sequence[PodMark] = ()
    last: bool = False
    origin: str = ""

    def never_left(self, getting: Raw) -> bool:
        """Say whether the set that gets the pods back has never lost them: then it goes on as it did."""
        return bool(self.origin) and uid_of(getting) == self.origin


class Handing(StrEnum):
    """Steps from one set to the other, in their order; each names what it does, and the step of §5.2.1 it stands for."""

    KEEP_CLAIMS = "let the old set keep every volume claim"  # T2
    CREATE_TARGET = "create the new set, held"  # T3, T4
    AWAIT_TARGET_GONE = "wait until the set that is being deleted is gone"
    HOLD_TARGET = "hold the new set again"
    AWAIT_TARGET = "wait until the new set has a revision"  # T5
    DELETE_SOURCE = "delete the old set, its pods stay"  # T7
    MOVE_PODS = "give the pods to the new set"  # T8
    AWAIT_SOURCE_GONE = "wait until the old set is gone"  # T9
    RELABEL = "give the pods the revision of the new set"  # T10
    UNLOCK = "check every pod, then let the new set work"  # T11, T12
    SETTLE = "watch that every pod stays"  # T13


def next_handing(now: Sets, aim: Aim) -> Handing:
    """Give the step that is due."""
    giving, getting = now.giving, now.getting
    if getting is not None and deleting(getting):
        return Handing.AWAIT_TARGET_GONE
    if getting is not None and aim.never_left(getting):
        return _given_up(now, getting, aim)
    if giving is not None and now.giver_lives and not retains(giving):
        return Handing.KEEP_CLAIMS
    if getting is None:
        return _without_target(now, aim)
    if now.giver_lives:
        return _held(getting, aim) or Handing.DELETE_SOURCE
    moving, stale = to_move(now, aim), to_relabel(now)
    if (moving or stale) and (due := _held(getting, aim)):
        return due
    if moving:
        return Handing.MOVE_PODS
    if giving is not None:
        return Handing.AWAIT_SOURCE_GONE
    if stale:
        return Handing.RELABEL
    return Handing.SETTLE if at_work(getting, aim.wanted, aim.kind) else Handing.UNLOCK


def to_move(now: Sets, aim: Aim) -> list[Raw]:
    """Give the pods that are not the new set's yet, or that still name the old one besides.

    Those without owner come along wherever their name is one of the set: its controller would take them, too.
    """
    target = uid_of(now.getting) if now.getting else ""
    known = {mark.uid for mark in aim.marks}

    def comes_along(pod: Raw) -> bool:
        left = not owner_uid(pod) and ordinal_of(pod, aim.name) >= 0
        return left or uid_of(pod) in known or bool(former_owners(pod, aim.name, target))

    return [
        pod
        for pod in now.pods
        if active(pod)
        and comes_along(pod)
        and (owner_uid(pod) != target or former_owners(pod, aim.name, target))
    ]


def former_owners(pod: Raw, name: str, target: str) -> list[str]:
    """Give the uids of the sets of this name, of either kind, that a pod names besides the one of uid `target`."""
    named = metadata(pod).get("ownerReferences") or []
    sets = {
        str(each.get("uid"))
        for each in named
        if each.get("kind") == STATEFULSET.kind and each.get("name") == name
    }
    return sorted((sets & owners_of(pod)) - {target})


def to_relabel(now: Sets) -> list[Raw]:
    """Give the pods of the new set whose label is not the name of its revision: they would be made anew (§2.2 A5)."""
    revision = revision_of(now.getting)
    owned = now.owned_by(now.getting)
    return [pod for pod in owned if revision and labels_of(pod).get(REVISION_LABEL) != revision]


def revision_of(live: Raw | None) -> str:
    return str(dig(live or {}, ("status", "updateRevision"), "") or "")


def knows_revision(live: Raw, kind: Kind) -> bool:
    """Say whether a controller has seen a set as it stands, and named its revision (§5.2.1 T5)."""
    return Workload(live, kind).observed and bool(revision_of(live))


def same_template(live: Raw, wanted: Raw) -> bool:
    """Say whether a set makes its pods as `wanted` does; nulls and empty values, which servers add, say nothing."""
    return bool(_told(dig(live, _TEMPLATE)) == _told(dig(wanted, _TEMPLATE)))


def _without_target(now: Sets, aim: Aim) -> Handing:
    if now.giver_lives:
        return Handing.DELETE_SOURCE if aim.last else Handing.CREATE_TARGET
    return Handing.AWAIT_SOURCE_GONE if now.giving is not None else Handing.CREATE_TARGET


def _held(getting: Raw, aim: Aim) -> Handing | None:
    """Give what is due before pods may come, None where the new set waits for them."""
    if not still(getting, aim.kind):
        return Handing.HOLD_TARGET
    return None if knows_revision(getting, aim.kind) else Handing.AWAIT_TARGET


def _given_up(now: Sets, getting: Raw, aim: Aim) -> Handing:
    """Give what is left where nothing was handed over: the other set, which owns nothing of ours, goes again (§5.2.3)."""
    if now.giving is not None:
        return Handing.DELETE_SOURCE if now.giver_lives else Handing.AWAIT_SOURCE_GONE
    return Handing.SETTLE if at_work(getting, aim.wanted, aim.kind) else Handing.UNLOCK


def _told(value: Any) -> Any:
    """Leave out of a tree what says nothing: nulls, empty containers, and texts without a letter."""
    if isinstance(value, dict):
        kept = {key: _told(inner) for key, inner in value.items()}
        return {key: inner for key, inner in kept.items() if inner not in (None, {}, [], "")}
    if isinstance(value, list):
        return [_told(inner) for inner in value]
    return value


def replicas_of(live: Raw) -> int:
    return int(dig(live, ("spec", "replicas"), 1))


def whole(live: Raw, *, unready: bool) -> bool:
    """Say whether a set has as many pods as it wants, ready unless told otherwise, and its controller knows."""
    status, meta = live.get("status") or {}, metadata(live)
    keys = ("replicas",) if unready else ("replicas", "readyReplicas")
    observed = int(status.get("observedGeneration") or 0) >= int(meta.get("generation") or 0)
    return observed and {int(status.get(key) or 0) for key in keys} == {replicas_of(live)}


def but_ours(manifest: Raw) -> Raw:
    """Give the spec without what an autoscaler changes, which the new set follows, and what the migration itself does."""
    return {key: value for key, value in manifest["spec"].items() if key not in ("replicas", RETENTION[-1])}

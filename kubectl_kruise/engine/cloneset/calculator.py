"""How many pods to create, delete and update: the diff calculator (cloneset.md §10)."""

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_kruise.engine.cloneset.member import Member
from kubectl_kruise.engine.cloneset.view import CloneSet


class Bucket(NamedTuple):
    """Pods of one side, old or new: `bad` are neither specified nor available, `preparing` count for nothing else."""

    active: int = 0
    specified: int = 0
    bad: int = 0
    preparing: int = 0


class Difference(NamedTuple):
    """What stands between the pods there are and those there should be (§10.3, §10.4).

    `up_old` and `down_old` may exceed `up` and `down`. `ready_budget` is the number of available pods that may be
    deleted now. `move` counts pods to be updated, negative for pods to be brought back; `ceiling` limits how many
    may be unavailable meanwhile and may be negative. `unavailable` is the number of unavailable pods.
    """

    up: int = 0
    up_old: int = 0
    up_limit: int = 0
    down: int = 0
    down_old: int = 0
    ready_budget: int = 0
    move: int = 0
    ceiling: int = 0
    surge: int = 0
    unavailable: int = 0


class _Imbalance(NamedTuple):
    """Old pods too many (> 0) or too few, and the same for new ones."""

    old: int
    new: int


def calculate(
    view: CloneSet, members: Iterable[Member], *, current_revision: str, update_revision: str
) -> Difference:
    """Compare the pods with what the CloneSet wants; the members say what counts as new in this phase."""
    listed = list(members)
    old = _count(member for member in listed if not member.new)
    new = _count(member for member in listed if member.new)
    bad = old.bad + new.bad + old.preparing + new.preparing
    settled = current_revision == update_revision or not view.gates.partition_rollback
    imbalance = _imbalance(view, old, new, settled=settled)
    extra = _surge(view, old, new, bad, imbalance)
    scale = _scale(view, old, new, bad, extra)
    move = imbalance.old if abs(imbalance.old) <= abs(imbalance.new) else -imbalance.new
    ceiling = view.unavailable + len(listed) - view.replicas if move else 0
    return scale._replace(move=move, ceiling=ceiling, surge=extra[0], unavailable=bad)


def _count(members: Iterable[Member]) -> Bucket:
    active = specified = bad = preparing = 0
    for member in members:
        if member.preparing_delete:
            preparing += 1
            continue
        active += 1
        if member.specified:
            specified += 1
        elif not member.available:
            bad += 1
    return Bucket(active, specified, bad, preparing)


def _imbalance(view: CloneSet, old: Bucket, new: Bucket, *, settled: bool) -> _Imbalance:
    too_old = old.active - view.partition
    too_new = new.active - (view.replicas - view.partition)
    return _Imbalance(max(too_old, 0), min(too_new, 0)) if settled else _Imbalance(too_old, too_new)


def _surge(view: CloneSet, old: Bucket, new: Bucket, bad: int, imbalance: _Imbalance) -> tuple[int, int]:
    """Give the pods to have beyond replicas, and how many of them old: for deletions or for the update (§10.2)."""
    if view.surge <= 0:
        return 0, 0
    chosen = new.specified + old.specified
    for_deletion = min(max(bad + chosen - view.unavailable, 0), chosen)
    for_deletion_old = max(for_deletion - new.specified, 0)
    for_update = for_update_old = 0
    if imbalance.old * imbalance.new < 0:
        for_update = min(abs(imbalance.old), abs(imbalance.new))
        smaller_is_old = abs(imbalance.old) <= abs(imbalance.new)
        if (imbalance.old < 0) if smaller_is_old else (imbalance.new > 0):
            for_update_old = for_update
    if for_deletion >= for_update:
        surge = min(view.surge, for_deletion)
        return surge, min(surge, for_deletion_old)
    surge = min(view.surge, for_update)
    return surge, min(surge, for_update_old)


def _scale(view: CloneSet, old: Bucket, new: Bucket, bad: int, extra: tuple[int, int]) -> Difference:
    surge, surge_old = extra
    total_old = old.active + old.preparing
    total = total_old + new.active + new.preparing
    have, have_old = total, total_old
    if view.exclude_preparing_delete:
        have, have_old = have - old.preparing - new.preparing, have_old - old.preparing
    want, want_old = view.replicas + surge, view.partition + surge_old
    chosen = old.specified + new.specified
    up = max(want - have, 0)
    down = max(have - chosen - want, 0)
    return Difference(
        up=up,
        up_old=max(want_old - have_old, 0) if up else 0,
        up_limit=min(up, max(view.scale_unavailable - bad, 0)),
        down=down,
        down_old=max(have_old - old.specified - want_old, 0) if down else 0,
        ready_budget=max(view.unavailable + total - view.replicas - bad, 0) if chosen or down else 0,
    )

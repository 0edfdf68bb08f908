"""Move pods to another workload by and by, new pods for old ones, and back (migration.md §6).

Between a Deployment and a CloneSet a few at a time, between two sets one ordinal after the other.
"""

import copy
from dataclasses import replace
from typing import Final

from kubectl_kruise.engine.migration.journal import Mode, Phase
from kubectl_kruise.engine.migration.manifests import manifest_of
from kubectl_kruise.engine.migration.marks import mark_of
from kubectl_kruise.engine.migration.pairs import SETS
from kubectl_kruise.engine.migration.stages import Stage
from kubectl_kruise.engine.migration.stillness import keeping
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import Raw, deleting, dig, owner_uid, uid_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.closing import close_books, delete_replicasets, restore_replicasets
from kubectl_kruise.operations.migrate.guards import delete_alone
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, await_gone, fetch, list_pods
from kubectl_kruise.operations.migrate.persisting import persist
from kubectl_kruise.operations.migrate.replacing.claims import keep_claims, let_claims_go
from kubectl_kruise.operations.migrate.replacing.counting import count, replicasets_of
from kubectl_kruise.operations.migrate.replacing.freezing import SCALERS, freeze, thaw
from kubectl_kruise.operations.migrate.replacing.moving import Move
from kubectl_kruise.operations.migrate.replacing.ordinals import Passage, note_unready
from kubectl_kruise.operations.migrate.replacing.owning import check_source
from kubectl_kruise.operations.migrate.replacing.scaling import scale
from kubectl_kruise.operations.migrate.replacing.staging import (
    create_target,
    find_manager,
    set_pause,
    try_target,
)
from kubectl_kruise.operations.migrate.replacing.surging import Surge, limits_of
from kubectl_kruise.operations.migrate.rewriting import follow, repeat_freeze, undo_rewrites
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.settling import await_whole, watch_settled
from kubectl_kruise.operations.migrate.trouble import ForeignScaleError

MOVING: Final = (Phase.STARTED, Phase.ARMED)
"""Phases of a migration that still has pods to move."""


def move_over(run: Run, keeper: Keeper) -> int:
    """Move the pods of the journal's source to its target, from wherever this stands.

    Gives the fewest ready pods that were seen. Raises what `Move.move` raises; a second call goes on from there.
    """
    moving = _move(run, keeper)
    if keeper.journal.phase in MOVING:
        persist(run, lambda: try_target(run, keeper))
        freeze(run, keeper, _most(keeper))
        persist(run, lambda: keep_claims(run, keeper, paths_of(run, keeper).source))
        persist(run, lambda: note_unready(run, keeper))
        persist(run, lambda: create_target(run, keeper, replicas=0))
        persist(run, lambda: find_manager(run, keeper))
        moving.move()
        settle(run, keeper)
        persist(run, lambda: keeper.write(phase=Phase.MOVED))
    finish(run, keeper)
    return moving.watched.lowest


def move_back(run: Run, keeper: Keeper) -> int:
    """Move the pods back to the source, which is made again where it is gone, and delete the target.

    Gives the fewest ready pods that were seen on the way back.
    """
    persist(run, lambda: keeper.write(phase=Phase.UNDOING))
    repeat_freeze(run, keeper)
    persist(run, lambda: keep_claims(run, keeper, paths_of(run, keeper).target))
    persist(run, lambda: restore_source(run, keeper))
    moving = _move(run, keeper, backward=True)
    both, journal = persist(run, lambda: count(run, keeper.journal)), keeper.journal
    source = both.of(journal.kind)
    if both.of(journal.target_kind) is not None:
        moving.move()
    elif source is not None and source.wanted < journal.replicas:
        persist(run, lambda: scale(run, paths_of(run, keeper).source, journal.replicas))
    undo_rewrites(run, keeper)
    persist(run, lambda: delete_target(run, keeper))
    persist(run, lambda: let_claims_go(run, keeper, back=True))
    return moving.watched.lowest


def _move(run: Run, keeper: Keeper, *, backward: bool = False) -> Move:
    moves = Passage if keeper.journal.mode is Mode.HANDOVER else Surge
    return moves(run, keeper, backward=backward)


def _most(keeper: Keeper) -> int:
    """Give how many pods there may be meanwhile."""
    if keeper.journal.mode is Mode.HANDOVER:
        return keeper.journal.replicas
    limits = limits_of(keeper.journal)
    return limits.total + limits.surge


def settle(run: Run, keeper: Keeper) -> None:
    """Wait until the target is whole, then watch that its pods stay."""
    path, kind = paths_of(run, keeper).target, keeper.journal.target_kind
    unready = keeper.journal.mode is Mode.HANDOVER and bool(keeper.journal.options.get("allow_unready"))
    live = persist(run, lambda: await_whole(run, path, kind, unready=unready))
    listed = persist(run, lambda: list_pods(run, keeper.journal))
    marks = [mark_of(pod) for pod in listed if owner_uid(pod) == uid_of(live) and active(pod)]
    persist(run, lambda: watch_settled(run, replace(keeper.journal, pods=marks), path, kind))


def finish(run: Run, keeper: Keeper) -> None:
    """Point references at the target, let autoscalers go on, delete the source or keep it at 0: G5 and G6.

    Where only a part of the pods was to move, both workloads stay, and everything goes on naming the source.
    """
    options = keeper.journal.options
    if options.get("part") is not None:
        thaw(run, keeper)
        persist(run, lambda: close_books(run, keeper))
        return
    frozen = {SCALERS[each.kind] for each in keeper.journal.rewrites if each.temporary}
    persist(run, lambda: follow(run, keeper, {*options.get("rewrite_refs", ()), *frozen}))
    thaw(run, keeper)
    persist(run, lambda: set_pause(run, keeper))
    if not options.get("keep_source"):
        run.seen(Stage.DELETE_SOURCE, None)
        persist(run, lambda: delete_source(run, keeper))
    persist(run, lambda: let_claims_go(run, keeper))
    persist(run, lambda: close_books(run, keeper))


def delete_source(run: Run, keeper: Keeper) -> None:
    """Delete the source, which has no pods, and the ReplicaSets of a Deployment; all of them are noted before."""
    path, journal = paths_of(run, keeper).source, keeper.journal
    called = journal.kind.called
    source = fetch(run, path)
    if source is not None:
        if not deleting(source):
            check_source(journal, source)
            check_empty(run, keeper, journal.kind, source)
            owned = replicasets_of(run, journal, source)
            keeper.write(zero_sized=[manifest_of(each, uid=True) for each in owned])
            run.tell(f"delete the {called}, which has no pod any more")
            delete_alone(run, path, source, any_version=journal.pair is not SETS)
        await_gone(run, path, f"the {called}")
    delete_replicasets(run, keeper.journal.zero_sized)


def check_empty(run: Run, keeper: Keeper, kind: Kind, live: Raw) -> None:
    """Raise ForeignScaleError where somebody has given a workload pods again.

    A set that has any would leave them to its twin, which deletes those that it has no place for (§6.2).
    """
    title, replicas = Workload(live, kind).title, dig(live, ("spec", "replicas"), 1)
    if replicas:
        raise ForeignScaleError(
            f"somebody else has scaled {title} to {replicas}: both workloads stay",
            hint="scale it to 0 and run it again, or go back with --rollback",
        )
    if keeper.journal.pair is SETS:
        mine = uid_of(live)
        run.until(
            lambda: True if all(owner_uid(pod) != mine for pod in list_pods(run, keeper.journal)) else None,
            f"the last pod of {title} to be gone",
        )


def restore_source(run: Run, keeper: Keeper) -> None:
    """Make the source again where it is gone, without pods; ReplicaSets before their Deployment, so that it takes them."""
    paths, journal = paths_of(run, keeper), keeper.journal
    called = journal.kind.called
    live = fetch(run, paths.source)
    if live is not None and deleting(live):
        await_gone(run, paths.source, f"the {called}")
    elif live is not None:
        return
    restore_replicasets(run, journal)
    manifest = journal.source_manifest
    body = keeping(manifest) if journal.pair is SETS else copy.deepcopy(manifest)
    body["spec"]["replicas"] = 0
    run.tell(f"create the {called} again, without pods yet")
    run.cluster.create(paths.sources, body)


def delete_target(run: Run, keeper: Keeper) -> None:
    """Delete the target, which has no pods, and wait until it is gone."""
    path, kind = paths_of(run, keeper).target, keeper.journal.target_kind
    if (target := fetch(run, path)) is not None:
        if not deleting(target):
            if kind in SETS:
                check_empty(run, keeper, kind, target)
            delete_alone(run, path, target, any_version=kind not in SETS)
        await_gone(run, path, f"the {kind.called}")


def paths_of(run: Run, keeper: Keeper) -> Paths:
    return Paths(run.namespace, keeper.journal)

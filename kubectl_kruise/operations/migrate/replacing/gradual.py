"""Move a Deployment's pods to a CloneSet a few at a time, new pods for old ones, and back (migration.md §6.1)."""

import copy
from dataclasses import replace
from typing import Final

from kubectl_kruise.engine.migration.journal import Phase
from kubectl_kruise.engine.migration.manifests import manifest_of
from kubectl_kruise.engine.migration.marks import mark_of
from kubectl_kruise.engine.migration.stages import Stage
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import Raw, deleting, dig, name_of, owner_uid, uid_of
from kubectl_kruise.operations.migrate.closing import close_books, delete_replicasets, restore_replicasets
from kubectl_kruise.operations.migrate.guards import delete_alone
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, await_gone, fetch, list_pods
from kubectl_kruise.operations.migrate.persisting import persist
from kubectl_kruise.operations.migrate.replacing.counting import count, replicasets_of
from kubectl_kruise.operations.migrate.replacing.freezing import SCALERS, freeze, thaw
from kubectl_kruise.operations.migrate.replacing.owning import check_source
from kubectl_kruise.operations.migrate.replacing.scaling import scale
from kubectl_kruise.operations.migrate.replacing.staging import (
    await_manager,
    create_target,
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


def surge(run: Run, keeper: Keeper) -> int:
    """Move the pods of the journal's Deployment to its CloneSet, from wherever this stands.

    Gives the fewest ready pods that were seen. Raises what `Surge.move` raises; a second call goes on from there.
    """
    moving = Surge(run, keeper)
    if keeper.journal.phase in MOVING:
        limits = limits_of(keeper.journal)
        persist(run, lambda: try_target(run, keeper))
        freeze(run, keeper, limits.total + limits.surge)
        persist(run, lambda: create_target(run, keeper, replicas=0))
        persist(run, lambda: await_manager(run, keeper))
        moving.move()
        settle(run, keeper)
        persist(run, lambda: keeper.write(phase=Phase.MOVED))
    finish(run, keeper)
    return moving.watched.lowest


def surge_back(run: Run, keeper: Keeper) -> int:
    """Move the pods back to the Deployment, which is made again where it is gone, and delete the CloneSet.

    Gives the fewest ready pods that were seen on the way back.
    """
    persist(run, lambda: keeper.write(phase=Phase.UNDOING))
    repeat_freeze(run, keeper)
    persist(run, lambda: restore_source(run, keeper))
    moving = Surge(run, keeper, backward=True)
    both = persist(run, lambda: count(run, keeper.journal))
    if both.kruise is not None:
        moving.move()
    elif both.native is not None and both.native.wanted < keeper.journal.replicas:
        persist(run, lambda: scale(run, paths_of(run, keeper).native, keeper.journal.replicas))
    undo_rewrites(run, keeper)
    persist(run, lambda: delete_target(run, keeper))
    return moving.watched.lowest


def settle(run: Run, keeper: Keeper) -> None:
    """Wait until the CloneSet is whole, then watch that its pods stay."""
    path, kind = paths_of(run, keeper).kruise, keeper.journal.pair.kruise
    live = persist(run, lambda: await_whole(run, path, kind))
    listed = persist(run, lambda: list_pods(run, keeper.journal))
    marks = [mark_of(pod) for pod in listed if owner_uid(pod) == uid_of(live) and active(pod)]
    persist(run, lambda: watch_settled(run, replace(keeper.journal, pods=marks), path, kind))


def finish(run: Run, keeper: Keeper) -> None:
    """Point references at the CloneSet, let autoscalers go on, delete the Deployment or keep it at 0: G5 and G6.

    Where only a part of the pods was to move, both workloads stay, and everything goes on naming the Deployment.
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
    persist(run, lambda: close_books(run, keeper))


def delete_source(run: Run, keeper: Keeper) -> None:
    """Delete the Deployment, which has no pods, and its ReplicaSets; all of them are noted before."""
    paths = paths_of(run, keeper)
    deployment = fetch(run, paths.native)
    if deployment is not None:
        if not deleting(deployment):
            check_source(keeper.journal, deployment)
            check_empty(deployment)
            owned = replicasets_of(run, keeper.journal, deployment)
            keeper.write(zero_sized=[manifest_of(each, uid=True) for each in owned])
            run.tell("delete the Deployment, which has no pod any more")
            delete_alone(run, paths.native, deployment, any_version=True)
        await_gone(run, paths.native, "the Deployment")
    delete_replicasets(run, keeper.journal.zero_sized)


def check_empty(deployment: Raw) -> None:
    """Raise ForeignScaleError where somebody has given the Deployment pods again."""
    if replicas := dig(deployment, ("spec", "replicas"), 1):
        raise ForeignScaleError(
            f"somebody else has scaled deployment {name_of(deployment)!r} to {replicas}: both workloads stay",
            hint="scale it to 0 and run it again, or go back with --rollback",
        )


def restore_source(run: Run, keeper: Keeper) -> None:
    """Make the Deployment again where it is gone, without pods; its ReplicaSets before it, so that it takes them."""
    paths = paths_of(run, keeper)
    live = fetch(run, paths.native)
    if live is not None and deleting(live):
        await_gone(run, paths.native, "the Deployment")
    elif live is not None:
        return
    restore_replicasets(run, keeper.journal)
    body = copy.deepcopy(keeper.journal.native_manifest)
    body["spec"]["replicas"] = 0
    run.tell("create the Deployment again, without pods yet")
    run.cluster.create(paths.natives, body)


def delete_target(run: Run, keeper: Keeper) -> None:
    """Delete the CloneSet, which has no pods, and wait until it is gone."""
    paths = paths_of(run, keeper)
    if (cloneset := fetch(run, paths.kruise)) is not None:
        if not deleting(cloneset):
            delete_alone(run, paths.kruise, cloneset, any_version=True)
        await_gone(run, paths.kruise, f"the {CLONESET.kind}")


def paths_of(run: Run, keeper: Keeper) -> Paths:
    return Paths(run.namespace, keeper.journal)

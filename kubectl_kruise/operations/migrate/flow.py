"""Whole migrations between Deployments and CloneSets: there, back, and undone from any point (migration.md §5)."""

import copy

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.journal import Journal, Phase
from kubectl_kruise.engine.migration.situation import (
    Adopting,
    Releasing,
    Situation,
    next_adopting,
    next_releasing,
)
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import CLONESET, REPLICASET
from kubectl_kruise.facts.names import MIGRATE_ID, MIGRATE_SOURCE
from kubectl_kruise.objects.raw import Raw, annotations_of, deleting, dig, name_of, uid_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.adopting import Adoption
from kubectl_kruise.operations.migrate.driving import drive
from kubectl_kruise.operations.migrate.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, fetch
from kubectl_kruise.operations.migrate.releasing import Release
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.settling import await_whole, watch_settled
from kubectl_kruise.operations.migrate.trouble import ChangedError, RecreatedError, TargetExistsError


def adopt(run: Run, keeper: Keeper) -> list[float]:
    """Hand the pods of the journal's Deployment to its CloneSet, from wherever this stands.

    Gives the seconds that each pod was without owner, as far as this run saw it. Raises what `drive` raises, and the errors of `trouble`; a second call goes on from there.
    """
    adoption = Adoption(run, keeper)

    def decide(now: Situation) -> Adopting:
        journal = keeper.journal
        check_ours(now, journal)
        return next_adopting(now, journal.pods, adoption.old)

    drive(run, keeper, decide, adoption.steps, end=Adopting.SETTLE)
    run.tell(str(Adopting.SETTLE))
    await_whole(run, keeper.journal)
    watch_settled(run, keeper.journal)
    _delete_zero_sized(run, keeper.journal)
    _close_books(run, keeper)
    return adoption.ownerless


def stage_only(run: Run, keeper: Keeper) -> None:
    """Create the CloneSet, locked and empty, and stop there: the Deployment stays in charge (§5.4)."""
    adoption = Adoption(run, keeper)

    def decide(now: Situation) -> Adopting:
        check_ours(now, keeper.journal)
        step = next_adopting(now, keeper.journal.pods, adoption.old)
        return step if step in (Adopting.CREATE_TARGET, Adopting.RELOCK) else Adopting.AWAIT_TARGET

    drive(run, keeper, decide, adoption.steps, end=Adopting.AWAIT_TARGET)


def release(run: Run, keeper: Keeper, deployment: Raw) -> list[float]:
    """Give the pods of the CloneSet to a Deployment of this manifest, from wherever this stands.

    Gives the seconds that each pod was without owner, as far as this run saw it.
    """
    errand = Release(run, keeper, deployment)

    def decide(now: Situation) -> Releasing:
        return next_releasing(now, errand.template_hash, paused=errand.paused)

    drive(run, keeper, decide, errand.steps, end=Releasing.DONE)
    return errand.ownerless


def roll_back(run: Run, keeper: Keeper) -> None:
    """Undo a migration from any point; the journal goes with it.

    Raises ChangedError where the target has been updated since, for then its pods are no longer those of the source.
    """
    journal = keeper.journal
    keeper.write(phase=Phase.UNDOING)
    if journal.forward:
        _check_unchanged(run, journal)
        release(run, keeper, journal.source_manifest)
        _restore_zero_sized(run, journal)
    else:
        adopt(run, keeper)
    keeper.remove()


def check_ours(now: Situation, journal: Journal) -> None:
    """Raise where the objects are not those of this migration: a target of others, a source made again."""
    cloneset, deployment = now.cloneset, now.deployment
    if not journal.forward:
        return
    if cloneset is not None and not _made_by(cloneset, journal):
        raise TargetExistsError(
            f'cloneset "{name_of(cloneset)}" exists already, and is not of this migration'
        )
    if deployment is not None and not deleting(deployment) and uid_of(deployment) != journal.source.uid:
        raise RecreatedError(
            f'somebody has made deployment "{name_of(deployment)}" again: no pod was lost',
            hint="stop whoever did it (GitOps, Helm), delete it with --cascade=orphan, run it again",
        )


def _made_by(cloneset: Raw, journal: Journal) -> bool:
    annotations = annotations_of(cloneset)
    return annotations.get(MIGRATE_ID) == journal.id or annotations.get(MIGRATE_SOURCE, "").endswith(
        f"/{journal.source.uid}"
    )


def _check_unchanged(run: Run, journal: Journal) -> None:
    cloneset = fetch(run, Paths(run.namespace, journal).cloneset)
    template = ("spec", "template")
    if cloneset is not None and dig(cloneset, template) != dig(journal.target_manifest, template):
        raise ChangedError(
            f"{Workload(cloneset, CLONESET).title} has been updated since the migration: its pods are not those of the"
            " old Deployment any more",
            hint=f"kubectl kruise migrate cloneset/{name_of(cloneset)} --to deployment",
        )


def _delete_zero_sized(run: Run, journal: Journal) -> None:
    """Delete the ReplicaSets of older revisions, which own nothing: D16."""
    for manifest in journal.zero_sized:
        options = {"preconditions": {"uid": uid_of(manifest)}, "propagationPolicy": "Orphan"}
        try:
            run.cluster.delete(REPLICASET.path(run.namespace, name_of(manifest)), options=options)
        except NotFoundError:
            continue


def _restore_zero_sized(run: Run, journal: Journal) -> None:
    for manifest in journal.zero_sized:
        path = REPLICASET.path(run.namespace, name_of(manifest))
        if fetch(run, path) is None:
            body = copy.deepcopy(manifest)
            body["metadata"].pop("uid", None)
            run.cluster.create(REPLICASET.path(run.namespace), body)


def _close_books(run: Run, keeper: Keeper) -> None:
    """Take the book-keeping off the CloneSet, but for where it came from: D17."""
    path = Paths(run.namespace, keeper.journal).cloneset
    live = run.cluster.get(path)
    if MIGRATE_ID in annotations_of(live):
        patch = Patch(PatchType.MERGE, {"metadata": {"annotations": {MIGRATE_ID: None}}})
        run.cluster.patch(path, patch)
    keeper.write(phase=Phase.DONE)

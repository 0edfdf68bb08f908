"""Whole migrations between Deployments and CloneSets: there, back, and undone from any point (migration.md §5)."""

from kubectl_kruise.engine.migration.journal import Journal, Mode, Phase
from kubectl_kruise.engine.migration.situation import (
    Adopting,
    Releasing,
    Situation,
    crowded,
    next_adopting,
    next_releasing,
)
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.names import MIGRATE_ID, MIGRATE_SOURCE, TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    deleting,
    dig,
    labels_of,
    name_of,
    owner_uid,
    uid_of,
)
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.closing import close_books, delete_replicasets, restore_replicasets
from kubectl_kruise.operations.migrate.handover.adopting import Adoption
from kubectl_kruise.operations.migrate.handover.driving import drive
from kubectl_kruise.operations.migrate.handover.releasing import Release
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, fetch, heirs_of
from kubectl_kruise.operations.migrate.persisting import persist
from kubectl_kruise.operations.migrate.replacing.gradual import surge_back
from kubectl_kruise.operations.migrate.replacing.recreating import recreate_back
from kubectl_kruise.operations.migrate.rewriting import follow, undo_rewrites
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.settling import await_whole, watch_settled
from kubectl_kruise.operations.migrate.trouble import ChangedError, RecreatedError, TargetExistsError


def adopt(run: Run, keeper: Keeper) -> list[float]:
    """Hand the pods of the journal's Deployment to its CloneSet, from wherever this stands.

    Gives the seconds that each pod was without owner, as far as this run saw it. Raises what `drive` raises, and the
    errors of `trouble`; a second call goes on from there.
    """
    adoption = Adoption(run, keeper)

    def decide(now: Situation) -> Adopting:
        journal = keeper.journal
        check_ours(now, journal)
        return next_adopting(now, adoption.heirs)

    drive(run, keeper, decide, adoption.steps, end=Adopting.SETTLE)
    run.tell(str(Adopting.SETTLE))
    persist(run, lambda: await_whole(run, keeper.journal))
    persist(run, lambda: watch_settled(run, keeper.journal))
    persist(run, lambda: delete_replicasets(run, keeper.journal.zero_sized))
    if keeper.journal.forward:
        persist(run, lambda: follow(run, keeper, keeper.journal.options.get("rewrite_refs", ())))
    persist(run, lambda: close_books(run, keeper))
    return adoption.ownerless


def stage_only(run: Run, keeper: Keeper) -> None:
    """Create the CloneSet, locked and empty, and stop there: the Deployment stays in charge (§5.4)."""
    adoption = Adoption(run, keeper)

    def decide(now: Situation) -> Adopting:
        check_ours(now, keeper.journal)
        step = next_adopting(now, adoption.heirs)
        return step if step in (Adopting.CREATE_TARGET, Adopting.RELOCK) else Adopting.AWAIT_TARGET

    drive(run, keeper, decide, adoption.steps, end=Adopting.AWAIT_TARGET)


def next_step(now: Situation, journal: Journal) -> Adopting | Releasing:
    """Give the step that is due in the direction in which a migration goes at present."""
    if journal.forward != (journal.phase is Phase.UNDOING):
        return next_adopting(now, heirs_of(journal))
    template_hash = labels_of(journal.replicaset).get(TEMPLATE_HASH_LABEL, "")
    paused = bool(dig(journal.native_manifest, ("spec", "paused")))
    return next_releasing(now, template_hash, paused=paused)


def release(run: Run, keeper: Keeper, deployment: Raw) -> list[float]:
    """Give the pods of the CloneSet to a Deployment of this manifest, from wherever this stands.

    Gives the seconds that each pod was without owner, as far as this run saw it.
    """
    errand = Release(run, keeper, deployment)

    def decide(now: Situation) -> Releasing:
        if crowded(now, errand.template_hash) and uid_of(now.deployment or {}) != keeper.journal.source.uid:
            raise _made_again(now, keeper.journal)
        return next_releasing(now, errand.template_hash, paused=errand.paused)

    drive(run, keeper, decide, errand.steps, end=Releasing.DONE)
    if not keeper.journal.forward:
        persist(run, lambda: follow(run, keeper, keeper.journal.options.get("rewrite_refs", ())))
    return errand.ownerless


def roll_back(run: Run, keeper: Keeper) -> None:
    """Undo a migration from any point; the journal goes with it.

    Raises ChangedError where the target has been updated since, for then its pods are no longer those of the source.
    """
    journal = keeper.journal
    if journal.forward:
        persist(run, lambda: _check_unchanged(run, journal))
    persist(run, lambda: keeper.write(phase=Phase.UNDOING))
    if journal.mode is Mode.SURGE:
        surge_back(run, keeper)
    elif journal.mode is Mode.RECREATE:
        recreate_back(run, keeper)
    elif journal.forward:
        # Nothing may scale the CloneSet while its pods leave: autoscalers wait for the Deployment instead.
        undo_rewrites(run, keeper)
        release(run, keeper, journal.source_manifest)
        persist(run, lambda: restore_replicasets(run, journal))
    else:
        # And nothing may scale it before all of them are there.
        adopt(run, keeper)
        undo_rewrites(run, keeper)
    persist(run, keeper.remove)


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
        raise _made_again(now, journal)


def _made_again(now: Situation, journal: Journal) -> RecreatedError:
    """Tell how to get rid of the Deployment: it must not take pods along that were there before it."""
    mine = {"", uid_of(now.cloneset or {})}
    took = not journal.pods or any(owner_uid(pod) not in mine for pod in now.of(journal.pods))
    name = name_of(now.deployment or {})
    command = f"kubectl delete deployment {name}" + (" --cascade=orphan" if took else "")
    return RecreatedError(
        f'somebody has made deployment "{name}" again: no pod was lost',
        hint=f"stop whoever did it (GitOps, Helm); then {command}, and run it again",
    )


def _made_by(cloneset: Raw, journal: Journal) -> bool:
    annotations = annotations_of(cloneset)
    return annotations.get(MIGRATE_ID) == journal.id or annotations.get(MIGRATE_SOURCE, "").endswith(
        f"/{journal.source.uid}"
    )


def _check_unchanged(run: Run, journal: Journal) -> None:
    cloneset = fetch(run, Paths(run.namespace, journal).kruise)
    template = ("spec", "template")
    if cloneset is not None and dig(cloneset, template) != dig(journal.target_manifest, template):
        raise ChangedError(
            f"{Workload(cloneset, CLONESET).title} has been updated since the migration: its pods are not those of the"
            " old Deployment any more",
            hint=f"kubectl kruise migrate cloneset/{name_of(cloneset)} --to deployment",
        )

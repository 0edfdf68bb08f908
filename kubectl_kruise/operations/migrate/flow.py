"""Whole migrations: there, back, and undone from any point (migration.md §5)."""

from typing import NamedTuple

from kubectl_kruise.engine.migration.journal import Journal, Mode, Phase
from kubectl_kruise.engine.migration.pairs import SETS
from kubectl_kruise.engine.migration.sets import Handing, next_handing, same_template
from kubectl_kruise.engine.migration.situation import (
    Adopting,
    Releasing,
    Situation,
    crowded,
    next_adopting,
    next_releasing,
)
from kubectl_kruise.engine.migration.stages import Counts, counts_of, counts_of_sets
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.names import TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.raw import (
    Raw,
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
from kubectl_kruise.operations.migrate.handover.driving import Course, drive
from kubectl_kruise.operations.migrate.handover.releasing import Release
from kubectl_kruise.operations.migrate.handover.sets import SetHandover
from kubectl_kruise.operations.migrate.handover.targets import made_by
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, fetch, heirs_of, look
from kubectl_kruise.operations.migrate.passing import pass_on
from kubectl_kruise.operations.migrate.persisting import persist
from kubectl_kruise.operations.migrate.replacing.gradual import move_back
from kubectl_kruise.operations.migrate.replacing.recreating import recreate_back
from kubectl_kruise.operations.migrate.rewriting import follow, undo_rewrites
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.settling import await_whole, watch_settled
from kubectl_kruise.operations.migrate.trouble import ChangedError, RecreatedError, TargetExistsError


def adopt(run: Run, keeper: Keeper) -> list[float]:
    """Hand the pods of the journal's native workload to that of Kruise, from wherever this stands.

    Gives the seconds that each pod was without owner, as far as this run saw it. Raises what `drive` raises, and the
    errors of `trouble`; a second call goes on from there.
    """
    journal = keeper.journal
    if journal.pair is SETS:
        ownerless = pass_on(run, keeper, to_kruise=True)
    else:
        ownerless = _adopt_from_deployment(run, keeper)
    if journal.forward:
        persist(run, lambda: follow(run, keeper, journal.options.get("rewrite_refs", ())))
    persist(run, lambda: close_books(run, keeper))
    return ownerless


def release(run: Run, keeper: Keeper, native: Raw) -> list[float]:
    """Give the pods of the workload of Kruise to a native one of this manifest, from wherever this stands.

    Gives the seconds that each pod was without owner, as far as this run saw it.
    """
    journal = keeper.journal
    if journal.pair is SETS:
        ownerless = pass_on(run, keeper, to_kruise=False)
    else:
        errand = Release(run, keeper, native)
        drive(run, _releasing(run, keeper, errand))
        ownerless = errand.ownerless
    if not journal.forward:
        persist(run, lambda: follow(run, keeper, journal.options.get("rewrite_refs", ())))
    return ownerless


def stage_only(run: Run, keeper: Keeper) -> None:
    """Create the CloneSet, locked and empty, and stop there: the Deployment stays in charge (§5.4)."""
    course = _adopting(run, keeper, Adoption(run, keeper))

    def decide(now: Situation) -> Adopting:
        step = course.decide(now)
        return step if step in (Adopting.CREATE_TARGET, Adopting.RELOCK) else Adopting.AWAIT_TARGET

    drive(run, course._replace(decide=decide, end=Adopting.AWAIT_TARGET))


class Standing(NamedTuple):
    """The step that is due in the direction in which a migration goes at present, and what can be counted."""

    step: Adopting | Releasing | Handing
    counts: Counts


def standing(run: Run, keeper: Keeper) -> Standing:
    """Read how far a migration is that hands pods over."""
    journal = keeper.journal
    to_kruise = journal.forward != (journal.phase is Phase.UNDOING)
    if journal.pair is SETS:
        sets = SetHandover(run, keeper, to_kruise=to_kruise)
        both = sets.look()
        return Standing(next_handing(both, sets.aim), counts_of_sets(both, journal))
    now = look(run, journal)
    step: Adopting | Releasing
    if to_kruise:
        step = next_adopting(now, heirs_of(journal))
    else:
        template_hash = labels_of(journal.replicaset).get(TEMPLATE_HASH_LABEL, "")
        paused = bool(dig(journal.native_manifest, ("spec", "paused")))
        step = next_releasing(now, template_hash, paused=paused)
    return Standing(step, counts_of(step, now, journal))


def _adopt_from_deployment(run: Run, keeper: Keeper) -> list[float]:
    adoption = Adoption(run, keeper)
    drive(run, _adopting(run, keeper, adoption))
    run.tell(str(Adopting.SETTLE))
    path = Paths(run.namespace, keeper.journal).kruise
    unready = bool(keeper.journal.options.get("allow_unready"))
    persist(run, lambda: await_whole(run, path, CLONESET, unready=unready))
    persist(run, lambda: watch_settled(run, keeper.journal, path, CLONESET))
    persist(run, lambda: delete_replicasets(run, keeper.journal.zero_sized))
    return adoption.ownerless


def _adopting(run: Run, keeper: Keeper, errand: Adoption) -> Course[Situation, Adopting]:
    def decide(now: Situation) -> Adopting:
        check_ours(now, keeper.journal)
        return next_adopting(now, errand.heirs)

    return Course(
        lambda: look(run, keeper.journal),
        decide,
        lambda step, now: counts_of(step, now, keeper.journal),
        errand.steps,
        Adopting.SETTLE,
    )


def _releasing(run: Run, keeper: Keeper, errand: Release) -> Course[Situation, Releasing]:
    def decide(now: Situation) -> Releasing:
        if crowded(now, errand.template_hash) and uid_of(now.deployment or {}) != keeper.journal.source.uid:
            raise _made_again(now, keeper.journal)
        step = next_releasing(now, errand.template_hash, paused=errand.paused)
        return Releasing.RELEASE_PODS if step is Releasing.AWAIT_LOCK and errand.unwatched else step

    return Course(
        lambda: look(run, keeper.journal),
        decide,
        lambda step, now: counts_of(step, now, keeper.journal),
        errand.steps,
        Releasing.DONE,
    )


def roll_back(run: Run, keeper: Keeper) -> list[float]:
    """Undo a migration from any point; the journal goes with it.

    Gives the seconds that each pod was without owner, as far as this run saw it.
    Raises ChangedError where the target has been updated since, for then its pods are no longer those of the source.
    """
    journal = keeper.journal
    ownerless: list[float] = []
    if journal.forward:
        persist(run, lambda: _check_unchanged(run, journal))
    persist(run, lambda: keeper.write(phase=Phase.UNDOING))
    if journal.mode in (Mode.SURGE, Mode.HANDOVER):
        move_back(run, keeper)
    elif journal.mode is Mode.RECREATE:
        recreate_back(run, keeper)
    elif journal.forward:
        # Nothing may scale the CloneSet while its pods leave: autoscalers wait for the Deployment instead.
        undo_rewrites(run, keeper)
        ownerless = release(run, keeper, journal.source_manifest)
        persist(run, lambda: restore_replicasets(run, journal))
    else:
        # And nothing may scale it before all of them are there.
        ownerless = adopt(run, keeper)
        undo_rewrites(run, keeper)
    persist(run, keeper.remove)
    return ownerless


def check_ours(now: Situation, journal: Journal) -> None:
    """Raise where the objects are not those of this migration: a target of others, a source made again."""
    cloneset, deployment = now.cloneset, now.deployment
    if not journal.forward:
        return
    if cloneset is not None and not made_by(cloneset, journal):
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


def _check_unchanged(run: Run, journal: Journal) -> None:
    kind = journal.pair.kruise
    live = fetch(run, Paths(run.namespace, journal).kruise)
    if live is not None and not same_template(live, journal.target_manifest):
        workload = Workload(live, kind)
        raise ChangedError(
            f"{workload.title} has been updated since the migration: its pods are not those of the old"
            f" {journal.pair.native.kind} any more",
            hint=f"kubectl kruise migrate {workload.reference} --to {journal.pair.native.singular}",
        )

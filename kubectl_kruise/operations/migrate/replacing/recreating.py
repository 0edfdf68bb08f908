"""Stop every pod of a workload, then start as many of its twin: never two generations at a time (migration.md §7)."""

from kubectl_kruise.engine.migration.journal import Phase
from kubectl_kruise.engine.migration.pairs import SETS
from kubectl_kruise.engine.migration.stages import Stage
from kubectl_kruise.errors import KruiseError, StoppedError, TimedOutError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.pod import finished
from kubectl_kruise.objects.raw import dig
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import fetch
from kubectl_kruise.operations.migrate.persisting import persist, unknown_outcome
from kubectl_kruise.operations.migrate.replacing.claims import keep_claims, let_claims_go
from kubectl_kruise.operations.migrate.replacing.counting import count
from kubectl_kruise.operations.migrate.replacing.freezing import freeze
from kubectl_kruise.operations.migrate.replacing.gradual import (
    MOVING,
    delete_target,
    finish,
    paths_of,
    restore_source,
    settle,
)
from kubectl_kruise.operations.migrate.replacing.scaling import scale
from kubectl_kruise.operations.migrate.replacing.staging import await_manager, create_target, try_target
from kubectl_kruise.operations.migrate.rewriting import repeat_freeze, undo_rewrites
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import ForeignScaleError


def recreate(run: Run, keeper: Keeper) -> None:
    """Replace the pods of the journal's source by those of its target, from wherever this stands.

    Where the new pods cannot be had, the source gets its own back and the failure is raised; no journal is left.
    """
    if keeper.journal.phase in MOVING:
        persist(run, lambda: try_target(run, keeper))
        freeze(run, keeper, keeper.journal.replicas)
        persist(run, lambda: keep_claims(run, keeper, paths_of(run, keeper).source))
        try:
            stop_source(run, keeper)
            start_target(run, keeper)
        except KruiseError as error:
            if unknown_outcome(error) or isinstance(error, StoppedError):
                raise  # it can be resumed
            run.tell(f"{error.line()}: the {keeper.journal.kind.called} gets its pods back")
            recreate_back(run, keeper)
            persist(run, keeper.remove)
            raise
        persist(run, lambda: keeper.write(phase=Phase.MOVED))
    finish(run, keeper)


def recreate_back(run: Run, keeper: Keeper) -> None:
    """Stop every pod of the target, delete it, and let the source have as many pods as it had."""
    persist(run, lambda: keeper.write(phase=Phase.UNDOING))
    repeat_freeze(run, keeper)
    paths = paths_of(run, keeper)
    persist(run, lambda: keep_claims(run, keeper, paths.target))
    stop(run, keeper, keeper.journal.target_kind)
    persist(run, lambda: delete_target(run, keeper))
    persist(run, lambda: restore_source(run, keeper))
    persist(run, lambda: scale(run, paths.source, keeper.journal.replicas))
    undo_rewrites(run, keeper)
    await_source(run, keeper)
    persist(run, lambda: let_claims_go(run, keeper, back=True))


def await_source(run: Run, keeper: Keeper) -> None:
    """Wait until the source serves again; one that does not is told of, for nothing is left to undo."""

    def serves() -> bool | None:
        side = persist(run, lambda: count(run, keeper.journal)).of(keeper.journal.kind)
        return True if side is None or side.available >= side.wanted else None

    try:
        run.until(serves, f"the pods of the {keeper.journal.kind.called} to be available")
    except TimedOutError as error:
        run.tell(error.line())


def stop_source(run: Run, keeper: Keeper) -> None:
    """Let the source have no pods, and wait until the last one has ended; skipped where the target has begun."""
    run.seen(Stage.STOP_SOURCE, None)
    target = persist(run, lambda: fetch(run, paths_of(run, keeper).target))
    if target is None or not dig(target, ("spec", "replicas"), 1):
        stop(run, keeper, keeper.journal.kind)


def start_target(run: Run, keeper: Keeper) -> None:
    """Create the target with all pods, and wait until they are available and stay."""
    run.seen(Stage.START_TARGET, None)
    persist(run, lambda: create_target(run, keeper, replicas=keeper.journal.replicas))
    persist(run, lambda: await_manager(run, keeper))
    settle(run, keeper)


def stop(run: Run, keeper: Keeper, kind: Kind) -> None:
    """Scale one of the two to 0 and wait until none of its pods runs any more; of a set, until none exists.

    Raises ForeignScaleError where somebody else gives it pods again.
    """
    paths, word = paths_of(run, keeper), kind.word
    path = paths.native if kind.native else paths.kruise
    if persist(run, lambda: fetch(run, path)) is None:
        return
    run.tell(f"stop every pod of the {word}")
    persist(run, lambda: scale(run, path, 0))

    def ended() -> bool | None:
        both = persist(run, lambda: count(run, keeper.journal))
        side = both.of(kind)
        if side is None:
            return True
        if side.wanted:
            raise ForeignScaleError(
                f"somebody else has scaled {side.workload.title} to {side.wanted} while it was being stopped",
                hint="stop whoever did it and run it again",
            )
        # The pods of a set bear the names that those of its twin need, whether or not they still run.
        return None if any(kind in SETS or not finished(pod) for pod in side.pods) else True

    run.until(ended, f"the pods of the {word} to end")

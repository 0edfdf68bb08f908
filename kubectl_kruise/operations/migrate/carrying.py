"""One migration of whichever mode and direction: begun, carried out from wherever it stands, undone (migration.md §5 to §7)."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kubectl_kruise.engine.migration.journal import Mode, Phase
from kubectl_kruise.engine.migration.pairs import SETS
from kubectl_kruise.engine.migration.stages import Stage
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.outlook import Preflight, Wish
from kubectl_kruise.operations.migrate.before.preflight import limits_for
from kubectl_kruise.operations.migrate.before.surveying import survey
from kubectl_kruise.operations.migrate.flow import adopt, release, stage_only
from kubectl_kruise.operations.migrate.journal.beginning import (
    begin_adoption,
    begin_between_sets,
    begin_gradually,
    begin_release,
)
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.journal.storing import USUAL, Filing
from kubectl_kruise.operations.migrate.persisting import persist
from kubectl_kruise.operations.migrate.replacing.gradual import move_over
from kubectl_kruise.operations.migrate.replacing.recreating import recreate
from kubectl_kruise.operations.migrate.replacing.staging import create_target, try_target
from kubectl_kruise.operations.migrate.run import Run


class Ended(NamedTuple):
    """What only the run itself knows: seconds that each pod had no owner, and the fewest ready pods of a surge."""

    ownerless: Sequence[float] = ()
    lowest: int | None = None


def begin(
    run: Run, ahead: Preflight, mode: Mode, options: Mapping[str, Any], *, filing: Filing = USUAL
) -> Keeper:
    """Write the journal of a migration that has been looked at; the first write of all."""
    source, target = ahead.source, ahead.conversion.obj
    noted = {**options, **ahead.options}
    if source.kind in SETS:
        return begin_between_sets(run, source.raw, target, noted, mode, filing=filing)
    if source.kind is CLONESET:
        return begin_release(run, source.raw, target, noted, filing=filing)
    if mode is Mode.ADOPT:
        return begin_adoption(run, source.raw, target, noted, filing=filing)
    return begin_gradually(run, mode, source.raw, target, noted, filing=filing)


def adjust(run: Run, keeper: Keeper, options: Mapping[str, Any], pace: Wish | None) -> None:
    """Let a migration that has been begun go on with the options given now; `pace` has new limits of a surge.

    Raises UsageError where nothing could move with them.
    """
    journal = keeper.journal
    changed = dict(options)
    if pace is not None and journal.mode is Mode.SURGE:
        limits = limits_for(Workload(journal.source_manifest, DEPLOYMENT), pace, survey(run))
        changed |= {"surge": limits.surge, "unavailable": limits.unavailable}
    keeper.write(options={**journal.options, **changed})


def carry_out(run: Run, keeper: Keeper) -> Ended:
    """Do what is left of a migration. Raises what its mode raises; a second call goes on from there."""
    journal = keeper.journal
    if journal.mode in (Mode.SURGE, Mode.HANDOVER):
        return Ended(lowest=move_over(run, keeper))
    if journal.mode is Mode.RECREATE:
        recreate(run, keeper)
        return Ended()
    if not journal.forward:
        ownerless = release(run, keeper, journal.target_manifest)
        keeper.write(phase=Phase.DONE)
        return Ended(ownerless)
    return Ended(adopt(run, keeper))


def only_create(run: Run, keeper: Keeper, replicas: int) -> None:
    """Create the CloneSet and stop: locked where pods are to be adopted, else with `replicas` pods of its own."""
    run.seen(Stage.CREATE_TARGET, None)
    if keeper.journal.mode is Mode.ADOPT:
        stage_only(run, keeper)
        return
    persist(run, lambda: try_target(run, keeper))
    counters = {**keeper.journal.counters, "cloneset": replicas, "cloneset_before": 0}
    keeper.write(counters=counters)
    persist(run, lambda: create_target(run, keeper, replicas=replicas))

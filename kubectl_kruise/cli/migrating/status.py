"""`migrate --status`: how far a migration is, from its journal and from what is there, and what to run next."""

from collections.abc import Sequence
from typing import NamedTuple

from kubectl_kruise import __version__
from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.migrating.errand import Errand
from kubectl_kruise.cli.migrating.order import Order
from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.migration.journal import Journal, Mode, Phase
from kubectl_kruise.engine.migration.stages import Counts, Stage, stage_of
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.operations.migrate.flow import standing
from kubectl_kruise.operations.migrate.replacing.counting import count
from kubectl_kruise.render.machine import to_json, to_yaml
from kubectl_kruise.render.records import to_line
from kubectl_kruise.views.migration.record import StageState, list_record, status_record
from kubectl_kruise.views.migration.status import status_lines
from kubectl_kruise.views.migration.steps import steps_of
from kubectl_kruise.views.status.record import version_record


class Standing(NamedTuple):
    """Where one migration stands: the stage that is due, the sentence of its step, and counts."""

    stage: Stage | None
    step: str
    counts: Counts | None


def show_status(session: Session, targets: Sequence[Target], order: Order) -> int:
    """Print how far each migration is; raises NotFoundError where one was never begun."""
    records = []
    if order.how.output == "jsonl":
        session.show(to_line(version_record(__version__)) + "\n")
    for at, target in enumerate(targets):
        errand = Errand(session, target, order)
        errand.prepare()
        journal = errand.journal
        assert journal is not None  # noqa: S101 - prepared for its status
        standing = _standing(errand, journal)
        record = _record(errand, journal, standing)
        records.append(record)
        if order.how.output == "jsonl":
            session.show(to_line(record) + "\n")
        elif order.how.output == "name":
            session.say(errand.keeper.title if errand.keeper else "")
        elif not order.how.output:
            if at:
                session.say("")
            for line in status_lines(record, standing.step):
                session.say(line)
    if order.how.output in ("json", "yaml"):
        document = records[0] if len(records) == 1 else list_record("MigrationStatus", records)
        session.show(to_json(document) if order.how.output == "json" else to_yaml(document))
    return 0


def _standing(errand: Errand, journal: Journal) -> Standing:
    if journal.phase is Phase.DONE:
        return Standing(None, "done", None)
    run = errand.run()
    if journal.mode is Mode.ADOPT:
        assert errand.keeper is not None  # noqa: S101 - prepared for its status
        found = standing(run, errand.keeper)
        return Standing(stage_of(found.step), str(found.step), found.counts)
    both = count(run, journal)
    target = both.of(journal.target_kind)
    moved = target.available if target else 0
    counts = Counts(min(moved, journal.replicas), journal.replicas, both.ready)
    if journal.phase is Phase.MOVED:
        return Standing(Stage.DELETE_SOURCE, "finish: references, then the source", counts)
    gradual = journal.mode is not Mode.RECREATE
    if target is None:
        stage = Stage.CREATE_TARGET if gradual else Stage.STOP_SOURCE
        return Standing(stage, f"create the {journal.target_kind.called}", counts)
    stage = Stage.MOVE_PODS if gradual else Stage.START_TARGET
    return Standing(stage, "move the pods", counts)


def _record(errand: Errand, journal: Journal, standing: Standing) -> Raw:
    order, target = errand.order, errand.target
    done = journal.phase is Phase.DONE
    following = {
        Phase.DONE: errand.cleanup,
        Phase.UNDOING: order.again(target, "--rollback"),
    }.get(journal.phase, order.again(target, "--resume"))
    lowest = journal.counters.get("lowest")
    outcome = {Phase.DONE: "migrated", Phase.UNDOING: "undoing"}.get(journal.phase, "running")
    return status_record(
        target.namespace,
        journal,
        outcome,
        _states(errand, journal, standing),
        standing.counts,
        errand.pods(lowest=lowest) if not done else errand.pods_of_journal(lowest),
        {"undo": order.again(target, "--rollback"), "next": following},
    )


def _states(errand: Errand, journal: Journal, standing: Standing) -> list[StageState]:
    """Give how far each step is; while a migration is undone its own steps say nothing."""
    steps = steps_of(errand.outline())
    reached = [at for at, step in enumerate(steps) if step.stage is standing.stage]
    at_most = len(steps) if journal.phase is Phase.DONE else (reached or [0])[0]
    times = _times(journal, len(steps))
    states = []
    for at, step in enumerate(steps):
        began, ended = (
            times[at],
            times[at + 1] if at + 1 < len(times) else journal.phases.get(Phase.DONE.value, ""),
        )
        state = "done" if at < at_most else "running" if at == at_most else "pending"
        states.append(
            StageState(
                step.stage, state, began if state != "pending" else "", ended if state == "done" else ""
            )
        )
    return states


def _times(journal: Journal, steps: int) -> list[str]:
    """Give when each step began, as far as the journal says: it notes phases, and each opens one step."""
    opens = {
        0: journal.started_at,
        1: journal.phases.get(Phase.ARMED.value, ""),
        3: journal.phases.get(Phase.MOVED.value, ""),
    }
    return [opens.get(at, "") for at in range(steps)]

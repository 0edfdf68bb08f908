"""Migrate workloads: show what will happen, ask once, do it some at a time, tell how each ended."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.migrating.asking import confirm
from kubectl_kruise.cli.migrating.errand import Doing, Errand, prepare_all
from kubectl_kruise.cli.migrating.order import Order, check_direction
from kubectl_kruise.cli.migrating.planning import show_plans
from kubectl_kruise.cli.migrating.progress import Progress
from kubectl_kruise.cli.migrating.stopping import Stop, listening
from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.errors import KruiseError, StoppedError
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.operations.migrate.carrying import Ended
from kubectl_kruise.render.machine import to_json, to_yaml
from kubectl_kruise.render.records import to_line
from kubectl_kruise.views.migration.record import failure_record, list_record
from kubectl_kruise.views.migration.report import Pods, Row, report_lines, table_lines

_GRAVITY: Final = (0, 8, 3, 4, 5, 6, 7, 124, 1)
"""Exit codes, the worst last; what is not here is worse than all of it."""


class Result(NamedTuple):
    """How one errand ended; `outcome` is `migrated`, `rolled back`, `created`, `unchanged`, `refused`, `stopped` or `failed`."""

    errand: Errand
    outcome: str
    pods: Pods = Pods()
    seconds: float = 0.0
    error: KruiseError | None = None
    record: Raw | None = None


def migrate_all(session: Session, targets: Sequence[Target], order: Order) -> int:
    """Migrate, resume or undo each workload, or only plan it; gives the worst exit code.

    Raises the failure itself where there is one workload alone.
    """
    for target in targets:
        check_direction(order, target)
    errands = [Errand(session, target, order) for target in targets]
    failed = prepare_all(errands)
    show_plans(session, [errand for errand in errands if errand not in failed], order)
    for errand in errands:
        if errand not in failed:
            try:
                errand.check()
            except KruiseError as error:
                failed[errand] = error
    if len(errands) == 1 and failed:
        raise failed[errands[0]]
    if order.dry:
        return _tell_failures(session, failed)
    confirm(session, [errand for errand in errands if errand not in failed], yes=order.how.yes)
    with listening() as stop:
        results = _carry_out_all(errands, failed, stop, order)
    return _tell(session, results, order)


def _carry_out_all(
    errands: Sequence[Errand], failed: dict[Errand, KruiseError], stop: Stop, order: Order
) -> list[Result]:
    live = len(errands) == 1

    def one(errand: Errand) -> Result:
        if errand in failed:
            return Result(errand, "refused", error=failed[errand])
        return _carry_out(errand, stop, live=live)

    if order.how.concurrency == 1 or live:
        return [one(errand) for errand in errands]
    with ThreadPoolExecutor(min(order.how.concurrency, len(errands))) as pool:
        return list(pool.map(one, errands))


def _carry_out(errand: Errand, stop: Stop, *, live: bool) -> Result:
    if errand.doing is Doing.NOTHING:
        return Result(errand, "unchanged", errand.pods())
    clock = errand.session.clock
    began = clock.monotonic()
    progress = Progress(errand, stop, live=live)
    try:
        stop.check()
        ended = errand.carry_out(progress.watcher)
    except KruiseError as error:
        stopped = isinstance(error, StoppedError)
        record = progress.record("stopped" if stopped else "failed", failed=True) if errand.keeper else None
        return Result(
            errand,
            "stopped" if stopped else "failed",
            _pods(errand, Ended(), progress),
            clock.monotonic() - began,
            error,
            record,
        )
    finally:
        progress.close()
    outcome = _outcome(errand)
    record = progress.record(outcome, ended=True) if errand.journal else None
    return Result(errand, outcome, _pods(errand, ended, progress), clock.monotonic() - began, None, record)


def _pods(errand: Errand, ended: Ended, progress: Progress) -> Pods:
    try:
        return errand.pods(ended, progress.lowest)
    except KruiseError:  # a server that has gone away has the last word already
        return errand.pods_of_journal(progress.lowest)


def _outcome(errand: Errand) -> str:
    if errand.doing is Doing.UNDO:
        return "rolled back"
    return "created" if errand.creates is not None else "migrated"


def _tell(session: Session, results: Sequence[Result], order: Order) -> int:
    """Print how each ended, and give the worst exit code; one that failed alone is raised."""
    if not order.talks:
        _tell_programs(session, results, order)
    for result in results:
        if result.error is not None:
            _tell_way_on(session, result)
    if len(results) == 1:
        return _tell_one(session, results[0], order)
    for result in results:
        if result.error is not None:
            session.complain(result.error)
    if order.how.output == "":
        rows = [_row(result) for result in results]
        for line in table_lines(rows):
            session.say(line)
    elif order.how.output == "name":
        for result in results:
            if result.error is None:
                session.say(_made(result))
    return worst([result.error.exit_code if result.error else 0 for result in results])


def _tell_one(session: Session, result: Result, order: Order) -> int:
    errand = result.errand
    if result.error is not None:
        raise result.error
    if not order.talks:
        return 0
    if order.how.output == "name":
        session.say(_made(result))
        return 0
    display = errand.target.display
    if result.outcome == "migrated":
        session.say(f"{display} migrated to {errand.successor_display}")
    elif result.outcome == "created":
        session.say(f"{errand.successor_display} created for {display}")
        session.note(f"to go on: {order.again(errand.target, '--resume')}")
    elif result.outcome == "unchanged":
        session.say(f"{display} unchanged")
        session.note(f"it has been migrated to {errand.successor} already")
        return 0
    else:
        session.say(f"{display} rolled back")
    adopted = errand.journal is not None and errand.journal.mode is Mode.ADOPT
    if result.outcome != "created":
        for line in report_lines(result.pods, adopted=adopted):
            session.note(line)
    return 0


def _made(result: Result) -> str:
    """Name the workload that has the pods now, as `-o name` does."""
    errand = result.errand
    return errand.target.display if result.outcome == "rolled back" else errand.successor_display


def _tell_way_on(session: Session, result: Result) -> None:
    errand = result.errand
    if errand.keeper is None or errand.keeper.removed or result.outcome == "refused":
        return
    again = errand.order.again
    flag = "--rollback" if errand.doing is Doing.UNDO else "--resume"
    session.note(f"to go on from here: {again(errand.target, flag)}")
    if errand.doing is not Doing.UNDO:
        session.note(f"to undo it: {again(errand.target, '--rollback')}")


def _tell_programs(session: Session, results: Sequence[Result], order: Order) -> None:
    records = [_record(result) for result in results]
    if order.how.output == "jsonl":
        for record in records:
            session.show(to_line(record) + "\n")
        return
    document = records[0] if len(records) == 1 else list_record("MigrationStatus", records)
    session.show(to_json(document) if order.how.output == "json" else to_yaml(document))


def _record(result: Result) -> Raw:
    errand, error = result.errand, result.error
    if result.record is None:
        code, text = (error.code, error.line()) if error else ("", result.outcome)
        record = failure_record(errand.short, errand.target.namespace, code, text)
        return record if error else {**record, "outcome": result.outcome}
    if error is None:
        return result.record
    return {**result.record, "code": error.code, "message": error.line()}


def _row(result: Result) -> Row:
    errand = result.errand
    message = result.error.line() if result.error else ""
    return Row(
        errand.target.namespace, errand.short, errand.successor, result.outcome, result.pods, result.seconds,
        message,
    )  # fmt: skip


def _tell_failures(session: Session, failed: dict[Errand, KruiseError]) -> int:
    for error in failed.values():
        session.complain(error)
    return worst([error.exit_code for error in failed.values()])


def worst(codes: Sequence[int]) -> int:
    """Give the gravest of several exit codes, 0 for none."""
    return max(codes, key=lambda code: _GRAVITY.index(code) if code in _GRAVITY else len(_GRAVITY), default=0)

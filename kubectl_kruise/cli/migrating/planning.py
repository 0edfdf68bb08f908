"""Show what a migration will do before it does it: the plan, with every request under --dry-run=server."""

from collections.abc import Sequence

from kubectl_kruise import __version__
from kubectl_kruise.cli.migrating.errand import Doing, Errand
from kubectl_kruise.cli.migrating.order import Order
from kubectl_kruise.cli.options import DryRunMode
from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.migration.manifests import as_manifest
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.render.machine import render_documents, to_json
from kubectl_kruise.render.records import to_line
from kubectl_kruise.views.migration.plan import (
    field_lines,
    heading,
    kept_lines,
    plan_lines,
    pointer_lines,
    preflight_lines,
    step_lines,
)
from kubectl_kruise.views.migration.record import list_record, plan_record
from kubectl_kruise.views.migration.steps import Sent, last_line, steps_of
from kubectl_kruise.views.status.record import version_record


def planned(session: Session, errand: Errand) -> bool:
    """Say whether people have been shown the plan of an errand, of which the last line sums it up."""
    order = errand.order
    told = order.talks and order.how.output != "name" and not session.flags.quiet
    return told and errand.ahead is not None


def show_plans(session: Session, errands: Sequence[Errand], order: Order) -> None:
    """Show the plan of everything that has not begun: on stdout where only that was asked for, else as talk."""
    ahead = [errand for errand in errands if errand.ahead is not None]
    if order.dry and order.how.output == "yaml":
        _show_kept(session, ahead)
        return
    if not order.talks:
        if order.dry or order.how.output == "jsonl":
            _show_records(session, ahead, order)
        return
    if order.how.output == "name":
        for errand in ahead if order.dry else ():
            session.say(f"{errand.successor_display}")
        return
    say = session.say if order.dry else session.note
    for at, errand in enumerate(ahead):
        if at:
            say("")
        for line in _lines(errand):
            say(line)
    if order.dry:
        for errand in errands:
            if errand.ahead is None:
                say(_begun(errand))


def _lines(errand: Errand) -> list[str]:
    ahead = errand.ahead
    assert ahead is not None  # noqa: S101 - only those that were looked at
    outline = errand.outline()
    where = f"context {errand.session.cluster.context}, namespace {errand.target.namespace}"
    pointed = {each.name for each in outline.pointed}
    return plan_lines(
        [heading(ahead.source, ahead.conversion, where)],
        preflight_lines(ahead.findings),
        pointer_lines(ahead.pointers, pointed),
        step_lines(steps_of(outline), _requests(errand)),
        field_lines(ahead.conversion),
        kept_lines(ahead.changes) if errand.order.how.dry_run is DryRunMode.SERVER else [],
        [last_line(outline)],
    )


def _requests(errand: Errand) -> list[Sent]:
    """Give every request of the migration, by running it against what is there without a write."""
    ahead, order = errand.ahead, errand.order
    if ahead is None or order.how.dry_run is not DryRunMode.SERVER or ahead.refused:
        return []
    from kubectl_kruise.operations.migrate.rehearsal.rehearsing import rehearse, short_body

    mode = order.how.mode
    try:
        noted = rehearse(errand.run(), ahead, mode, order.options, order.steering.journal, errand.creates)
    except KruiseError as error:
        errand.session.warn(f"not every request can be foretold: {error.line()}")
        return []
    return [Sent(each.stage, each.method, each.path, short_body(each)) for each in noted if each.stage]


def _show_kept(session: Session, errands: Sequence[Errand]) -> None:
    """Print the new workloads as the server would keep them, and on stderr what it changes (migration.md §7)."""
    documents = []
    for errand in errands:
        ahead = errand.ahead
        if ahead is not None:
            documents.append(as_manifest(ahead.kept or ahead.conversion.obj))
            for line in kept_lines(ahead.changes):
                session.note(line)
    session.show(render_documents(documents, "yaml", prefix=""))


def _show_records(session: Session, errands: Sequence[Errand], order: Order) -> None:
    records = [_record(errand) for errand in errands]
    if order.how.output == "jsonl":
        session.show(to_line(version_record(__version__)) + "\n")
        for record in records:
            session.show(to_line(record) + "\n")
    elif records:
        document = records[0] if len(records) == 1 else list_record("MigrationPlan", records)
        session.show(to_json(document))


def _record(errand: Errand) -> Raw:
    ahead = errand.ahead
    assert ahead is not None  # noqa: S101 - only those that were looked at
    return plan_record(
        ahead.source, ahead.conversion, ahead.findings, ahead.pointers, errand.outline(), _requests(errand)
    )


def _begun(errand: Errand) -> str:
    journal = errand.journal
    if journal is None or errand.doing is Doing.NOTHING:
        return f"{errand.short} has been migrated to {errand.successor} already"
    return f"{errand.short} is being migrated already: {errand.order.again(errand.target, '--status')}"

"""The one door for writes: dry run, guards, races and the line that says what was done (design: errors and exit codes).

Everything is read and decided before anything is written, so that bad input changes nothing.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.options import DryRunMode, Writing
from kubectl_kruise.cli.rollouts.waiting import wait_for_end
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cluster.port import DryRun, Patch, PatchType
from kubectl_kruise.engine.changes.change import Change, Decision, Risk, Unchanged, lost_fields, same_version
from kubectl_kruise.engine.changes.stewards import migration_of, stewards_of
from kubectl_kruise.engine.changes.versions import dropped, other_version
from kubectl_kruise.errors import (
    ConflictError,
    KruiseError,
    NotAllowedError,
    NotFoundError,
    RefusedError,
    ServerError,
)
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.notation.number import parse_timeout
from kubectl_kruise.objects.raw import Raw, deleting, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.render.machine import check_format, render_object

Plan = Callable[[Target, Raw], Decision]
"""Decides on the object as it is now; asked again after a race."""

ATTEMPTS: Final = 6
SUFFIX: Final = {DryRunMode.NONE: "", DryRunMode.CLIENT: " (dry run)", DryRunMode.SERVER: " (server dry run)"}


class Written(NamedTuple):
    """`live` is the object after the write, or as it was where nothing changed."""

    target: Target
    live: Raw
    changed: bool


class _Errand(NamedTuple):
    session: Session
    plan: Plan
    how: Writing
    doing: str
    several: bool


def write(
    session: Session,
    targets: Sequence[Target],
    plan: Plan,
    how: Writing,
    *,
    doing: str,
    pausing: bool = False,
) -> list[Written]:
    """Apply a plan to each object, say so, and wait if asked to; `doing` is the verb for errors (`pause`).

    Raises the first error where nothing was written yet; later ones are printed, the others still done, and the
    first of them raised at the end.
    """
    check_format(how.output)
    parse_timeout(how.timeout, "--timeout")  # what is malformed is found before anything is written
    errand = _Errand(session, plan, how, doing, several=len(targets) > 1)
    read = [(target, session.fetch(target)) for target in targets]
    decided = [(target, live, _decide(errand, target, live)) for target, live in read]
    if not how.dry:
        _ask_first(errand, [(target, decision) for target, _, decision in decided])
    done: list[Written] = []
    failed: list[KruiseError] = []
    for target, live, decision in decided:
        try:
            done.append(_carry_out(errand, target, live, decision))
        except KruiseError as error:
            if len(targets) == 1:
                raise
            failed.append(error)
    for later in failed[1:]:
        session.complain(later)
    if failed:
        raise failed[0]
    wait_for_end(session, targets, how, paused=pausing, deadline=session.deadline(how.timeout))
    return done


def _decide(errand: _Errand, target: Target, live: Raw) -> Decision:
    how, doing = errand.how, errand.doing
    if deleting(live):
        raise RefusedError(f"cannot {doing} {target.title}: it is being deleted")
    if how.resource_version and how.resource_version != version_of(live):
        raise RefusedError(
            f"cannot {doing} {target.title}: it has resourceVersion {version_of(live)}, not {how.resource_version}"
        )
    if how.if_revision:
        from kubectl_kruise.cli.preconditions import check_revision

        check_revision(errand.session, Workload(live, target.kind), how.if_revision)
    decision = errand.plan(target, live)
    if isinstance(decision, Unchanged):
        if how.strict:
            raise RefusedError(f"cannot {doing} {target.title}: {decision.why}")
        return decision
    if target.kind is CLONESET and not decision.subresource and (loss := dropped(live)):
        decision = decision._replace(warnings=(*decision.warnings, loss))
    others = filter(None, (migration_of(live), *stewards_of(live)))
    stewards = ", ".join(others) if target.kind.workload else ""
    if not stewards:
        return decision
    if how.strict:
        raise RefusedError(f"cannot {doing} {target.title}: {stewards} manages it and may revert this")
    return decision._replace(
        warnings=(*decision.warnings, f"{stewards} manages {target.display} and may revert this")
    )


def _ask_first(errand: _Errand, decided: Sequence[tuple[Target, Decision]]) -> None:
    """Ask before deleting, shrinking, or changing more than one object (cli.md §3.8)."""
    session, how, doing = errand.session, errand.how, errand.doing
    changes = [(target, decision) for target, decision in decided if isinstance(decision, Change)]
    risks = [change.risk for _, change in changes if change.risk is not Risk.NONE]
    names = ", ".join(target.display for target, _ in changes)
    if len(changes) > 1 and Risk.DELETES in risks and not how.yes and not session.interactive:
        raise RefusedError(f"cannot {doing} {names} at once without --yes: this deletes pods")
    if len(changes) > 1 or risks:
        lines = [f"{doing} {names}" + (f": this {risks[0]}" if risks else "")]
        lines += [
            f"  {text}" for _, change in changes for text in (*change.deltas, *change.notes, *change.warnings)
        ]
        asked = session.confirm("\n".join(lines), [target.namespace for target, _ in changes], yes=how.yes)
        if asked:
            session.told(text for _, change in changes for text in change.warnings)


def _carry_out(errand: _Errand, target: Target, live: Raw, decision: Decision) -> Written:
    """Write one decision; where somebody else was faster, read and decide again, a few times."""
    session, how, doing = errand.session, errand.how, errand.doing
    for attempt in range(ATTEMPTS):
        if isinstance(decision, Unchanged):
            _say(session, target, live, "unchanged", how, [f"{target.title}: {decision.why}"])
            return Written(target, live, changed=False)
        if not how.dry or how.output:
            for text in decision.warnings:
                session.warn(text)
        try:
            answer = _send(session, target, live, decision, how)
        except (ConflictError, ServerError) as error:
            fresh = _after_race(session, target, live, error)
            if attempt == ATTEMPTS - 1:
                raise ConflictError(
                    f"cannot {doing} {target.title}: others kept changing it",
                    cause=error.cause,
                    hint="try again",
                ) from None
            _step_back(session, attempt)
            live, decision = fresh, _decide(errand, target, fresh)
        except NotFoundError:
            session.fetch(target)  # deleted since it was read: say so as for any other that is not there
            raise
        except NotAllowedError as error:
            raise NotAllowedError(
                f"cannot {doing} {target.title}: {error.message}",
                cause=error.cause,
                hint=error.hint,
                status=error.status,
            ) from None
        else:
            if lost := lost_fields(decision.operations, answer):
                raise ServerError(
                    f"cannot {doing} {target.title}: the server accepted the write and dropped {', '.join(lost)}",
                    hint=f"does its CRD know the field? kubectl explain {target.kind.plural}",
                )
            notes = _plan(errand, target, live, decision) if how.dry else _notes(errand, target, decision)
            if decision.subresource and how.output not in ("", "name"):
                answer = _whole(session, target, live, decision, how)
            _say(session, target, answer, decision.did, how, notes)
            return Written(target, answer, changed=True)
    raise AssertionError  # the last attempt returns or raises


def _send(session: Session, target: Target, live: Raw, change: Change, how: Writing) -> Raw:
    operations: list[Any] = change.operations
    if how.resource_version and not change.subresource:
        operations = [*same_version(live), *operations]
    if how.dry_run is DryRunMode.CLIENT:
        return _patched(live, operations)
    return session.cluster.patch(
        session.path(target, change.subresource),
        Patch(PatchType.JSON, operations),
        dry_run=DryRun(how.dry_run.value),
    )


def _whole(session: Session, target: Target, live: Raw, change: Change, how: Writing) -> Raw:
    """Give the object after a write to its subresource, which answers with itself alone (a Scale)."""
    return _patched(live, change.operations) if how.dry else session.fetch(target)


def _patched(live: Raw, operations: Sequence[Any]) -> Raw:
    import jsonpatch

    return dict(jsonpatch.apply_patch(live, [step for step in operations if step["op"] != "test"]))


def _after_race(session: Session, target: Target, live: Raw, error: KruiseError) -> Raw:
    """Give the object as it is now if the failure was a race; raise the failure if it was none.

    A failed `test` operation comes as 422, and so does every refusal of an admission webhook: only the object tells.
    """
    if error.http not in (409, 422):
        raise error
    fresh = session.fetch(target)
    if version_of(fresh) == version_of(live):
        if target.kind is CLONESET and not error.hint:
            error.hint = other_version(live, error.cause)
        raise error
    return fresh


def _step_back(session: Session, attempt: int) -> None:
    """Wait up to 0.1 s, then 0.2, 0.4, …: by chance, so that two writers do not meet again."""
    import random
    import threading

    pause = threading.Condition()
    with pause:
        session.clock.wait(pause, random.SystemRandom().uniform(0, 0.1 * 2**attempt))


def _notes(errand: _Errand, target: Target, change: Change) -> list[str]:
    """Give what explains a change; among several objects each line says of which."""
    lead = f"{target.title}: " if errand.several else ""
    return [lead + text for text in (*change.deltas, *change.notes)]


def _plan(errand: _Errand, target: Target, live: Raw, change: Change) -> list[str]:
    """Give the plan that a dry run shows."""
    from kubectl_kruise.views.plan import Planned, plan_view

    session, server = errand.session, errand.how.dry_run is DryRunMode.SERVER
    where = f"context {session.cluster.context}, namespace {target.namespace}"
    doing = f"{errand.doing} {target.display}"
    return plan_view(doing, [Planned(live, change)], where=where, server=server)


def _say(session: Session, target: Target, live: Raw, did: str, how: Writing, notes: Sequence[str]) -> None:
    """Print kubectl's line and what explains it, or the object alone: who asks for JSON wants no talk beside it."""
    if how.output:
        session.show_object(render_object(live, how.output, name=target.display), how.output)
        return
    session.say(f"{target.display} {did}{SUFFIX[how.dry_run]}")
    for text in notes:
        session.note(text)

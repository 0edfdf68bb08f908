"""The question before a migration: the name of the source is typed, or nothing is done (cli.md §3.8)."""

import sys
from collections.abc import Sequence

from kubectl_kruise.cli.migrating.errand import Doing, Errand
from kubectl_kruise.cli.migrating.options import Act
from kubectl_kruise.cli.migrating.planning import planned
from kubectl_kruise.cli.session import Session
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.views.migration.steps import last_line


def confirm(session: Session, errands: Sequence[Errand], *, yes: bool) -> None:
    """Ask before anything is begun or undone. Raises RefusedError without a terminal, or on any other answer."""
    asked = [
        errand
        for errand in errands
        if errand.doing is not Doing.NOTHING
        # What --resume goes on with was confirmed when it was begun.
        and errand.order.act is not Act.RESUME
    ]
    if yes or not asked:
        return
    if not session.interactive:
        names = ", ".join(errand.short for errand in asked)
        raise RefusedError(
            f"nobody is there to confirm the migration of {names}, nothing was changed",
            hint="look at it with --dry-run, then add --yes",
        )
    if len(asked) == 1:
        _ask_name(session, asked[0])
    else:
        _ask_number(session, asked)


def _ask_name(session: Session, errand: Errand) -> None:
    target = errand.target
    where = f"context {session.cluster.context}, namespace {target.namespace}, {errand.short}"
    told = "" if planned(session, errand) else f"{_told(errand)}\n"
    kind = target.kind.kind
    answer = _read(f"{where}\n{told}Type the name of the {kind} to {_words(errand.doing)}: ")
    if answer != target.name:
        raise RefusedError(f"not confirmed: {answer!r} is not {target.name}, nothing was changed")


def _ask_number(session: Session, errands: Sequence[Errand]) -> None:
    each = [f"  {errand.target.namespace} {errand.short}: {_told(errand)}" for errand in errands]
    text = "\n".join([f"context {session.cluster.context}", *each])
    answer = _read(f"{text}\nType the number of workloads to {_words(errands[0].doing)} all of them: ")
    if answer != str(len(errands)):
        raise RefusedError(f"not confirmed: {answer!r} is not {len(errands)}, nothing was changed")


def _told(errand: Errand) -> str:
    return last_line(errand.outline()) if errand.doing is not Doing.UNDO else "Its migration is undone."


def _words(doing: Doing) -> str:
    return {Doing.BEGIN: "start", Doing.GO_ON: "go on", Doing.UNDO: "undo"}.get(doing, "start")


def _read(question: str) -> str:
    print(question, end="", file=sys.stderr, flush=True)  # noqa: T201
    try:
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        print("\nnothing was changed", file=sys.stderr)  # noqa: T201
        raise
    if not line:
        print(file=sys.stderr)  # noqa: T201
        raise RefusedError("not confirmed: no answer came, nothing was changed")
    return line.strip()

"""What `rollout status` is asked for, and how one look at rollouts is printed."""

import sys
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import typer

from kubectl_kruise.cli.rollouts.following import exit_code, worst
from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.problems import FailFast
from kubectl_kruise.engine.verdict import Until
from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.notation.number import parse_duration, parse_timeout
from kubectl_kruise.operations.rollout.follow import Terms
from kubectl_kruise.operations.rollout.progress import Aim, Progress
from kubectl_kruise.render.terminal import wants_live


class Looking(NamedTuple):
    """How long to look, for what, and in which form to tell."""

    watch: Annotated[
        bool,
        typer.Option(
            "-w",
            "--watch/--no-watch",
            help="Wait for the verdict; --watch=false looks once.",
            show_default=False,
        ),
    ] = True
    once: Annotated[bool, typer.Option("--once", help="Same as --watch=false.")] = False
    timeout: Annotated[
        str,
        typer.Option(
            "--timeout",
            metavar="DURATION",
            help="Longest wait for all objects together, e.g. 5m; 0 waits for ever.",
        ),
    ] = "0"
    until: Annotated[
        Until | None,
        typer.Option(
            "--until",
            help="What to wait for; by default the partition's target, or the end.",
            show_default=False,
        ),
    ] = None
    fail_fast: Annotated[
        str,
        typer.Option(
            "--fail-fast",
            metavar="[DURATION]",
            help="Fail once a pod is hopeless: cannot pull or crashes for 30s or 3 restarts, or has no node for 60s."
            " On where stdout is no terminal; false switches it off.",
            show_default=False,
        ),
    ] = ""
    revision: Annotated[
        str,
        typer.Option(
            "--revision",
            metavar="REVISION",
            help="Stop when another revision is rolled out: number, name or hash.",
            show_default=False,
        ),
    ] = ""
    detail: Annotated[
        bool, typer.Option("-d", "--detail", help="With --watch=false: a row for every pod.")
    ] = False
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FORMAT",
            help="Print json, yaml, or jsonl as it goes.",
            show_default=False,
        ),
    ] = ""
    detailed_exitcode: Annotated[
        bool,
        typer.Option("--detailed-exitcode", help="With --watch=false: exit 8 while a rollout is under way."),
    ] = False

    @property
    def one_look(self) -> bool:
        return self.once or not self.watch

    def terms(self) -> Terms:
        """Give what to wait for; UsageError for a format or a duration that cannot be read."""
        if self.output not in ("", "json", "jsonl", "yaml"):
            raise UsageError(f'unknown output format "{self.output}"', hint="one of json, jsonl, yaml")
        return Terms(Aim(self.until, self.revision, self._limits()), parse_timeout(self.timeout, "--timeout"))

    def _limits(self) -> FailFast | None:
        """Read --fail-fast: a duration takes the place of every limit."""
        if self.fail_fast in ("false", "no", "0"):
            return None
        if self.fail_fast in ("default", "true", "yes"):
            return FailFast()
        if not self.fail_fast:
            return None if self.one_look or wants_live(sys.stdout) else FailFast()
        try:
            seconds = parse_duration(self.fail_fast)
        except ValueError as wrong:
            raise UsageError(f"--fail-fast: {wrong}", hint="a duration, or false") from None
        return FailFast(seconds, 0, seconds)


def one_look_code(session: Session, rollouts: Sequence[Progress], *, detailed: bool) -> int:
    """Give 0 whatever the state, as kubectl does; `detailed` gives the verdict's code, 8 while under way."""
    if not detailed:
        return 0
    verdicts = [rollout.judge(session.clock.time()) for rollout in rollouts]
    return exit_code(rollouts) or (8 if any(not verdict.final for verdict in verdicts) else 0)


def print_look(session: Session, rollouts: Sequence[Progress], *, detail: bool) -> None:
    """Print one look for people: the screen on a terminal, sentences elsewhere; with `detail` every pod."""
    from kubectl_kruise.render.paint import paint
    from kubectl_kruise.render.terminal import wants_color, wants_unicode, width_of
    from kubectl_kruise.views.status.lines import one_shot_lines
    from kubectl_kruise.views.status.rows import pod_rows
    from kubectl_kruise.views.status.screen import status_screen
    from kubectl_kruise.views.text import symbols

    signs, color = symbols(unicode=wants_unicode(sys.stdout)), wants_color(sys.stdout, session.flags.color)
    now = session.clock.time()
    if wants_live(sys.stdout):
        _ask_numbers(rollouts)
        snapshots = [rollout.snapshot(now, every_pod=detail) for rollout in rollouts]
        screen = status_screen(snapshots, signs, width=width_of(sys.stdout) or 80, height=1000)
        session.show(paint(screen, color=color))
        return
    for rollout in rollouts:
        snapshot = rollout.snapshot(now, every_pod=detail)
        session.say("\n".join(one_shot_lines([snapshot])))
        if detail:
            session.show(paint(pod_rows(snapshot, signs), color=color))


def print_documents(session: Session, rollouts: Sequence[Progress], output: str) -> None:
    """Print the state of rollouts for programs: one document, or with jsonl a record a line."""
    from kubectl_kruise.render.machine import to_json, to_yaml
    from kubectl_kruise.views.status.record import list_record, status_record

    _ask_numbers(rollouts)
    now = session.clock.time()
    records = [status_record(rollout.snapshot(now, every_pod=True)) for rollout in rollouts]
    if output == "jsonl":
        from kubectl_kruise.render.records import to_line

        session.show("".join(f"{to_line(record)}\n" for record in records))
        return
    document = records[0] if len(records) == 1 else list_record(records, worst(rollouts).judge(now).outcome)
    session.show(to_json(document) if output == "json" else to_yaml(document))


def open_stream(session: Session) -> None:
    """Print the record that every stream begins with."""
    from kubectl_kruise import __version__
    from kubectl_kruise.render.records import to_line
    from kubectl_kruise.views.status.record import version_record

    session.show(f"{to_line(version_record(__version__))}\n")


def _ask_numbers(rollouts: Sequence[Progress]) -> None:
    for rollout in rollouts:
        rollout.number(rollout.revision)

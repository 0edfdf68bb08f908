"""Watch a rollout until it is done."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from kubectl_kruise.cli.following import exit_code, failures, wait_for
from kubectl_kruise.cli.options import Selection, parse_timeout
from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.problems import FailFast
from kubectl_kruise.engine.verdict import Until
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from kubectl_kruise.objects.number import parse_duration
from kubectl_kruise.operations.rollout.follow import Followed, Terms, read_rollouts
from kubectl_kruise.operations.rollout.progress import Aim, Progress
from kubectl_kruise.render.terminal import wants_live


class UntilOption(StrEnum):
    DONE = "done"
    PAUSED = "paused"
    PARTITION = "partition"


def status(
    ctx: typer.Context,
    which: Selection,
    watch: Annotated[
        bool, typer.Option("-w", "--watch/--no-watch", help="Wait for the verdict; --watch=false looks once.")
    ] = True,
    once: Annotated[bool, typer.Option("--once", help="Same as --watch=false.")] = False,
    timeout: Annotated[
        str,
        typer.Option(
            "--timeout",
            metavar="DURATION",
            help="Longest wait for all objects together, e.g. 5m; 0 waits for ever.",
        ),
    ] = "0",
    until: Annotated[
        UntilOption | None,
        typer.Option(
            "--until",
            help="What to wait for; by default the partition's target, or the end.",
            show_default=False,
        ),
    ] = None,
    fail_fast: Annotated[
        str,
        typer.Option(
            "--fail-fast",
            metavar="[DURATION]",
            help="Fail once a pod is hopeless: cannot pull or crashes for 30s or 3 restarts, or has no node for 60s. On where stdout is no terminal; false switches it off.",
            show_default=False,
        ),
    ] = "",
    revision: Annotated[
        str,
        typer.Option(
            "--revision",
            metavar="REVISION",
            help="Stop when another revision is rolled out: number, name or hash.",
            show_default=False,
        ),
    ] = "",
    detail: Annotated[
        bool, typer.Option("-d", "--detail", help="With --watch=false: a row for every pod.")
    ] = False,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FORMAT",
            help="Print json, yaml, or jsonl as it goes.",
            show_default=False,
        ),
    ] = "",
    detailed_exitcode: Annotated[
        bool,
        typer.Option("--detailed-exitcode", help="With --watch=false: exit 8 while a rollout is under way."),
    ] = False,
) -> int:
    """Watch a rollout until it is done.

    Done means: the controller has seen the spec, the pods that shall carry the new revision carry it and are
    available, surplus pods are gone, and the status agrees. A partition's target is an end as well, unless
    --until=done asks for the whole rollout. A paused rollout ends the command with exit code 8.

    Examples:
      # Wait for the rollout of a CloneSet, at most five minutes
      kubectl kruise rollout status cloneset/web --timeout 5m
      # Look once
      kubectl kruise rollout status cloneset/web --watch=false
      # In a pipeline: JSON lines, and an end as soon as a pod is hopeless
      kubectl kruise rollout status cloneset/web deployment/cart -o jsonl --fail-fast
    """
    session: Session = ctx.obj
    if output not in ("", "json", "jsonl", "yaml"):
        raise UsageError(f'unknown output format "{output}"', hint="one of json, jsonl, yaml")
    terms = Terms(
        Aim(Until(until.value) if until else None, revision, _limits(fail_fast, watched=watch and not once)),
        parse_timeout(timeout),
    )
    targets = session.targets(which, (CLONESET, DEPLOYMENT))
    objects = [Followed(target.kind, session.fetch(target)) for target in targets]
    if once or not watch:
        looked = [
            rollout.progress for rollout in read_rollouts(session.cluster, objects, terms.aim, session.clock)
        ]
        _print_once(session, looked, output, detail=detail)
        return _one_shot_code(session, looked, detailed=detailed_exitcode)
    if output == "jsonl":
        _open_stream(session)
    rollouts = wait_for(session, objects, terms, output=output)
    if output in ("json", "yaml"):
        _print_documents(session, rollouts, output)
    if not output and not wants_live(sys.stdout):
        for text in failures(rollouts):
            print(f"error: {text}", file=sys.stderr)
    return exit_code(rollouts)


def _limits(fail_fast: str, *, watched: bool) -> FailFast | None:
    """Read --fail-fast: a duration takes the place of every limit."""
    if fail_fast in ("false", "no", "0"):
        return None
    if fail_fast in ("", "default", "true", "yes"):
        return FailFast() if fail_fast or (watched and not wants_live(sys.stdout)) else None
    try:
        seconds = parse_duration(fail_fast)
    except ValueError as wrong:
        raise UsageError(f"--fail-fast: {wrong}", hint="a duration, or false") from None
    return FailFast(seconds, 0, seconds)


def _one_shot_code(session: Session, rollouts: list[Progress], *, detailed: bool) -> int:
    """Give 0 whatever the state, as kubectl does; with --detailed-exitcode the verdict's code, 8 while under way."""
    verdicts = [rollout.judge(session.clock.time()) for rollout in rollouts]
    if not detailed:
        return 0
    return exit_code(rollouts) or (8 if any(not verdict.final for verdict in verdicts) else 0)


def _print_once(session: Session, rollouts: list[Progress], output: str, *, detail: bool) -> None:
    if output:
        if output == "jsonl":
            _open_stream(session)
        _print_documents(session, rollouts, output)
        return
    from kubectl_kruise.render.paint import paint
    from kubectl_kruise.render.terminal import wants_color, wants_unicode, width_of
    from kubectl_kruise.views.spans import Line
    from kubectl_kruise.views.status.lines import one_shot_lines
    from kubectl_kruise.views.status.rows import pod_rows
    from kubectl_kruise.views.status.screen import status_screen
    from kubectl_kruise.views.status.text import symbols

    signs = symbols(unicode=wants_unicode(sys.stdout))
    now = session.clock.time()
    painted = wants_live(sys.stdout)
    if painted:
        _ask_numbers(rollouts)
    snapshots = [rollout.snapshot(now, every_pod=detail) for rollout in rollouts]
    frame: list[Line] = []
    if painted:
        frame += status_screen(snapshots, signs, width=width_of(sys.stdout) or 80, height=1000)
    else:
        for snapshot in snapshots:
            print("\n".join(one_shot_lines([snapshot])))
            if detail:
                frame += pod_rows(snapshot, signs)
    session.show(paint(frame, color=wants_color(sys.stdout, session.flags.color)))


def _print_documents(session: Session, rollouts: list[Progress], output: str) -> None:
    from kubectl_kruise.cli.following import worst
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


def _ask_numbers(rollouts: list[Progress]) -> None:
    for rollout in rollouts:
        rollout.number(rollout.revision)


def _open_stream(session: Session) -> None:
    from kubectl_kruise import __version__
    from kubectl_kruise.render.records import to_line
    from kubectl_kruise.views.status.record import version_record

    session.show(f"{to_line(version_record(__version__))}\n")

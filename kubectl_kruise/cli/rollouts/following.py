"""Wait for rollouts and tell how it goes: behind `rollout status` and every `--wait`."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TextIO

from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.verdict import EXIT_CODES, Outcome
from kubectl_kruise.operations.rollout.follow import Followed, Terms, follow
from kubectl_kruise.operations.rollout.progress import Progress
from kubectl_kruise.render.terminal import wants_color, wants_live, wants_unicode

if TYPE_CHECKING:
    from kubectl_kruise.render.live import LiveReporter
    from kubectl_kruise.render.stream import SilentReporter, StreamReporter

SEVERITY: Final = (
    Outcome.FAILED, Outcome.DELETED, Outcome.SUPERSEDED, Outcome.TIMED_OUT, Outcome.PAUSED, Outcome.HELD,
    Outcome.PROGRESSING, Outcome.DONE,
)  # fmt: skip
"""From the worst outcome to the best: several objects end with the worst of theirs."""


_JOINTS: Final = {Outcome.FAILED: " failed:", Outcome.DELETED: ""}


def worst(rollouts: Sequence[Progress]) -> Progress:
    """Give the rollout whose verdict decides the exit code; only finished ones may be given."""
    return min(rollouts, key=lambda rollout: (_exit_code(rollout) == 0, SEVERITY.index(_outcome(rollout))))


def wait_for(
    session: Session,
    objects: Sequence[Followed],
    terms: Terms,
    *,
    output: str = "",
    stream: TextIO | None = None,
) -> list[Progress]:
    """Follow rollouts to their verdicts and tell of them: live, as lines, as JSON lines, or not at all.

    `stream` is stdout unless given: what is the answer of `rollout status` is talk beside the answer of a write.
    `output` other than jsonl is printed by the caller. Ctrl-C says that the rollout goes on without us.
    """
    reporter = _reporter(session, output, stream or sys.stdout)
    try:
        return follow(
            session.cluster, objects, terms, clock=session.clock, reporter=reporter, note=session.note
        )
    except KeyboardInterrupt:
        reporter.close()
        begin = "\n" if sys.stderr.isatty() else ""  # behind the terminal's own ^C
        many = "s continue" if len(objects) > 1 else " continues"
        print(f"{begin}the rollout{many} in the cluster", file=sys.stderr)  # noqa: T201
        raise
    finally:
        reporter.close()


def exit_code(rollouts: Sequence[Progress]) -> int:
    return _exit_code(worst(rollouts)) if rollouts else 0


def failures(rollouts: Sequence[Progress]) -> list[str]:
    """Give a sentence for stderr on every rollout that did not end well; paused and held are no failures."""
    return [
        f"{rollout.workload.title}{_JOINTS.get(rollout.final.outcome, ':')} {rollout.final.message}"
        for rollout in rollouts
        if rollout.final and EXIT_CODES[rollout.final.outcome] not in (0, 8)
    ]


def _reporter(
    session: Session, output: str, stream: TextIO
) -> "LiveReporter | SilentReporter | StreamReporter":
    if output == "jsonl":
        from kubectl_kruise.render.records import RECORDS
        from kubectl_kruise.render.stream import StreamReporter

        return StreamReporter(stream, RECORDS, note=session.note)
    if output or session.flags.quiet:
        from kubectl_kruise.render.stream import SilentReporter

        return SilentReporter()
    if wants_live(stream):
        from kubectl_kruise.render.live import LiveReporter
        from kubectl_kruise.views.text import symbols

        signs = symbols(unicode=wants_unicode(stream))
        return LiveReporter(stream, signs, color=wants_color(stream, session.flags.color))
    from kubectl_kruise.render.stream import StreamReporter

    return StreamReporter(stream, note=session.note)


def _outcome(rollout: Progress) -> Outcome:
    return rollout.final.outcome if rollout.final else Outcome.PROGRESSING


def _exit_code(rollout: Progress) -> int:
    return rollout.final.exit_code if rollout.final else 0

"""Rollouts as a stream, in the language of log lines or of records: one piece per change, a heartbeat without any."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TextIO

from kubectl_kruise.engine.problems import Problem
from kubectl_kruise.operations.rollout.progress import Progress
from kubectl_kruise.operations.rollout.snapshot import Snapshot
from kubectl_kruise.views.status import lines

HEARTBEAT: Final = 30.0
SHORTEST: Final = 1.0
"""Seconds between two progress lines of one rollout; warnings and the verdict are never held back."""

Tell = Callable[[Snapshot], str]


class Language(NamedTuple):
    """How each piece of news reads, as a line without its newline."""

    start: Tell
    observed: Tell
    progress: Tell
    heartbeat: Tell
    final: Tell
    warning: Callable[[Snapshot, Problem], str]


LINES: Final = Language(
    lines.start_line,
    lines.observed_line,
    lines.progress_line,
    lines.heartbeat_line,
    lines.final_line,
    lines.warning_line,
)


class SilentReporter:
    """Says nothing: the caller prints what comes out."""

    def show(self, _rollouts: Sequence[Progress], _now: float) -> float | None:
        return None

    def close(self) -> None:
        """Has nothing to put away."""


class StreamReporter:
    """Tells each rollout's news as it comes."""

    def __init__(
        self, out: TextIO, language: Language = LINES, *, note: Callable[[str], None] | None = None
    ) -> None:
        self._out = out
        self._note = note
        self._silence = ""
        self._language = language
        self._told: dict[int, _Told] = {}

    def show(self, rollouts: Sequence[Progress], now: float) -> float | None:
        times = [
            self._tell(rollout, self._told.setdefault(id(rollout), _Told()), now) for rollout in rollouts
        ]
        self._out.flush()
        silence = next((rollout.silence for rollout in rollouts if rollout.silence), "")
        if bool(silence) != bool(self._silence) and self._note:
            self._note(f"{silence}; trying again" if silence else "the server answers again")
        self._silence = silence
        return min((time for time in times if time is not None), default=None)

    def close(self) -> None:
        self._out.flush()

    def _tell(self, rollout: Progress, told: "_Told", now: float) -> float | None:
        """Tell what is new about one rollout; give the time at which to look again."""
        if told.finished:
            return None
        state = rollout.state()
        # Until the controller has seen the spec, what fails is the revision before.
        problems = rollout.problems() if rollout.workload.observed else []
        news = [problem for problem in problems if _key(problem) not in told.warned]
        moved = state != told.state
        if not (rollout.final or news or not told.started or told.unobserved(rollout)):
            if moved and now - told.at < SHORTEST:
                return told.at + SHORTEST
            if not moved and now - told.at < HEARTBEAT:
                return told.at + HEARTBEAT
        snapshot = rollout.snapshot(now)
        for text in self._texts(rollout, snapshot, told, news, moved=moved):
            self._out.write(f"{text}\n")
        told.warned |= {_key(problem) for problem in news}
        told.started, told.finished = True, rollout.final is not None
        told.observed, told.state, told.at = rollout.workload.observed, state, now
        return None if told.finished else now + HEARTBEAT

    def _texts(
        self, rollout: Progress, snapshot: Snapshot, told: "_Told", news: Sequence[Problem], *, moved: bool
    ) -> list[str]:
        say = self._language
        warnings = [say.warning(snapshot, problem) for problem in news]
        if rollout.final:
            return [*warnings, say.final(snapshot)]
        if not told.started:
            return [say.start(snapshot), *warnings]
        texts = [say.observed(snapshot)] if told.unobserved(rollout) else []
        if moved and not (texts and say.observed is say.progress):
            texts.append(say.progress(snapshot))
        elif not moved and not news and not texts:
            texts.append(say.heartbeat(snapshot))
        return [*texts, *warnings]


class _Told:
    """What was last told about one rollout."""

    def __init__(self) -> None:
        self.at = float("-inf")
        self.started = self.observed = self.finished = False
        self.state: object = None
        self.warned: set[tuple[object, ...]] = set()

    def unobserved(self, rollout: Progress) -> bool:
        """Say whether the controller has seen the spec since the last line."""
        return self.started and not self.observed and rollout.workload.observed


def _key(problem: Problem) -> tuple[object, ...]:
    """Tell one trouble from the next: back-off and error of one failing pull alternate, and are one."""
    return (*problem.identity, problem.kind)

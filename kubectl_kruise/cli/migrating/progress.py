"""Follow a migration and show it: as a screen on a terminal, as lines in a log, as records for programs."""

import sys
import threading

from kubectl_kruise.cli.migrating.errand import Errand, Watcher
from kubectl_kruise.cli.migrating.stopping import Stop
from kubectl_kruise.engine.migration.stages import Counts, Stage
from kubectl_kruise.engine.pace import estimate
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.render.live import SHORTEST, LiveLines
from kubectl_kruise.render.records import to_line
from kubectl_kruise.render.terminal import wants_color, wants_live
from kubectl_kruise.views.migration.progress import Moment, progress_line, progress_screen
from kubectl_kruise.views.migration.record import StageState, status_record
from kubectl_kruise.views.migration.steps import steps_of

_LINES = threading.Lock()
"""Several migrations tell what happens at the same time."""


class Progress:
    """One migration as it is followed; `live` says whether it may have the screen to itself."""

    def __init__(self, errand: Errand, stop: Stop, *, live: bool) -> None:
        session = errand.session
        self._errand = errand
        self._stop = stop
        self._steps = steps_of(errand.outline())
        self._at = 0
        self._counts: Counts | None = None
        self.lowest: int | None = None
        self._times: dict[Stage, str] = {}
        self._news = ""
        self._events: list[dict[str, str]] = []
        self._began = session.clock.monotonic()
        self._durations: list[float] = []
        self._at_once = 1
        self._moved_at = self._began
        self._drawn = float("-inf")
        self._told = ""
        quiet = session.flags.quiet or not errand.order.talks
        screen = live and not quiet and wants_live(sys.stderr)
        self._screen = (
            LiveLines(sys.stderr, color=wants_color(sys.stderr, session.flags.color)) if screen else None
        )
        self._quiet = quiet

    @property
    def watcher(self) -> Watcher:
        return Watcher(self.tell, self.seen, self.check)

    def tell(self, text: str) -> None:
        """Take a line about what is being done."""
        self._news = text
        self._events.append({"time": self._now(), "message": text})
        if self._screen:
            self._draw()
        elif not self._quiet:
            with _LINES:
                self._errand.session.note(f"{self._errand.short}: {text}")

    def seen(self, stage: Stage, counts: Counts | None) -> None:
        """Take where the migration is, and what can be counted there."""
        places = [at for at, step in enumerate(self._steps) if step.stage is stage]
        if places:
            self._at = max(self._at, places[0])
            self._times.setdefault(stage, self._now())
        if counts is not None:
            self._time(counts)
            self._counts = counts
            self.lowest = counts.ready if self.lowest is None else min(self.lowest, counts.ready)
        self._show()

    def _time(self, counts: Counts) -> None:
        """Note how long the pods took that have been moved since the last look."""
        now = self._errand.session.clock.monotonic()
        moved = counts.moved - (self._counts.moved if self._counts else counts.moved)
        if moved > 0:
            self._durations += [now - self._moved_at] * moved
            self._at_once = max(self._at_once, moved)
        if moved or self._counts is None:
            self._moved_at = now

    def check(self) -> None:
        """Let the user stop, and the screen go on."""
        self._stop.check()
        if self._screen and threading.current_thread() is threading.main_thread():
            self._draw()

    def close(self) -> None:
        if self._screen:
            self._screen.close()

    def states(self, *, ended: bool, failed: bool = False) -> list[StageState]:
        """Give how far each step is."""
        states = []
        for at, step in enumerate(self._steps):
            began = self._times.get(step.stage, "")
            later = next(
                (self._times[each.stage] for each in self._steps[at + 1 :] if each.stage in self._times), ""
            )
            if ended:
                states.append(
                    StageState(
                        step.stage, "done" if began else "skipped", began, later or (began and self._now())
                    )
                )
            elif at < self._at:
                states.append(StageState(step.stage, "done" if began else "skipped", began, later))
            elif at == self._at and began:
                states.append(StageState(step.stage, "failed" if failed else "running", began))
            else:
                states.append(StageState(step.stage, "pending"))
        return states

    def record(self, outcome: str, *, ended: bool = False, failed: bool = False) -> Raw:
        """Give this moment for programs."""
        errand, journal = self._errand, self._errand.journal
        assert journal is not None  # noqa: S101 - nothing is seen before it is written
        left = errand.keeper is not None and not errand.keeper.removed
        undo = errand.order.again(errand.target, "--rollback") if left else ""
        following = errand.order.again(errand.target, "--resume") if left and not ended else ""
        events = list(self._events) if ended or failed else []
        return status_record(
            errand.target.namespace,
            journal,
            outcome,
            self.states(ended=ended, failed=failed),
            self._counts,
            errand.pods(lowest=self.lowest) if ended or failed else errand.pods_of_journal(self.lowest),
            {"undo": undo, "next": following},
            events,
        )

    def _show(self) -> None:
        if self._screen:
            self._draw()
            return
        moment = self._moment()
        text = progress_line(moment, "")
        if text == self._told:
            return
        self._told = text
        with _LINES:
            if self._errand.order.how.output == "jsonl" and self._errand.journal is not None:
                self._errand.session.show(to_line(self.record("running")) + "\n")
            elif not self._quiet:
                self._errand.session.note(progress_line(moment, self._now()))

    def _moment(self) -> Moment:
        outline = self._errand.outline()
        step = self._steps[self._at]
        return Moment(
            self._errand.target.namespace, self._errand.target.name, self._at + 1, len(self._steps), step.what,
            outline.old, outline.new, self._counts, self.lowest, self._news,
            self._errand.session.clock.monotonic() - self._began, self._left(),
        )  # fmt: skip

    def _left(self) -> float | None:
        if self._counts is None:
            return None
        found = estimate(self._durations, self._counts.total - self._counts.moved, self._at_once)
        return found.seconds if found else None

    def _draw(self) -> None:
        now = self._errand.session.clock.monotonic()
        if self._screen is None or now - self._drawn < SHORTEST:
            return
        self._drawn = now
        self._screen.draw(
            progress_screen(self._moment(), self._errand.order.again(self._errand.target, "--resume"))
        )

    def _now(self) -> str:
        return rfc3339(self._errand.session.clock.time())

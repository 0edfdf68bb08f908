"""Live screens: redrawn in place, a rollout's at most five times a second; the last frame stays."""

import signal
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TextIO

from kubectl_kruise.operations.rollout.progress import Progress
from kubectl_kruise.render.paint import paint
from kubectl_kruise.render.terminal import width_of
from kubectl_kruise.views.spans import Line
from kubectl_kruise.views.status.screen import end_lines, status_screen
from kubectl_kruise.views.text import Symbols

if TYPE_CHECKING:
    from rich.live import Live

SHORTEST: Final = 0.2
"""Seconds between two frames."""
LONGEST: Final = 1.0
"""Seconds after which a frame is redrawn for its ages and countdowns."""


class LiveLines:
    """Lines that are redrawn where they stand; rich is imported with the first of them.

    A terminal of another size has moved them, and the shell wrote below them while the process was stopped: then
    they are painted anew, on a clean screen or below what the shell wrote.
    """

    def __init__(self, out: TextIO, *, color: bool) -> None:
        self._out = out
        self._color = color
        self._live: Live | None = None
        self._size: tuple[int, int] | None = None
        self._continued = False
        self._former: Any = None

    @property
    def drawn(self) -> bool:
        return self._live is not None

    def size(self) -> tuple[int, int]:
        """Give columns and lines of the terminal."""
        size = self._started().console.size
        return size.width, size.height

    def draw(self, lines: Sequence[Line]) -> None:
        from kubectl_kruise.render.rich_status import rich_text

        self._begin_anew_where_moved()
        self._started().update(rich_text(lines, color=self._color), refresh=True)

    def close(self) -> None:
        """Leave the last lines on the screen and give the cursor back."""
        if self._live:
            self._live.stop()
        if self._former is not None:
            signal.signal(signal.SIGCONT, self._former)
            self._former = None

    def _begin_anew_where_moved(self) -> None:
        continued, self._continued = self._continued, False
        former, self._size = self._size, self.size()
        if self._live is None or former is None:
            return
        if former != self._size:
            self._live.console.clear()
        elif continued:
            self._out.write("\r")
        else:
            return
        # rich would go up by the height of a frame that is not where it was.
        self._live = None

    def _listen(self) -> None:
        """Hear of being continued after Ctrl-Z; only the main thread may, and not every system can."""
        if (
            self._former is None
            and hasattr(signal, "SIGCONT")
            and threading.current_thread() is threading.main_thread()
        ):
            self._former = signal.signal(signal.SIGCONT, self._take_continued)

    def _take_continued(self, _number: int, _frame: object) -> None:
        self._continued = True

    def _started(self) -> "Live":
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            console = Console(
                file=self._out,
                force_terminal=True,
                no_color=not self._color,
                highlight=False,
                legacy_windows=False,
            )
            self._live = Live(
                console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
            )
            self._live.start()
            self._listen()
        return self._live


class LiveReporter:
    """Paints rollouts on a terminal."""

    def __init__(self, out: TextIO, signs: Symbols, *, color: bool) -> None:
        self._out = out
        self._signs = signs
        self._color = color
        self._lines = LiveLines(out, color=color)
        self._painted = float("-inf")

    def close(self) -> None:
        self._lines.close()

    def show(self, rollouts: Sequence[Progress], now: float) -> float | None:
        """Paint a frame unless the last one is too fresh; a finished rollout always gets its last one."""
        finished = all(rollout.final for rollout in rollouts)
        if finished and not self._lines.drawn:
            width = width_of(self._out) or 80
            lines = [
                line for rollout in rollouts for line in end_lines(rollout.snapshot(now), self._signs, width)
            ]
            self._out.write(paint(lines, color=self._color))
            self._out.flush()
            return None
        if not finished and now - self._painted < SHORTEST:
            return self._painted + SHORTEST
        for rollout in rollouts:
            rollout.number(rollout.revision)
            rollout.number(rollout.came_from)
        width, height = self._lines.size()
        snapshots = [rollout.snapshot(now) for rollout in rollouts]
        self._lines.draw(status_screen(snapshots, self._signs, width=width, height=height))
        self._painted = now
        return None if finished else now + LONGEST

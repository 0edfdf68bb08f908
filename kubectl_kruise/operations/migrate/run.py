"""What every part of a migration works with: the cluster, the clock, patience, and somebody to tell."""

import threading
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from kubectl_kruise.cluster.bulk import Outcome, act_on_all
from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.engine.migration.stages import Counts, Stage
from kubectl_kruise.errors import TimedOutError

Item = TypeVar("Item")
Found = TypeVar("Found")

_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 1.0
_SLICE: Final = 0.5
"""Seconds after which a wait asks whether the user wants to stop."""


def _unseen(_stage: Stage, _counts: Counts | None = None) -> None:
    """Take no notice."""


class Run(NamedTuple):
    """One run of one migration.

    `tell` gets a line about each step as it begins, `seen` the stage with what can be counted in it. `check` is called
    between requests and raises where the user wants to stop. `patience` bounds every wait, in seconds; `parallel` is how many pods are patched at a time, `settle` how
    long the end is watched.
    """

    cluster: Cluster
    clock: Clock
    namespace: str
    tell: Callable[[str], None] = lambda _: None
    check: Callable[[], None] = lambda: None
    patience: float = 300.0
    parallel: int = 10
    settle: float = 15.0
    seen: Callable[[Stage, Counts | None], None] = _unseen

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        pause = threading.Condition()
        while seconds > 0:
            with pause:
                self.clock.wait(pause, min(seconds, _SLICE))
            seconds -= _SLICE
            self.check()

    def until(
        self, look: Callable[[], Found | None], waiting_for: str, *, seconds: float | None = None
    ) -> Found:
        """Look again and again until `look` finds something; raises TimedOutError after `seconds` (else `patience`)."""
        end = self.clock.monotonic() + (self.patience if seconds is None else seconds)
        pause = _FIRST_PAUSE
        while (found := look()) is None:
            left = end - self.clock.monotonic()
            if left <= 0:
                raise TimedOutError(f"the time is over, waiting for {waiting_for}")
            self.wait(min(pause, left))
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        return found

    def each(self, items: Sequence[Item], act: Callable[[Item], None]) -> Outcome:
        """Act on every item, some at a time, asking `check` before each."""

        def checked(item: Item) -> None:
            self.check()
            act(item)

        return act_on_all(items, checked, parallel=self.parallel)

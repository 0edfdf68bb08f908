"""Outlive what passes: lost races, and failures whose outcome nobody knows (migration.md §4.2)."""

from collections.abc import Callable
from typing import Final, TypeVar

from kubectl_kruise.errors import ConflictError, KruiseError, ServerError, UnreachableError
from kubectl_kruise.operations.migrate.run import Run

Given = TypeVar("Given")

_CONFLICTS: Final = 10
_CONFLICT: Final = 409
_SERVER_FAILED: Final = 500
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 10.0


class Endurance:
    """How much of what passes one run has suffered since something last went well."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.refresh()

    def refresh(self) -> None:
        """Begin anew: something went well."""
        self._conflicts, self._pause = 0, _FIRST_PAUSE
        self._failing_since = self._run.clock.monotonic()

    def outlive(self, error: KruiseError) -> None:
        """Wait a while, longer each time.

        Raises the error itself where it will not pass, after ten lost races in a row, or when the server has not answered
        for as long as the run has patience.
        """
        waited = self._run.clock.monotonic() - self._failing_since
        if lost_race(error) and self._conflicts < _CONFLICTS:
            self._conflicts += 1
        elif not unknown_outcome(error) or waited >= self._run.patience:
            raise error
        self._run.wait(self._pause)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)


def persist(run: Run, act: Callable[[], Given]) -> Given:
    """Do something that reads before it writes, again and again until it ends well; raises what `outlive` raises."""
    endurance = Endurance(run)
    while True:
        try:
            return act()
        except KruiseError as error:
            endurance.outlive(error)


def lost_race(error: KruiseError) -> bool:
    return isinstance(error, ConflictError) and error.http == _CONFLICT


def unknown_outcome(error: KruiseError) -> bool:
    """Say whether what was asked for may have been done, or may be done when it is asked again."""
    return isinstance(error, UnreachableError) or (
        isinstance(error, ServerError) and error.http >= _SERVER_FAILED
    )

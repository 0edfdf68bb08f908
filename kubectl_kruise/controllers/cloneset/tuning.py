"""The process flags of the manager that concern CloneSets (cloneset.md §3)."""

from typing import Final, NamedTuple

from kubectl_kruise.controllers.watching.expectations import EXPECTATION_SECONDS

WORKERS: Final = 3


class Tuning(NamedTuple):
    """`expectation_seconds`: longest wait for the cache to show what was created, deleted or changed.

    `exclude_preparing_delete` holds for every CloneSet, whatever its own field says.
    """

    workers: int = WORKERS
    expectation_seconds: float = EXPECTATION_SECONDS
    exclude_preparing_delete: bool = False

"""Many requests of one kind, in growing batches while it is not known whether they succeed."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from kubectl_kruise.cluster.bulk import Outcome, act_on_all

Item = TypeVar("Item")


def slow_start(items: Sequence[Item], act: Callable[[Item], None], *, parallel: int) -> Outcome:
    """Act on 1, 2, 4, 8 … items; no batch starts after one that met an error (cloneset.md §12.5).

    A server that refuses is thus not asked a thousand times.
    """
    done, size, rest = 0, 1, items
    while rest:
        batch, rest = rest[:size], rest[size:]
        outcome = act_on_all(batch, act, parallel=parallel)
        done += outcome.done
        if outcome.failure is not None:
            return Outcome(done, outcome.failure)
        size *= 2
    return Outcome(done, None)

"""Many requests of one kind: several at a time, or in growing batches while it is not known whether they succeed."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from kubectl_kruise.errors import KruiseError

Item = TypeVar("Item")


class Outcome(NamedTuple):
    """How many succeeded, and the first failure."""

    done: int
    failure: KruiseError | None


def act_on_all(items: Sequence[Item], act: Callable[[Item], None], *, parallel: int) -> Outcome:
    """Act on every item, `parallel` of them at a time (1: one after the other in this thread)."""

    def attempt(item: Item) -> KruiseError | None:
        try:
            act(item)
        except KruiseError as error:
            return error
        return None

    if parallel <= 1 or len(items) <= 1:
        results = [attempt(item) for item in items]
    else:
        with ThreadPoolExecutor(min(parallel, len(items))) as pool:
            results = list(pool.map(attempt, items))
    failures = [failure for failure in results if failure is not None]
    return Outcome(len(results) - len(failures), failures[0] if failures else None)


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

"""Many requests in growing batches, so that a server that refuses is not asked a thousand times (cloneset.md §12.5)."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from kubectl_kruise.errors import KruiseError

Item = TypeVar("Item")


class Outcome(NamedTuple):
    """How many succeeded, and the first failure."""

    done: int
    failure: KruiseError | None


def slow_start(items: Sequence[Item], act: Callable[[Item], None], *, parallel: int = 1) -> Outcome:
    """Act on 1, 2, 4, 8 … items, `parallel` of a batch at a time; no batch starts after one that met an error."""
    done, size = 0, 1
    rest = list(items)
    while rest:
        batch, rest = rest[:size], rest[size:]
        failures = [failure for failure in _run(batch, act, parallel) if failure is not None]
        done += len(batch) - len(failures)
        if failures:
            return Outcome(done, failures[0])
        size *= 2
    return Outcome(done, None)


def _run(batch: Sequence[Item], act: Callable[[Item], None], parallel: int) -> list[KruiseError | None]:
    def attempt(item: Item) -> KruiseError | None:
        try:
            act(item)
        except KruiseError as error:
            return error
        return None

    if parallel <= 1 or len(batch) == 1:
        return [attempt(item) for item in batch]
    with ThreadPoolExecutor(min(parallel, len(batch))) as pool:
        return list(pool.map(attempt, batch))

"""Many requests of one kind, several at a time."""

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

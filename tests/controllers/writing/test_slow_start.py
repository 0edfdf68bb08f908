"""Many requests at a time (cloneset.md §12.5)."""

import pytest

from kubectl_kruise.cluster.bulk import act_on_all
from kubectl_kruise.controllers.writing.slow_start import slow_start
from kubectl_kruise.errors import ServerError


def refusing(*bad: int) -> tuple[list[int], object]:
    seen: list[int] = []

    def act(item: int) -> None:
        seen.append(item)
        if item in bad:
            raise ServerError(f"no {item}")

    return seen, act


@pytest.mark.parametrize("parallel", [1, 4])
@pytest.mark.parametrize(
    ("bad", "tried", "done"),
    [((), 20, 20), ((0,), 1, 0), ((1,), 3, 2), ((5,), 7, 6), ((3, 6), 7, 5)],
    ids=["all well", "first", "second batch", "third batch", "two of a batch"],
)
def test_batches_double_until_one_fails(parallel: int, bad: tuple[int, ...], tried: int, done: int) -> None:
    seen, act = refusing(*bad)

    outcome = slow_start(range(20), act, parallel=parallel)

    assert (len(seen), outcome.done) == (tried, done)
    assert (outcome.failure is not None) == bool(bad)


@pytest.mark.parametrize("parallel", [1, 4])
def test_everybody_has_a_turn(parallel: int) -> None:
    seen, act = refusing(2, 3)

    outcome = act_on_all(range(6), act, parallel=parallel)

    assert (sorted(seen), outcome.done, str(outcome.failure)) == ([0, 1, 2, 3, 4, 5], 4, "no 2")

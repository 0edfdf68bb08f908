"""Events per object: a burst, then a trickle."""

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.controllers.event_budget import EventBudget


def test_a_burst_then_one_every_five_minutes() -> None:
    clock = VirtualClock()
    budget = EventBudget(clock)

    assert [budget.spend("a") for _ in range(27)] == [True] * 25 + [False] * 2
    assert budget.spend("b")
    clock.advance(299)
    assert not budget.spend("a")
    clock.advance(1)
    assert [budget.spend("a"), budget.spend("a")] == [True, False]


def test_repetitions_do_not_silence_what_is_new() -> None:
    budget = EventBudget(VirtualClock())
    while budget.spend("a", again=True):
        pass

    assert budget.spend("a")

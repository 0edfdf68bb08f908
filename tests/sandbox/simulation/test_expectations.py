"""What a ReplicaSet controller waits to see before it decides again."""

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.sandbox.simulation.replicaset.expectations import TIMEOUT, Expectations

KEY = Key("default", "rs")


def test_creations_are_awaited_by_number_and_deletions_by_uid() -> None:
    expectations = Expectations(VirtualClock())
    expectations.expect_creations(KEY, 2)
    expectations.expect_deletions(KEY, ["u1"])

    expectations.created(KEY)
    expectations.deleted(KEY, "another")
    assert not expectations.met(KEY)
    expectations.created(KEY)
    assert not expectations.met(KEY)
    expectations.deleted(KEY, "u1")

    assert expectations.met(KEY)


def test_what_was_never_announced_is_met() -> None:
    expectations = Expectations(VirtualClock())
    expectations.created(KEY)
    expectations.deleted(KEY, "u1")

    assert expectations.met(KEY)


def test_waiting_ends_after_five_minutes_or_with_the_set() -> None:
    clock = VirtualClock()
    expectations = Expectations(clock)
    expectations.expect_creations(KEY, 1)
    clock.advance(TIMEOUT - 1)
    early = expectations.met(KEY)
    clock.advance(1)
    late = expectations.met(KEY)
    expectations.expect_creations(KEY, 1)
    expectations.forget(KEY)

    assert (early, late, expectations.met(KEY)) == (False, True, True)

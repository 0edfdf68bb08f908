"""The work queue's promises: one worker per key, repeats folded, the earliest of several times."""

import threading

import pytest

from kubectl_kruise.cluster.clock import SystemClock, VirtualClock
from kubectl_kruise.controllers.queue import LONGEST_BACKOFF, Key, Queue

A, B = Key("shop", "a"), Key("shop", "b")


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


def test_keys_come_in_order_and_once(clock: VirtualClock) -> None:
    queue = Queue(clock)
    for key in (B, A, B):
        queue.add(key)

    assert [queue.take(block=False) for _ in range(3)] == [B, A, None]


def test_a_key_in_hand_is_not_given_to_another_worker(clock: VirtualClock) -> None:
    queue = Queue(clock)
    queue.add(A)
    assert queue.take(block=False) == A

    queue.add(A)
    assert queue.take(block=False) is None

    queue.done(A)
    assert queue.take(block=False) == A


def test_what_happened_before_it_was_taken_needs_no_second_look(clock: VirtualClock) -> None:
    queue = Queue(clock)
    queue.add(A)
    queue.take(block=False)
    queue.done(A)

    assert queue.take(block=False) is None


@pytest.mark.parametrize("delays", [(5, 9), (9, 5)], ids=["earlier first", "later first"])
def test_of_several_times_the_earliest_counts_and_counts_once(
    clock: VirtualClock, delays: tuple[int, int]
) -> None:
    queue = Queue(clock)
    began = clock.monotonic()
    for seconds in delays:
        queue.add_after(A, seconds)

    assert queue.next_due() == began + 5
    clock.advance(5)
    assert queue.take(block=False) == A
    queue.done(A)
    clock.advance(60)
    assert queue.take(block=False) is None
    assert queue.next_due() is None


def test_nothing_is_due_before_its_time(clock: VirtualClock) -> None:
    queue = Queue(clock)
    queue.add_after(A, 2)
    clock.advance(1.999)
    assert queue.take(block=False) is None

    queue.add_after(B, 0)
    assert queue.take(block=False) == B


def test_failures_back_off_up_to_half_a_minute_until_they_are_forgotten(clock: VirtualClock) -> None:
    queue = Queue(clock)
    waits = []
    for _ in range(1100):  # some hours
        began = clock.monotonic()
        queue.add_limited(A)
        due = queue.next_due()
        assert due is not None
        waits.append(round(due - began, 3))
        clock.advance(due - began)
        queue.take(block=False)
        queue.done(A)

    assert waits[:4] == [0.005, 0.01, 0.02, 0.04]
    assert waits[-3:] == [LONGEST_BACKOFF] * 3

    queue.forget(A)
    queue.add_limited(A)
    assert queue.next_due() == pytest.approx(clock.monotonic() + 0.005)


class SetClock(VirtualClock):
    """A clock whose time of day an administrator has moved."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


def test_a_clock_that_is_set_moves_no_timer() -> None:
    clock = SetClock()
    queue = Queue(clock)
    queue.add_after(A, 10)

    clock.ahead = 3600.0
    assert queue.take(block=False) is None

    clock.advance(10)
    assert queue.take(block=False) == A


def test_closing_sends_every_worker_home() -> None:
    queue = Queue(SystemClock())
    taken: list[Key | None] = []
    workers = [threading.Thread(target=lambda: taken.append(queue.take())) for _ in range(2)]
    for worker in workers:
        worker.start()

    queue.close()
    for worker in workers:
        worker.join(10)

    assert taken == [None, None]


def test_a_busy_worker_leaves_the_next_timer_to_another() -> None:
    """Two keys come due while two workers wait: each gets one, though neither ever comes back."""
    queue = Queue(SystemClock())
    found: list[Key | None] = []
    workers = [threading.Thread(target=lambda: found.append(queue.take()), daemon=True) for _ in range(2)]
    for worker in workers:
        worker.start()
    queue.add_after(A, 0.02)
    queue.add_after(B, 0.02)
    for worker in workers:
        worker.join(10)

    assert set(found) == {A, B}


def test_a_key_rests_after_a_long_look_in_proportion_to_it(clock: VirtualClock) -> None:
    queue = Queue(clock, rest=3.0)
    queue.add(A)
    queue.take(block=False)
    queue.add(A)  # news meanwhile
    clock.advance(0.05)
    queue.done(A)
    queue.add(B)

    assert [queue.take(block=False) for _ in range(2)] == [B, None]
    clock.advance(0.1)
    queue.add(A)
    assert queue.take(block=False) is None
    clock.advance(0.06)
    assert queue.take(block=False) == A


def test_a_look_that_waited_for_the_server_is_followed_by_a_short_rest(clock: VirtualClock) -> None:
    queue = Queue(clock, rest=3.0)
    queue.add(A)
    queue.take(block=False)
    clock.advance(60)
    queue.add(A)
    queue.done(A)

    clock.advance(0.3)
    assert queue.take(block=False) == A

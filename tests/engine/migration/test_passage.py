"""Whose each ordinal is while a set is handed over, and what is due next (migration.md §6.2)."""

from typing import Any

import pytest

from kubectl_kruise.engine.migration.passage import (
    Arrived,
    Free,
    Lines,
    MoveKruise,
    MoveNative,
    Window,
    may_take,
    next_passage,
    take,
    window_of,
)

PLAIN = Window([0, 1, 2])
LATER = Window([5, 6, 7], ["0-4"])


def kruise(replicas: int, *reserved: Any) -> dict[str, Any]:
    return {"spec": {"replicas": replicas, "reserveOrdinals": list(reserved)}}


@pytest.mark.parametrize(
    ("window", "line", "replicas", "reserved"),
    [
        (PLAIN, 3, 0, [0, 1, 2]),
        (PLAIN, 2, 1, [0, 1]),
        (PLAIN, 0, 3, None),
        (LATER, 1, 2, ["0-4", 5]),
        (LATER, 0, 3, ["0-4"]),
    ],
)
def test_both_fields_move_together(
    window: Window, line: int, replicas: int, reserved: list[Any] | None
) -> None:
    """mg-052."""
    assert window.patch(line) == {"spec": {"replicas": replicas, "reserveOrdinals": reserved}}


@pytest.mark.parametrize(
    ("window", "live", "line"),
    [
        (PLAIN, kruise(0), 3),
        (PLAIN, kruise(0, 7), 3),
        (PLAIN, kruise(1, 0, 1), 2),
        (PLAIN, kruise(1, 1, 0), 2),
        (PLAIN, kruise(1, "0-1"), 2),
        (PLAIN, kruise(3), 0),
        (PLAIN, {"spec": {"replicas": 3}}, 0),
        (PLAIN, kruise(2), None),
        (PLAIN, kruise(1, 0), None),
        (PLAIN, kruise(4), None),
        (LATER, kruise(3, 0, 1, 2, 3, 4), 0),
        (LATER, kruise(3), None),
    ],
)
def test_a_line_is_read_from_the_set_itself(window: Window, live: dict[str, Any], line: int | None) -> None:
    """Without a replica it stands at the end; fields that fit no line are somebody else's."""
    assert window.line_of(live) == line


def test_the_window_is_that_of_both_manifests() -> None:
    native = {"metadata": {"name": "db"}, "spec": {"ordinals": {"start": 2}}}
    assert window_of(native, kruise(3, 0, 1), 3) == Window([2, 3, 4], [0, 1])


@pytest.mark.parametrize(
    ("native", "kruise_", "there", "back"),
    [
        (3, 3, MoveNative(2), Arrived()),
        (2, 3, Free(2), Free(2)),
        (2, 2, MoveNative(1), MoveKruise(3)),
        (0, 1, Free(0), Free(0)),
        (0, 0, Arrived(), MoveKruise(1)),
        (3, 2, None, None),
        (0, 2, None, None),
    ],
)
def test_one_ordinal_is_between_the_lines_at_most(native: int, kruise_: int, there: Any, back: Any) -> None:
    """The live state alone decides, so that any run goes on in either direction."""
    lines = Lines(native, kruise_)
    assert next_passage(lines, 3, to_kruise=True) == there
    assert next_passage(lines, 3, to_kruise=False) == back


def test_who_gets_an_ordinal_takes_it_when_its_pod_is_gone() -> None:
    assert take(Lines(1, 2), to_kruise=True) == MoveKruise(1)
    assert take(Lines(1, 2), to_kruise=False) == MoveNative(2)


@pytest.mark.parametrize(
    ("available", "loses", "excused", "may"),
    [(3, True, 0, True), (2, True, 0, False), (2, False, 0, True), (1, False, 0, False), (2, True, 1, True)],
)
def test_no_more_than_one_is_missing(available: int, *, loses: bool, excused: int, may: bool) -> None:
    """Of three; a pod that serves nobody costs nothing."""
    assert may_take(available, 3, loses=loses, excused=excused) is may

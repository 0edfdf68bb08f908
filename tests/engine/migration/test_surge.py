"""How many pods each of two workloads may have next, so that neither limit is ever broken (migration.md §6.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.engine.migration.surge import (
    Grow,
    Levels,
    Limits,
    Moved,
    Shrink,
    Wait,
    budget_allows,
    next_surge,
    surge_limits,
)
from kubectl_kruise.objects.raw import Raw


def walk(limits: Limits) -> list[tuple[int, int]]:
    """Give the numbers wanted of both after each write, where every pod is available at once."""
    giving, getting = limits.total, 0
    steps = [(giving, getting)]
    for _ in range(10 * limits.total + 2):
        match next_surge(Levels(giving, giving, getting, getting), limits):
            case Grow(replicas):
                getting = replicas
            case Shrink(replicas):
                giving = replicas
            case Moved():
                return steps
            case Wait():
                pytest.fail(f"stuck at {(giving, getting)}")
        steps.append((giving, getting))
    pytest.fail("no end")


def test_one_at_a_time() -> None:
    """Fault B001, migration.md §11.3 row 55, recording mg-054."""
    assert walk(Limits(3, 1, 0)) == [(3, 0), (3, 1), (2, 1), (2, 2), (1, 2), (1, 3), (0, 3)]


def test_larger_limits_take_fewer_rounds() -> None:
    """migration.md §11.3 row 57."""
    wide, narrow = walk(Limits(10, 3, 2)), walk(Limits(10, 1, 0))
    assert len(wide) < len(narrow) / 2
    assert wide[:4] == [(10, 0), (10, 3), (5, 3), (5, 8)]


def test_without_surge_the_giver_goes_first() -> None:
    assert walk(Limits(3, 0, 1))[:3] == [(3, 0), (2, 0), (2, 1)]


def test_some_may_stay() -> None:
    assert walk(Limits(4, 2, 0, left=3)) == [(4, 0), (4, 1), (3, 1)]


def test_a_source_of_nothing_has_moved_at_once() -> None:
    """Fault B003."""
    assert next_surge(Levels(0, 0, 0, 0), Limits(0, 1, 0)) == Moved()


def test_what_serves_nobody_may_go() -> None:
    """migration.md §11.3 row 56, undone: the one pod that never became ready does not hold up the way back."""
    assert next_surge(Levels(1, 0, 4, 4), Limits(4, 1, 0)) == Shrink(0)


def test_an_unready_pod_is_not_counted_on_to_go_first() -> None:
    assert next_surge(Levels(4, 3, 1, 1), Limits(4, 1, 0)) == Wait()


@st.composite
def situations(draw: st.DrawFn) -> tuple[Levels, Limits]:
    total = draw(st.integers(0, 12))
    surge = draw(st.integers(0, 5))
    limits = Limits(total, surge, draw(st.integers(0 if surge else 1, 5)))
    giving = draw(st.integers(0, total + 2))
    getting = draw(st.integers(0, total + 2))
    levels = Levels(giving, draw(st.integers(0, giving)), getting, draw(st.integers(0, getting)))
    return levels, limits


@given(situations())
def test_no_write_breaks_a_limit(situation: tuple[Levels, Limits]) -> None:
    levels, limits = situation
    match next_surge(levels, limits):
        case Grow(replicas):
            assert replicas > levels.getting
            assert levels.giving + replicas <= limits.total + limits.surge
            assert replicas <= limits.total
        case Shrink(replicas):
            assert 0 <= replicas < levels.giving
            lost = min(levels.giving - replicas, levels.giving_available)
            left = levels.giving_available + levels.getting_available - lost
            assert left >= limits.total - limits.unavailable
        case Moved():
            assert levels.giving == 0
            assert levels.getting_available >= limits.total
        case Wait():
            assert (levels.giving_available, levels.getting_available) != (levels.giving, levels.getting) or (
                levels.giving + levels.getting > limits.total + limits.surge
                or levels.giving + levels.getting < limits.total - limits.unavailable
                or levels.getting > limits.total
            )


@given(st.integers(1, 12), st.integers(0, 12), st.integers(0, 12))
def test_every_move_ends(total: int, surge: int, unavailable: int) -> None:
    limits = Limits(total, surge, unavailable if surge else max(1, unavailable))
    assert walk(limits)[-1] == (0, total)


@pytest.mark.parametrize(
    ("total", "surge", "unavailable", "budgets", "limits"),
    [
        pytest.param(10, "25%", 0, [], (10, 3, 0), id="a surge rounds up"),
        pytest.param(10, "25%", "25%", [], (10, 3, 2), id="what may be unavailable rounds down"),
        pytest.param(1, "25%", 0, [], (1, 1, 0), id="one pod still has a surge of one"),
        pytest.param(0, "25%", 0, [], (0, 0, 0), id="nothing to move"),
        pytest.param(10, 1, 3, [{"maxUnavailable": 1}], (10, 1, 1), id="a budget lowers it"),
        pytest.param(10, 1, 3, [{"minAvailable": "95%"}], (10, 1, 0), id="shares of a budget round up"),
        pytest.param(10, 1, 3, [{"minAvailable": 8}, {"maxUnavailable": "10%"}], (10, 1, 1), id="the least"),
        pytest.param(10, 1, 3, [{}], (10, 1, 3), id="an empty budget"),
    ],
)
def test_limits(
    total: int, surge: int | str, unavailable: int | str, budgets: list[Raw], limits: tuple[int, ...]
) -> None:
    assert surge_limits(total, surge, unavailable, [{"spec": each} for each in budgets])[:3] == limits


@pytest.mark.parametrize(
    ("surge", "unavailable", "budgets", "text"),
    [
        pytest.param(0, 0, [], "--max-surge is 0, and 0 unavailable", id="nothing and nothing"),
        pytest.param(
            0, 1, [{"spec": {"maxUnavailable": 0}}], "PodDisruptionBudget", id="a budget forbids it"
        ),
        pytest.param(-1, 0, [], "negative", id="negative"),
        pytest.param("x", 0, [], "percentage", id="not a number"),
    ],
)
def test_limits_that_let_nothing_move(
    surge: int | str, unavailable: int | str, budgets: list[Raw], text: str
) -> None:
    with pytest.raises(ValueError, match=text):
        surge_limits(4, surge, unavailable, budgets)


def test_a_budget_never_allows_more_than_all() -> None:
    assert budget_allows({"spec": {"maxUnavailable": 9}}, 4) == 4

"""Ordinals and scaling, one pass at a time (advanced-statefulset.md §12.1–§12.5, examples X-1 to X-28)."""

from typing import Any

import pytest

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.statefulset.condemned import plan_condemned
from kubectl_kruise.engine.statefulset.ordinals import ordinals_of, parse_reserved
from kubectl_kruise.engine.statefulset.steps import Delete
from kubectl_kruise.engine.statefulset.view import read_statefulset
from tests.engine.statefulset.builders import (
    START_ORDINAL,
    decide,
    pods,
    revision,
    situation,
    statefulset,
    stop_reason,
    wait,
)

R1 = revision("r1")


@pytest.mark.parametrize(
    ("start", "replicas", "reserved", "expected"),
    [
        pytest.param(2, 3, [], [2, 3, 4], id="X-1"),
        pytest.param(2, 3, [0, 4], [2, 3, 5], id="X-2"),
        pytest.param(2, 3, [0, 2, 3, 4, 5], [6, 7, 8], id="X-3"),
        pytest.param(1, 4, [1, 3, 4], [2, 5, 6, 7], id="X-4"),
        pytest.param(0, 3, [0, "2-5"], [1, 6, 7], id="X-5"),
        pytest.param(0, 1, [0, "2-5"], [1], id="X-5 scaled to 1"),
        pytest.param(0, 4, [1, 3], [0, 2, 4, 5], id="X-6 start 0"),
        pytest.param(2, 4, [1, 3], [2, 4, 5, 6], id="X-6 start 2"),
        pytest.param(3, 4, [1, 3], [4, 5, 6, 7], id="X-6 start 3"),
        pytest.param(4, 4, [1, 3], [4, 5, 6, 7], id="X-6 start 4"),
        pytest.param(0, 4, ["2-5", 7], [0, 1, 6, 8], id="X-7"),
        pytest.param(0, 0, [0], [], id="P-2 no replicas"),
        pytest.param(0, 2, [7, "0-3", "2-5", 6], [8, 9], id="S-7 ranges overlap and touch"),
        pytest.param(0, 2, ["3-3"], [0, 1], id="S-7 a range of one"),
        pytest.param(0, 2, [0, "5-3"], [0, 1], id="S-7 one that ends before it begins empties the list"),
        pytest.param(0, 2, [0, "7"], [0, 1], id="S-7 a quoted number empties the list"),
        pytest.param(0, 2, [0, "a"], [0, 1], id="S-7 what is no range empties the list"),
        pytest.param(0, 2, ["1-99999999999"], [0, 100_000_000_000], id="W-3 ends beyond 32 bits"),
        pytest.param(3, 2, [0, 1, 20], [3, 4], id="S-8 reserved ones outside the range"),
        pytest.param(0, 9, [3, 4], [0, 1, 2, 5, 6, 7, 8, 9, 10], id="fault B045"),
        pytest.param(0, 5, ["3-5", 8], [0, 1, 2, 6, 7], id="fault B094"),
        pytest.param(0, 5, ["3-5", 6, 8], [0, 1, 2, 7, 9], id="fault B094 with 6 reserved as well"),
    ],
)
def test_ordinals(start: int, replicas: int, reserved: list[int | str], expected: list[int]) -> None:
    assert ordinals_of(start, replicas, parse_reserved(reserved)) == expected


@pytest.mark.parametrize(
    ("gates", "expected"),
    [(Gates(), "create 0@r2, create 1@r2"), (START_ORDINAL, "create 5@r2, create 6@r2")],
    ids=["X-8", "X-8 with its gate"],
)
def test_the_first_ordinal_needs_its_gate(gates: Gates, expected: str) -> None:
    view = statefulset("PA n 2", gates=gates, ordinals={"start": 5})

    assert decide(situation(view, [])) == expected


@pytest.mark.parametrize(
    ("spec", "existing", "expected"),
    [
        pytest.param("OR", "", "create 0@r1", id="X-9"),
        pytest.param("OR", "0-", "", id="X-10"),
        pytest.param("OR", "0+", "create 1@r1", id="X-11"),
        pytest.param("OR ready 60", "0~5", "", id="X-12"),
        pytest.param(
            "PA n 5 ready 60",
            "",
            "create 0@r1, create 1@r1, create 2@r1, create 3@r1, create 4@r1",
            id="X-13",
        ),
        pytest.param("PA n 5 smu 2", "", "create 0@r1, create 1@r1", id="X-14"),
        pytest.param("PA n 5 smu 2", "0P 1+", "create 2@r1", id="X-15"),
        pytest.param("PA n 10 smu 2", "0+ 1+ 2+", "create 3@r1, create 4@r1", id="X-16"),
        pytest.param(
            "PA n 100 smu 10%", "", ", ".join(f"create {ordinal}@r1" for ordinal in range(10)), id="X-17"
        ),
        pytest.param("PA smu 1", "0F 1+ 2+", "", id="X-18"),
        pytest.param("PA smu 2", "0F 1+ 2+", "delete 0", id="X-18 with two units"),
        pytest.param("PA", "0F 1+ 2+", "delete 0", id="X-18 without a limit"),
        pytest.param("PA n 5 smu 2", "0-T 1+ 2+", "", id="X-19"),
        pytest.param("PA n 5 smu 2", "0T 1+ 2+", "create 3@r1", id="X-19 still ready"),
        pytest.param(
            "PA n 5 smu 2", "0FT 1+ 2+", "create 3@r1", id="P-27 held by a finalizer only: one unit"
        ),
        pytest.param("OR", "0+ 1F 2+", "delete 1", id="X-20"),
        pytest.param("OR", "0+ 2+", "create 1@r1", id="X-20 next"),
        pytest.param("OR n 5", "0T 1+ 2+", "", id="X-21"),
        pytest.param("OR n 5", "1+ 2+", "create 0@r1", id="X-21 once it is gone"),
        pytest.param("OR", "0+ 1+ 2+ 3T 4T", "", id="X-22"),
        pytest.param("OR n 1", "0+ 1+ 2+", "delete 2", id="X-23"),
        pytest.param("OR n 1", "0+ 1- 2-", "", id="X-24"),
        pytest.param("OR n 1", "0+ 1+ 2-", "delete 2", id="X-24 the highest is the unhealthy one"),
        pytest.param("OR n 1", "0+ 1- 2+", "delete 2", id="X-24 the highest is well"),
        pytest.param("PA n 1", "0+ 1- 2T", "delete 1", id="X-25"),
        pytest.param(
            "OR n 1 ready 60", "0+ 1~5", "", id="P-42 not yet available, though nobody is unhealthy"
        ),
        pytest.param("OR ready 60", "0+ 1+ 2~59", "", id="P-25 one second is left"),
        pytest.param("OR n 4 ready 60", "0+ 1+ 2~60", "create 3@r1", id="P-25 no second is left"),
        pytest.param("OR", "0F", "delete 0", id="P-20"),
        pytest.param("OR", "0FT", "", id="P-20 it terminates already"),
        pytest.param(
            "PA smu 2", "0+ 1F 2+ 7+", "delete 1; delete 7", id="the pass goes on behind a used up budget"
        ),
        pytest.param("PA smu 1 n 4", "0- 1+", "", id="P-27 one that is down uses it up"),
        pytest.param("PA n 2", "0- 1-", "", id="P-28 without a limit nobody waits"),
        pytest.param("OR n 3", "0+ 1+ 2+ 3- 4+", "delete 4", id="fault B154 the ready one goes first"),
        pytest.param("OR n 3", "0+ 1+ 2+ 3-", "delete 3", id="fault B154 then the unready one"),
        pytest.param("OR n 3", "0+ 1- 2+ 3+ 4+", "", id="fault B154 a replica is unready"),
        pytest.param("PA n 3", "0+ 1+ 2+ 3- 4+", "delete 4, delete 3", id="fault B154 in Parallel"),
        pytest.param("PA n 6", "0+ 1T 2+ 3+", "create 4@r1, create 5@r1", id="fault B148"),
        pytest.param("OR n 6", "0+ 1T 2+ 3+", "", id="fault B148 in OrderedReady"),
    ],
)
def test_one_pass_of_scaling(spec: str, existing: str, expected: str) -> None:
    at = situation(statefulset(spec), pods(existing), current=R1, update=R1)

    assert decide(at) == expected


def test_a_young_pod_is_looked_at_when_time_alone_makes_it_available() -> None:
    """X-12: 55 of 60 seconds are left."""
    at = situation(statefulset("OR ready 60"), pods("0~5"), current=R1, update=R1)

    assert wait(at) == 55
    assert stop_reason(at) == "pod web-0 has to be available first"


@pytest.mark.parametrize(
    ("spec", "existing", "expected"),
    [
        pytest.param("PA", "0+ 1+ 2+", "create 3@r1; delete 1", id="X-26"),
        pytest.param("OR", "0+ 1+ 2+", "create 3@r1", id="X-27"),
        pytest.param("OR", "0+ 1+ 2+ 3+", "delete 1", id="X-27 once 3 is available"),
    ],
)
def test_an_ordinal_that_becomes_reserved(spec: str, existing: str, expected: str) -> None:
    at = situation(statefulset(spec, reserveOrdinals=[1]), pods(existing), current=R1, update=R1)

    assert decide(at) == expected


@pytest.mark.parametrize(
    ("spec", "existing", "expected"),
    [
        pytest.param("OR", "0+ 1+", "create 2@r1", id="X-28"),
        pytest.param("OR", "0+ 1+ 2+ 3+ 4-", "", id="X-28 the last of the new ones is not available"),
        pytest.param("OR", "0+ 1+ 2+ 3+ 4+", "delete 1", id="X-28 the higher one of the old goes first"),
        pytest.param("OR", "0+ 2+ 3+ 4+", "delete 0", id="X-28 then the lower one"),
        pytest.param(
            "PA", "0+ 1+", "create 2@r1, create 3@r1, create 4@r1; delete 1, delete 0", id="X-28 PA"
        ),
    ],
)
def test_the_first_ordinal_moves(spec: str, existing: str, expected: str) -> None:
    view = statefulset(spec, gates=START_ORDINAL, ordinals={"start": 2})

    assert decide(situation(view, pods(existing), current=R1, update=R1)) == expected


def test_condemned_pods_of_a_parallel_set_go_together() -> None:
    """§12.5: in growing batches, of which the first error keeps the rest back."""
    phase = plan_condemned(situation(statefulset("PA n 1"), pods("0 1 2 3"), current=R1, update=R1))

    assert phase.together
    assert [step.member.ordinal for step in phase.steps if isinstance(step, Delete)] == [3, 2, 1]


def test_a_set_that_is_being_deleted_does_nothing() -> None:
    """P-7."""
    view = statefulset("PA", meta={"deletionTimestamp": "2027-01-15T08:00:00Z"})

    assert decide(situation(view, pods("0F 5+"))) == ""


@pytest.mark.parametrize(
    ("value", "replicas", "expected"),
    [(None, 3, None), (2, 10, 2), ("10%", 100, 10), ("10%", 5, 1), ("1%", 1000, 10), (0, 3, 1), ("5", 40, 2)],
    ids=[
        "no limit",
        "a number",
        "a share",
        "never below one",
        "of many",
        "never none",
        "a text is a percentage",
    ],
)
def test_how_many_may_be_down_while_scaling(value: Any, replicas: int, expected: int | None) -> None:
    """S-4, S-6 and the reading of strings in §1; row 16 of the odd manifests."""
    raw = {"spec": {"replicas": replicas, "scaleStrategy": {"maxUnavailable": value}}}

    assert read_statefulset(raw).scale_unavailable == expected

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.engine.changes.change import Change, Unchanged
from kubectl_kruise.engine.changes.partitioning import Step, parse_partition, parse_step, plan_partition
from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.notation.number import IntOrPercent, partition
from tests.engine.changes.workloads import advanced_set, cloneset, deployment, surging_on_delete


@pytest.mark.parametrize(
    ("text", "value"),  # fault B078
    [
        ("0", 0),
        ("3", 3),
        ("5 ", 5),
        ("50%", "50%"),
        ("12.5%", "12.5%"),
        ("60%", "60%"),
        ("33.4%", "33.4%"),
        ("120%", "120%"),
        (" 5 ", 5),
    ],
)
def test_numbers_and_percentages_are_read(text: str, value: IntOrPercent) -> None:
    assert parse_partition(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abc", 'partition: "abc" is neither a whole number nor a percentage such as 25%'),
        ("5%%", 'partition: "5%%" is neither a whole number nor a percentage such as 25%'),
        ("1.5", 'partition: "1.5" is neither a whole number nor a percentage such as 25%'),
        ("", 'partition: "" is neither a whole number nor a percentage such as 25%'),
        ("-1", 'partition "-1" is negative'),
        ("-5%", 'partition "-5%" is negative'),
    ],
)
def test_malformed_partitions_are_named(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_partition(text)

    assert refusal.value.message == message


def test_a_malformed_step_is_named() -> None:
    with pytest.raises(UsageError, match='--by: "ten" is neither'):
        parse_step("ten")


@pytest.mark.parametrize(
    ("now", "step", "moved"),
    [
        pytest.param(3, "-2", 1, id="pods"),
        pytest.param(3, "-9", 0, id="not below none"),
        pytest.param(3, "+9", 5, id="not above all"),
        pytest.param("60%", "-20%", "40%", id="percent points"),
        pytest.param("60%", "-70%", "0%", id="points, not below none"),
        pytest.param("90%", "+20%", "100%", id="points, not above all"),
        pytest.param("33.4%", "-0.4%", "33%", id="fractions of a point"),
        pytest.param(None, "+20%", 1, id="share of the pods where there was none"),
        pytest.param(4, "-50%", 1, id="half of five pods is three"),
        pytest.param("60%", "-1", 2, id="pods from a percentage"),
    ],
)
def test_steps_move_the_partition_within_its_bounds(
    now: IntOrPercent | None, step: str, moved: IntOrPercent
) -> None:
    strategy = {} if now is None else {"partition": now}

    decision = plan_partition(cloneset(strategy=strategy), parse_step(step))

    assert isinstance(decision, Change)
    assert decision.operations[-1]["value"] == moved


def test_the_note_counts_pods_before_and_after() -> None:
    decision = plan_partition(cloneset(strategy={"partition": "60%"}, replicas=100), "30%")

    assert isinstance(decision, Change)
    assert decision.notes == (
        "partition 60% → 30%: 60 → 30 of 100 pods stay on the old revision, 40 → 70 are to be updated",
    )
    assert decision.warnings == ()


def test_a_partition_above_the_replicas_holds_back_all_and_says_so() -> None:
    decision = plan_partition(cloneset(strategy={"partition": 0, "paused": True}), 12)

    assert isinstance(decision, Change)
    assert decision.notes == (
        "partition 0 → 12: 0 → 5 of 5 pods stay on the old revision, 5 → 0 are to be updated",
        "12 is more than the 5 replicas: it holds back all of them",
        "the rollout is paused: nothing moves until it is resumed",
    )


@pytest.mark.parametrize(
    ("status", "seen"),
    [
        pytest.param(
            {"observedGeneration": 1, "updatedReplicas": 4},
            " (3 of the 4 updated ones are more than it allows)",
            id="seen",
        ),
        pytest.param({}, "", id="a status that nobody wrote yet"),
        pytest.param({"updatedReplicas": 1}, "", id="an old status that shows none too many"),
    ],
)
def test_raising_warns_that_nothing_goes_back(
    status: dict[str, int], seen: str
) -> None:  # rollout-operations.md §3
    decision = plan_partition(cloneset(strategy={"partition": 1}, status=status), 4)

    assert isinstance(decision, Change)
    (warning,) = decision.warnings
    assert warning == (
        f"raising the partition does not roll updated pods back{seen}, unless the manager runs with the gate "
        "CloneSetPartitionRollback; rollout undo does"
    )


def test_another_spelling_of_the_same_number_holds_nothing_back() -> None:
    decision = plan_partition(cloneset(strategy={"partition": 1}), "20%")

    assert isinstance(decision, Change)
    assert decision.warnings == ()


def test_a_partition_of_all_replicas_is_not_too_large() -> None:
    decision = plan_partition(cloneset(strategy={"partition": 1}), 5)

    assert isinstance(decision, Change)
    assert decision.notes == (
        "partition 1 → 5: 1 → 5 of 5 pods stay on the old revision, 4 → 0 are to be updated",
    )


IDLE = {
    "observedGeneration": 1, "currentRevision": "a", "updateRevision": "a", "replicas": 5, "updatedReplicas": 5,
}  # fmt: skip


def test_between_two_rollouts_the_partition_is_for_the_next() -> None:
    decision = plan_partition(cloneset(status=IDLE), 4)

    assert isinstance(decision, Change)
    assert decision.warnings == ()
    assert decision.notes == (
        "partition absent → 4: at the next update 4 of 5 pods stay on the old revision, 1 is to be updated",
    )


def test_pods_left_behind_by_an_undo_are_old_ones() -> None:
    decision = plan_partition(cloneset(strategy={"partition": 2}, status={**IDLE, "updatedReplicas": 3}), 0)

    assert isinstance(decision, Change)
    assert decision.notes == (
        "partition 2 → 0: 2 → 0 of 5 pods stay on the old revision, 3 → 5 are to be updated",
    )


def test_raising_before_any_pod_is_updated_needs_no_warning() -> None:
    status = {"observedGeneration": 1, "updatedReplicas": 1}

    decision = plan_partition(cloneset(strategy={"partition": 1}, status=status), 4)

    assert isinstance(decision, Change)
    assert decision.warnings == ()


@pytest.mark.parametrize(
    ("strategy", "wanted"),
    [({"partition": 2}, 2), ({}, 0), (None, 0), ({"partition": "20%"}, "20%")],
    ids=str,
)
def test_the_same_partition_again_changes_nothing(
    strategy: dict[str, IntOrPercent] | None, wanted: IntOrPercent
) -> None:
    assert isinstance(plan_partition(cloneset(strategy=strategy), wanted), Unchanged)


def test_kinds_and_types_without_a_partition_are_refused() -> None:
    with pytest.raises(UsageError, match='deployment "web" has no partition'):
        plan_partition(deployment(), 1)
    with pytest.raises(UsageError, match="OnDelete"):
        plan_partition(cloneset(strategy={"type": "OnDelete"}), 1)


@given(st.integers(0, 50), st.integers(0, 60), st.integers(-100, 100), st.booleans())
def test_a_step_never_leaves_the_bounds(replicas: int, now: int, amount: int, percent: bool) -> None:
    workload = cloneset(strategy={"partition": now}, replicas=replicas)

    decision = plan_partition(workload, Step(amount, percent))

    if isinstance(decision, Change):
        value = decision.operations[-1]["value"]
        assert 0 <= value <= replicas
        assert (partition(value, replicas) - workload.partition) * amount >= 0


def test_raising_under_a_hook_warns_of_pods_that_flap() -> None:  # cloneset.md §26 Q25
    hooked = {"lifecycle": {"inPlaceUpdate": {"finalizersHandler": ["shop/online"]}}}

    decision = plan_partition(cloneset(strategy={"partition": 1}, status={"updatedReplicas": 4}, **hooked), 4)

    assert isinstance(decision, Change)
    assert len(decision.warnings) == 2
    assert decision.warnings[1].startswith(
        "with that gate and the inPlaceUpdate hook no pod goes back either"
    )


def test_a_partition_holds_back_the_pods_that_a_surge_replaces() -> None:  # cloneset.md §26 Q26
    assert isinstance(plan_partition(surging_on_delete(), 3), Change)


@pytest.mark.parametrize(
    ("wanted", "status", "told"),
    [
        pytest.param(1, {"updatedReplicas": 2}, "updates web-2, web-1; updated already: web-4, web-3; keeps web-0", id="further"),
        pytest.param(0, {"updatedReplicas": 2}, "updates web-2, web-1, web-0; updated already: web-4, web-3", id="to the end"),
        pytest.param(4, {"updatedReplicas": 2}, "updated already: web-4; keeps web-0, web-1, web-2, web-3", id="back"),
        pytest.param(1, {}, "updates web-4, web-3, web-2, web-1; keeps web-0", id="none is updated yet"),
        pytest.param(
            1, {"updatedReplicas": 2, "observedGeneration": 0}, "updates web-4, web-3, web-2, web-1; keeps web-0",
            id="counted before the last change",
        ),
        pytest.param(
            1, {"updatedReplicas": 5, "currentRevision": "b"}, "updates web-4, web-3, web-2, web-1; keeps web-0",
            id="nothing under way: at the next update",
        ),
    ],
)  # fmt: skip
def test_pods_of_a_set_that_are_updated_already_are_told_apart(
    wanted: int, status: dict[str, object], told: str
) -> None:
    seen = {"observedGeneration": 1, "replicas": 5, "currentRevision": "a", "updateRevision": "b", **status}
    decision = plan_partition(advanced_set(rolling={"partition": 3}, status=seen), wanted)

    assert isinstance(decision, Change)
    assert decision.notes[1] == told

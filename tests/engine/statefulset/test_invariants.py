"""What holds of every pass over every set, and of a rollout until its end (advanced-statefulset.md §12, §13)."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.engine.statefulset.forecast import forecast
from kubectl_kruise.engine.statefulset.ordinals import ordinals_of, parse_reserved
from kubectl_kruise.engine.statefulset.plan import plan_pass
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.engine.statefulset.steps import (
    Create,
    Delete,
    InPlace,
    PrepareDelete,
    PrepareUpdate,
    Refresh,
    Step,
)
from tests.engine.statefulset.builders import pod, revision, situation, statefulset

MARKS = ("+", "+", "+", "-", "T", "F", "P", "D", "DT", "~5")
R1, R2 = revision("r1"), revision("r2")


@st.composite
def sets(draw: st.DrawFn) -> Situation:
    """Set with some of its pods, some beyond it, of both revisions and in any condition."""
    parallel = draw(st.booleans())
    replicas = draw(st.integers(0, 7))
    words = [f"{'PA' if parallel else 'OR'} n {replicas} part {draw(st.integers(0, 8))}"]
    words.append(draw(st.sampled_from(("", "InPlaceIfPossible", "ready 60", "paused"))))
    if parallel:
        words.append(f"mu {draw(st.integers(1, 4))}")
        words += draw(st.sampled_from(([], ["smu 1"], ["smu 2"], ["smu 50%"])))
    rolling: dict[str, Any] = {"unorderedUpdate": {}} if parallel and draw(st.booleans()) else {}
    reserved = draw(st.lists(st.integers(0, 5), max_size=3))
    view = statefulset(" ".join(words), rolling=rolling, reserveOrdinals=reserved)
    ordinals = draw(st.sets(st.integers(0, 10), max_size=9))
    listed = [
        pod(ordinal, draw(st.sampled_from(("r1", "r2"))), draw(st.sampled_from(MARKS)))
        for ordinal in sorted(ordinals)
    ]
    return situation(view, listed)


def _steps(at: Situation) -> list[Step]:
    return [step for phase in plan_pass(at) for step in phase.steps]


def _taken_down(steps: Sequence[Step]) -> list[Any]:
    return [
        step.member for step in steps if isinstance(step, Delete | InPlace | PrepareUpdate | PrepareDelete)
    ]


@given(sets())
def test_a_pass_takes_no_more_down_than_may_be_unavailable(at: Situation) -> None:
    """P-54 to P-59: what is condemned or has ended goes beside the budget."""
    replicas = {member.name: member for member in at.slots.replicas}
    down = {name for name, member in replicas.items() if not member.available or member.terminating}
    taken = {member.name for member in _taken_down(_steps(at)) if member.name in replicas}

    assert len(taken - down) <= max(0, at.view.unavailable - len(down))


@given(sets())
def test_an_ordinal_is_made_once_and_never_beside_its_pod(at: Situation) -> None:
    created = [step.member.ordinal for step in _steps(at) if isinstance(step, Create)]
    existing = {member.ordinal for member in at.slots.claimed}

    assert created == sorted(set(created))
    assert not existing & set(created)
    assert set(created) <= set(ordinals_of(0, at.view.replicas, at.view.reserved))


@given(sets())
def test_no_pod_is_taken_down_twice(at: Situation) -> None:
    """But for one that has ended: its place deletes it, and the update goes by what it was before (§1)."""
    names = [member.name for member in _taken_down(_steps(at)) if not member.finished]

    assert len(names) == len(set(names))


@given(sets())
def test_the_partition_is_kept(at: Situation) -> None:
    """S-3: of the protected ranks only those go that have ended, or that somebody chose."""
    if at.view.unordered:
        return
    protected = {member.name for member in at.slots.replicas[: at.view.partition]}
    taken = {
        member.name for member in _taken_down(_steps(at)) if not member.finished and not member.specified
    }

    assert not taken & protected
    assert all(
        step.member.revision == "r1"
        for step in _steps(at)
        if isinstance(step, Create) and step.member.name in protected
    )


@given(sets())
def test_unordered_updates_keep_as_many_old_pods(at: Situation) -> None:
    """O-2: whatever is updated, `partition` pods stay, those that are updated or end already counted first."""
    if not at.view.unordered or at.view.paused:
        return
    steps = [
        step.member
        for step in _steps(at)
        if isinstance(step, Delete | InPlace) and step.member in at.slots.replicas
    ]
    updates = [member for member in steps if not member.finished and not member.specified]
    begun = sum(member.revision == "r2" or member.terminating for member in at.slots.replicas)

    assert not updates or begun + len(updates) <= len(at.slots.replicas) - at.view.partition


@given(sets())
def test_an_ordered_set_changes_one_pod_at_a_time(at: Situation) -> None:
    """§12.3, §12.5: refreshing pods aside, and a chosen pod beside one that is updated."""
    if not at.view.monotonic:
        return
    steps = [step for step in _steps(at) if not isinstance(step, Refresh)]

    assert len(steps) <= 1


@st.composite
def healthy_rollouts(draw: st.DrawFn) -> Situation:
    replicas, most = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    reserved = draw(st.lists(st.integers(0, 5), max_size=3))
    view = statefulset(f"PA n {replicas} mu {most} part {draw(st.integers(0, 8))}", reserveOrdinals=reserved)
    return situation(view, [pod(ordinal) for ordinal in ordinals_of(0, replicas, parse_reserved(reserved))])


@given(healthy_rollouts())
def test_a_rollout_goes_as_it_was_told(at: Situation) -> None:
    """§18.4: pass by pass, every pod available again before the next, until nothing is left."""
    told = forecast(at)
    of = {member.ordinal: "r1" for member in at.slots.replicas}
    waves = []
    while taken := _taken_down(_steps(situation(at.view, [pod(ordinal, of[ordinal]) for ordinal in of]))):
        waves.append(tuple(member.ordinal for member in taken))
        of |= dict.fromkeys(waves[-1], "r2")

    assert told.waves == tuple(waves)
    assert {ordinal for ordinal, name in of.items() if name == "r1"} == set(told.kept)
    targets = max(0, at.view.replicas - at.view.partition)
    assert len(waves) == -(-targets // at.view.unavailable)

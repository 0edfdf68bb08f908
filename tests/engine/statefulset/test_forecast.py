"""What a rollout will do, told before it happens (advanced-statefulset.md §18)."""

from typing import Any

import pytest

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.statefulset.forecast import Method, forecast
from tests.engine.statefulset.builders import START_ORDINAL, pod, pods, revision, situation, statefulset

OTHER_ENV = revision(
    "r2",
    metadata={"labels": {"app": "web"}},
    spec={"containers": [{"name": "main", "image": "a:1", "env": [{"name": "A", "value": "1"}]}]},
)


@pytest.mark.parametrize(
    ("spec", "existing", "waves", "waiting"),
    [
        pytest.param("PA n 5 mu 2", "0 1 2 3 4", ((4, 3), (2, 1), (0,)), (), id="§18.4 chunks of two"),
        pytest.param("OR n 3", "0 1 2", ((2,), (1,), (0,)), (), id="§18.4 OrderedReady, one by one"),
        pytest.param("PA n 5 mu 3 part 4", "0 1 2 3 4", ((4,),), (), id="§18.8 a canary of one"),
        pytest.param(
            "PA n 5 mu 2", "0 1 2 3:r2 4:r2", ((2, 1), (0,)), (), id="§18.1 those through are left out"
        ),
        pytest.param("PA n 4 mu 1", "0- 1 2 3", (), (3, 2, 1, 0), id="X-51 nothing ever begins"),
        pytest.param(
            "PA n 4 mu 2",
            "0- 1 2 3",
            ((3,), (2,), (1, 0)),
            (),
            id="P-58 the broken one is free, once reached",
        ),
        pytest.param("PA n 4 mu 1", "0 1 2- 3-", ((3, 2), (1,), (0,)), (), id="X-53"),
        pytest.param(
            "PA n 4 mu 1", "0 1 2 3:r2-", ((2,), (1,), (0,)), (), id="an updated pod comes back by itself"
        ),
        pytest.param("PA n 4 mu 1", "0 1 2", ((2,), (1,), (0,)), (), id="so does a missing one"),
        pytest.param(
            "OR n 3", "0 1- 2", (), (2, 1, 0), id="§18.3 blocked by the lowest that is not available"
        ),
        pytest.param("OR n 3", "0 1 2 3", (), (2, 1, 0), id="§18.3 blocked by one too many"),
        pytest.param(
            "PA n 3", "0 1 2 3", ((2,), (1,), (0,)), (), id="in Parallel one too many blocks nothing"
        ),
        pytest.param("PA n 3 part 3", "0 1 2", (), (), id="§18.6 the partition keeps all"),
        pytest.param("PA n 3", "0:r2 1:r2 2:r2", (), (), id="nothing is left to do"),
        pytest.param(
            "PA n 4 mu 2", "0:r2D 1 2 3:r2D", ((3, 0), (2, 1)), (), id="P-56 chosen ones come first"
        ),
        pytest.param(
            "PA n 4 mu 1", "0:r2D 1 2 3-", ((3,), (0,), (2,), (1,)), (), id="P-56 with no room left"
        ),
    ],
)
def test_waves(spec: str, existing: str, waves: Any, waiting: Any) -> None:
    told = forecast(situation(statefulset(spec), pods(existing)))

    assert (told.waves, told.waiting) == (waves, waiting)


def test_kept_ordinals_are_those_of_the_lowest_ranks() -> None:
    """Fault B045: nine replicas, 3 and 4 reserved, partition 5."""
    view = statefulset("PA n 9 part 5 mu 4", reserveOrdinals=[3, 4])
    told = forecast(situation(view, pods("0 1 2 5 6 7:r2 8:r2 9:r2 10:r2")))

    assert (told.kept, told.updated, told.waves) == ((0, 1, 2, 5, 6), (7, 8, 9, 10), ())


def test_a_start_ordinal_moves_them() -> None:
    """Odd manifest 07: partition 2 keeps 5 and 6."""
    view = statefulset("PA part 2", gates=START_ORDINAL, ordinals={"start": 5})
    told = forecast(situation(view, pods("5 6 7")))

    assert (told.kept, told.waves) == ((5, 6), ((7,),))


def test_an_unordered_rollout_of_some() -> None:
    """Odd manifest 16: pods 0, 2, 3, 7, 8, of which 2 update, 2 at a time."""
    view = statefulset(
        "n 5 PA part 3 mu 50% smu 30%",
        reserveOrdinals=[1, "4-6"],
        rolling={"unorderedUpdate": {"priorityStrategy": {"orderPriority": [{"orderedKey": "rank"}]}}},
    )
    listed = [pod(ordinal, labels={"rank": str(ordinal)}) for ordinal in (0, 2, 3, 7, 8)]
    told = forecast(situation(view, listed))

    assert (view.unavailable, view.scale_unavailable) == (2, 1)
    assert (told.waves, told.kept) == (((8, 7),), (0, 2, 3))


@pytest.mark.parametrize(
    ("spec", "update", "methods", "waves"),
    [
        pytest.param("PA InPlaceIfPossible", None, [Method.IN_PLACE] * 3, ((2,), (1,), (0,)), id="an image"),
        pytest.param("PA", None, [Method.RECREATE] * 3, ((2,), (1,), (0,)), id="ReCreate"),
        pytest.param(
            "PA InPlaceIfPossible", OTHER_ENV, [Method.RECREATE] * 3, ((2,), (1,), (0,)), id="falls back"
        ),
        pytest.param("PA InPlaceOnly", OTHER_ENV, [Method.IMPOSSIBLE] * 3, (), id="impossible"),
    ],
)
def test_methods(spec: str, update: Any, methods: list[Method], waves: Any) -> None:
    told = forecast(situation(statefulset(spec), pods("0 1 2"), update=update))

    assert [target.method for target in told.targets] == methods
    assert told.waves == waves


def test_a_pod_of_an_unknown_revision_stops_the_others_behind_it_in_place_only() -> None:
    told = forecast(situation(statefulset("PA mu 3 InPlaceOnly"), pods("0 1:r7 2")))

    assert told.waves == ((2,),)
    assert told.waiting == (1, 0)


@pytest.mark.parametrize(
    ("spec", "existing", "expected"),
    [
        ("PA paused", "0 1 2", ["paused"]),
        ("PA part 3", "0 1 2", ["partition 3 keeps all pods as they are"]),
        ("PA", "0- 1 2", ["pod web-2 waits: at most 1 may be unavailable, web-0 is"]),
        ("OR", "0- 1 2", ["pod web-0 has to be available first"]),
        (
            "PA smu 1 mu 3",
            "0 1- 2",
            ["scaling waits: pod web-1 is not available, and no more pods may be unavailable"],
        ),
        ("PA mu 3", "0 1 2", []),
    ],
)
def test_blockers(spec: str, existing: str, expected: list[str]) -> None:
    told = forecast(situation(statefulset(spec), pods(existing)))

    assert [blocker.reason for blocker in told.blockers] == expected


def test_an_impossible_update_is_a_blocker() -> None:
    """§18.6: with the reason, and once."""
    told = forecast(situation(statefulset("PA InPlaceOnly"), pods("0 1 2"), update=OTHER_ENV))

    assert [blocker.reason.partition(":")[0] for blocker in told.blockers] == [
        "pod web-2 can only be updated in place, and cannot"
    ]


def test_a_hook_is_a_blocker() -> None:
    view = statefulset("PA InPlaceIfPossible", lifecycle={"inPlaceUpdate": {"labelsHandler": {"hold": "1"}}})
    held = pod(2, labels={"hold": "1"}, state="PreparingUpdate")
    told = forecast(situation(view, [*pods("0 1"), held]))

    assert "the inPlaceUpdate hook is not released" in [blocker.reason for blocker in told.blockers]


def test_on_delete_tells_what_is_old() -> None:
    view = statefulset("PA", updateStrategy={"type": "OnDelete"})
    told = forecast(situation(view, pods("0 1:r2 2")))

    assert ([target.name for target in told.targets], told.waves) == (["web-2", "web-0"], ())
    assert [blocker.reason for blocker in told.blockers] == ["pods are updated when somebody deletes them"]


def test_a_rollback_leaves_pods_alone_that_have_the_revision_still() -> None:
    """§18.9."""
    view = statefulset("PA n 4 mu 4", gates=Gates())
    told = forecast(situation(view, pods("0 1 2:r2 3:r2"), current=revision("r2"), update=revision("r1")))

    assert (told.updated, told.waves) == ((0, 1), ((3, 2),))

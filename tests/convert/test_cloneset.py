"""CloneSets become Deployments again (migration.md §3.5, §11.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.convert.cloneset import check_convertible, cloneset_to_deployment, refusals
from kubectl_kruise.convert.deployment import Target, deployment_to_cloneset
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.objects.raw import Raw
from tests.convert.sources import cloneset, deployment, rolling


def test_unset_shares_become_what_they_meant() -> None:
    """migration.md §11.1 row 26."""
    made = cloneset_to_deployment(cloneset()).obj
    assert made["spec"]["strategy"] == rolling(0, "20%")


def test_a_cloneset_without_deadline_gets_the_deployments_word_for_it() -> None:
    made = cloneset_to_deployment(cloneset(progressDeadlineSeconds=None)).obj
    assert made["spec"]["progressDeadlineSeconds"] == 2147483647


def test_only_the_gate_of_kruise_leaves_the_template() -> None:
    """migration.md §11.1 row 28."""
    gates = [{"conditionType": "InPlaceUpdateReady"}, {"conditionType": "x/y"}]
    template = {
        "metadata": {
            "labels": {"app": "web", "apps.kruise.io/x": "1"},
            "annotations": {"lifecycle.apps.kruise.io/y": ""},
        },
        "spec": {"containers": [{"name": "main", "image": "web:1"}], "readinessGates": gates},
    }
    result = cloneset_to_deployment(cloneset(template=template))
    assert result.obj["spec"]["template"]["spec"]["readinessGates"] == [{"conditionType": "x/y"}]
    assert result.obj["spec"]["template"]["metadata"] == {"labels": {"app": "web"}, "annotations": {}}
    assert len(result.dropped) == 3


def test_what_has_no_place_in_a_deployment_is_told() -> None:
    """migration.md §3.5, and the rule that nothing goes without a word."""
    template = cloneset()["spec"]["template"]
    template["metadata"]["finalizers"] = ["example.com/drain", "example.com/mine"]
    source = cloneset(
        {"type": "ReCreate", "partition": "33%"},
        template=template,
        lifecycle={"preDelete": {"finalizersHandler": ["example.com/drain"]}},
        newer={"x": 1},
    )
    result = cloneset_to_deployment(source)
    assert [fate.path for fate in result.dropped] == [
        "spec.lifecycle",
        "spec.updateStrategy.partition",
        "spec.newer",
    ]
    assert [(remark.code, "example.com/drain, and" in remark.text) for remark in result.remarks] == [
        ("W-LIFECYCLE", True)
    ]


def test_the_only_gate_leaves_no_empty_list() -> None:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [], "readinessGates": [{"conditionType": "InPlaceUpdateReady"}]},
    }
    assert (
        "readinessGates"
        not in cloneset_to_deployment(cloneset(template=template)).obj["spec"]["template"]["spec"]
    )


@pytest.mark.parametrize(
    ("strategy", "spec", "text"),
    [
        pytest.param(
            {}, {"volumeClaimTemplates": [{}]}, "volumeClaimTemplates", id="migration.md §11.1 row 29"
        ),
        pytest.param({"type": "OnDelete"}, {}, "OnDelete", id="OnDelete"),
        pytest.param({}, {"scaleStrategy": {"podsToDelete": ["web-1"]}}, "podsToDelete", id="pods to delete"),
    ],
)
def test_what_no_deployment_can_do_is_refused(strategy: Raw, spec: Raw, text: str) -> None:
    with pytest.raises(RefusedError, match=text):
        check_convertible(cloneset(strategy, **spec))


def test_a_partition_between_two_revisions_is_refused_a_settled_one_not() -> None:
    held = cloneset({"partition": 2})
    held["status"] = {"updateRevision": "web-2", "currentRevision": "web-1"}
    assert len(list(refusals(held))) == 1
    held["status"]["currentRevision"] = "web-2"
    assert list(refusals(held)) == []


def test_in_place_only_is_lost_with_a_remark() -> None:
    result = cloneset_to_deployment(
        cloneset({"type": "InPlaceOnly", "inPlaceUpdateStrategy": {"gracePeriodSeconds": 5}})
    )
    assert [one.code for one in result.remarks] == ["W-INPLACEONLY"]
    assert [fate.path for fate in result.dropped] == ["spec.updateStrategy.inPlaceUpdateStrategy"]


def test_shares_that_round_otherwise_are_remarked() -> None:
    result = cloneset_to_deployment(cloneset({"maxSurge": 0, "maxUnavailable": "25%"}, replicas=10))
    assert "the CloneSet takes 3 at a time, the Deployment 2" in result.remarks[0].text


@pytest.mark.parametrize(
    ("noted", "expected"),
    [
        pytest.param(
            {"kruise-migrate/strategy": "Recreate"}, {"type": "Recreate"}, id="it came from a Recreate"
        ),
        pytest.param({}, rolling(0, "100%"), id="nobody says so"),
    ],
)
def test_recreate_comes_back_only_where_it_came_from(noted: dict[str, str], expected: Raw) -> None:
    made = cloneset({"maxUnavailable": "100%", "maxSurge": 0}, {"annotations": noted})
    assert cloneset_to_deployment(made).obj["spec"]["strategy"] == expected


_SHARES = st.one_of(st.integers(0, 20), st.integers(0, 100).map("{}%".format))


@given(
    replicas=st.integers(0, 50),
    shares=st.tuples(_SHARES, _SHARES),
    paused=st.booleans(),
    ready=st.integers(0, 400),
    version=st.sampled_from(["v1alpha1", "v1beta1"]),
    policy=st.sampled_from(["ReCreate", "InPlaceIfPossible"]),
)
def test_there_and_back_gives_the_same_deployment(
    replicas: int, shares: tuple[int | str, int | str], paused: bool, ready: int, version: str, policy: str
) -> None:
    """migration.md §11.1 row 30."""
    source = deployment(
        replicas=replicas, strategy=rolling(*shares), paused=paused or None, minReadySeconds=ready
    )
    there = deployment_to_cloneset(source, Target(version=version, policy=policy)).obj
    assert cloneset_to_deployment(there).obj["spec"] == source["spec"]

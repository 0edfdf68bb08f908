"""How large the ReplicaSets of a Deployment are to be (DR3)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.simulation.deployment.annotations import followed
from kubectl_kruise.sandbox.simulation.deployment.sizes import (
    Limits,
    limits_of,
    new_size,
    proportional,
    shrunk_old,
)
from kubectl_kruise.sandbox.simulation.deployment.template import same_template


def rolling(replicas: int, surge: Any, unavailable: Any) -> Raw:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    return {"spec": {"replicas": replicas, "strategy": strategy}}


def replicaset(size: int, available: int | None = None, *, largest: int = 0) -> Raw:
    annotations = {"deployment.kubernetes.io/max-replicas": str(largest)} if largest else {}
    status = {"availableReplicas": size if available is None else available}
    return {"metadata": {"annotations": annotations}, "spec": {"replicas": size}, "status": status}


@pytest.mark.parametrize(
    ("deployment", "limits"),
    [
        pytest.param(rolling(4, "25%", "25%"), Limits(4, 1, 1), id="the defaults of four"),
        pytest.param(rolling(10, "25%", "25%"), Limits(10, 3, 2), id="surge up, unavailable down"),
        pytest.param(rolling(3, 0, "25%"), Limits(3, 0, 1), id="both zero: one unavailable"),
        pytest.param(rolling(2, 1, 5), Limits(2, 1, 2), id="never more unavailable than there are"),
        pytest.param(
            {"spec": {"replicas": 3, "strategy": {"type": "Recreate"}}}, Limits(3, 0, 0), id="Recreate"
        ),
        pytest.param({"spec": {}}, Limits(1, 1, 0), id="nothing given"),
    ],
)
def test_limits(deployment: Raw, limits: Limits) -> None:
    assert limits_of(deployment) == limits


@pytest.mark.parametrize(
    ("own", "total", "size"),
    [
        pytest.param(0, 0, 4, id="first rollout"),
        pytest.param(0, 4, 1, id="as far as the surge goes"),
        pytest.param(1, 5, 1, id="no room"),
        pytest.param(3, 4, 4, id="the last one"),
        pytest.param(6, 6, 4, id="too large"),
    ],
)
def test_size_of_the_new_replicaset(own: int, total: int, size: int) -> None:
    assert new_size(rolling(4, 1, 1), own, total) == size


@pytest.mark.parametrize(
    ("new", "old", "sizes"),
    [
        pytest.param(replicaset(1, 0), [replicaset(4)], [3], id="one may be missing"),
        pytest.param(replicaset(2, 0), [replicaset(3)], [3], id="not before the new ones are available"),
        pytest.param(replicaset(1, 1), [replicaset(4)], [2], id="a new one is available"),
        pytest.param(
            replicaset(0, 0), [replicaset(4), replicaset(1, 0)], [3, 0], id="broken ones first (nd-008)"
        ),
        pytest.param(replicaset(4), [replicaset(1)], [0], id="the end"),
        pytest.param(replicaset(4), [replicaset(0)], [0], id="nothing left"),
    ],
)
def test_a_step_down_of_the_old(new: Raw, old: list[Raw], sizes: list[int]) -> None:
    assert shrunk_old(Limits(4, 1, 1), new, old) == sizes


@given(
    st.integers(0, 12), st.integers(0, 4), st.integers(0, 4),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=4),
)  # fmt: skip
def test_a_step_down_never_breaks_more_than_allowed(
    replicas: int, surge: int, unavailable: int, drawn: list[tuple[int, int]]
) -> None:
    sets = [
        replicaset(size, available) for size, available in drawn
    ]  # more available than wanted: a status that lags
    standing = [min(size, available) for size, available in drawn]
    limits = Limits(replicas, surge, min(unavailable, replicas))

    sizes = shrunk_old(limits, sets[-1], sets[:-1])

    left = [min(size, up) for size, up in zip(sizes, standing, strict=False)]
    assert all(0 <= size <= before for size, (before, _) in zip(sizes, drawn, strict=False))
    assert sum(left) + standing[-1] >= min(sum(standing), limits.least_available)


@pytest.mark.parametrize(
    ("replicas", "active", "sizes"),
    [
        pytest.param(20, [(8, 13), (5, 13)], [14, 9], id="growing keeps the shares"),
        pytest.param(5, [(8, 13), (5, 13)], [5, 3], id="shrinking keeps the shares"),
        pytest.param(0, [(8, 13), (5, 13)], [0, 0], id="to nothing"),
        pytest.param(10, [(8, 13), (5, 13)], [8, 5], id="nothing to do"),
    ],
)
def test_a_change_of_size_in_the_middle_of_a_rollout(
    replicas: int, active: list[tuple[int, int]], sizes: list[int]
) -> None:
    sets = [replicaset(size, largest=largest) for size, largest in active]

    assert proportional(Limits(replicas, 3, 2), 13, sets) == sizes


@given(st.integers(0, 30), st.integers(0, 5), st.lists(st.integers(1, 20), min_size=2, max_size=5))
def test_proportional_scaling_reaches_the_largest_size_exactly(
    replicas: int, surge: int, sizes: list[int]
) -> None:
    sets = [replicaset(size, largest=sum(sizes)) for size in sorted(sizes, reverse=True)]

    result = proportional(Limits(replicas, surge, 0), sum(sizes), sets)

    wanted = replicas + surge if replicas else 0
    assert sum(result) == wanted or (sum(result) >= wanted and min(result) == 0)


def test_templates_are_the_same_whatever_their_hash_label() -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"image": "nginx:1"}]}}
    marked = {"metadata": {"labels": {"app": "web", "pod-template-hash": "x"}}, "spec": template["spec"]}

    assert same_template(template, marked)
    assert not same_template(template, {"metadata": {}, "spec": template["spec"]})


def test_a_template_that_is_rolled_back_to_moves_its_number_to_the_history() -> None:
    old = {"metadata": {"annotations": {"deployment.kubernetes.io/revision": "1"}}}
    last = "kubectl.kubernetes.io/last-applied-configuration"
    owner = {"metadata": {"annotations": {"team": "a", last: "{}", "deployment.kubernetes.io/revision": "3"}}}

    once = followed(owner, old, 4)
    twice = followed(owner, {"metadata": {"annotations": once}}, 6)

    assert once == {
        "team": "a", "deployment.kubernetes.io/revision": "4", "deployment.kubernetes.io/revision-history": "1",
    }  # fmt: skip
    assert twice["deployment.kubernetes.io/revision-history"] == "1,4"
    assert followed(owner, {"metadata": {"annotations": twice}}, 6) == twice

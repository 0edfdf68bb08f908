"""ReplicaSets: which pods go first, what they adopt, how they count (DR6)."""

from typing import Any

import pytest

from kubectl_kruise.facts.kinds import POD, REPLICASET
from kubectl_kruise.objects.raw import Raw, name_of
from kubectl_kruise.sandbox.hooks import Fault
from kubectl_kruise.sandbox.simulation.replicaset.order import deletion_order
from kubectl_kruise.sandbox.simulation.replicaset.status import next_available, replicaset_status
from tests.sandbox.simulation.world import World, pod, reasons

NOW = 1_767_225_600.0  # 2026-01-01T00:00:00Z
LABELS = {"app": "rs"}


def candidate(name: str, **differs: Any) -> Raw:
    """Give a pod that is ready since an hour, but for what differs."""
    since = differs.get("since", "2025-12-31T23:00:00Z")
    ready = {"type": "Ready", "status": differs.get("ready", "True"), "lastTransitionTime": since}
    status = {
        "phase": differs.get("phase", "Running"),
        "conditions": [ready],
        "containerStatuses": [{"restartCount": differs.get("restarts", 0)}],
    }
    cost = {"controller.kubernetes.io/pod-deletion-cost": differs["cost"]} if "cost" in differs else {}
    created = differs.get("created", "2025-12-31T23:00:00Z")
    meta = {"name": name, "uid": name, "annotations": cost, "labels": LABELS, "creationTimestamp": created}
    return {"metadata": meta, "spec": {"nodeName": differs.get("node", "n1")}, "status": status}


@pytest.mark.parametrize(
    ("doomed", "crowd"),
    [
        pytest.param(candidate("z", node=""), {}, id="unassigned"),
        pytest.param(candidate("z", phase="Pending"), {}, id="pending"),
        pytest.param(candidate("z", ready="False"), {}, id="not ready"),
        pytest.param(candidate("z", cost="-1"), {}, id="cheaper"),
        pytest.param(candidate("z", node="n2"), {"n1": 1, "n2": 3}, id="doubled up on its node"),
        pytest.param(candidate("z", since="2025-12-31T23:59:00Z"), {}, id="ready for a shorter time"),
        pytest.param(candidate("z", restarts=2), {}, id="more restarts"),
        pytest.param(candidate("z", created="2025-12-31T23:59:00Z"), {}, id="younger"),
    ],
)
def test_goes_first(doomed: Raw, crowd: dict[str, int]) -> None:
    pods = [candidate("a"), doomed, candidate("b")]

    assert [name_of(each) for each in deletion_order(pods, crowd, NOW)] == ["z", "a", "b"]


def test_ages_of_one_magnitude_are_alike() -> None:
    older, younger = (
        candidate("a", since="2025-12-31T22:20:00Z"),
        candidate("z", since="2025-12-31T22:40:00Z"),
    )

    assert [name_of(each) for each in deletion_order([younger, older], {}, NOW)] == ["a", "z"]


def test_counts_leave_zeros_out_and_say_when_to_look_again() -> None:
    replicaset = {
        "metadata": {"generation": 2},
        "spec": {"minReadySeconds": 3600, "template": {"metadata": {}}},
    }
    ready = candidate("a", since="2025-12-31T23:30:00Z")
    going = candidate("b")
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"

    assert replicaset_status(replicaset, [ready, going], None, NOW) == {
        "replicas": 1, "fullyLabeledReplicas": 1, "readyReplicas": 1, "terminatingReplicas": 1,
        "observedGeneration": 2,
    }  # fmt: skip
    assert next_available(replicaset, [ready, going], NOW) == 1800
    assert next_available(replicaset, [ready, going], NOW + 1800) is None


def replicaset(replicas: int) -> Raw:
    template = {
        "metadata": {"labels": LABELS},
        "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
    }
    spec = {"replicas": replicas, "selector": {"matchLabels": LABELS}, "template": template}
    return {"metadata": {"name": "rs"}, "spec": spec}


def test_ownerless_pods_that_match_are_adopted() -> None:
    world = World()
    orphan = pod("orphan")
    orphan["metadata"]["labels"] = LABELS
    world.create(POD, orphan)
    world.run(1)
    world.create(REPLICASET, replicaset(2))
    world.run(1)

    owners = {each["metadata"]["ownerReferences"][0]["name"] for each in world.pods()}
    assert (len(world.pods()), owners) == (2, {"rs"})


def test_a_pod_that_begins_to_match_is_one_too_many() -> None:
    world = World()
    world.create(REPLICASET, replicaset(1))
    world.create(POD, pod("stray"))
    world.run(1)
    world.patch(POD, "stray", {"metadata": {"labels": LABELS}})
    world.run(1)

    assert len(world.pods()) == 1


def test_failing_creations_are_told_and_tried_again() -> None:
    world = World()
    world.sandbox.hooks.faults.append(
        Fault(verb="create", resource="pods", code=403, reason="Forbidden", count=3)
    )
    world.create(REPLICASET, replicaset(2))
    world.sandbox.settle()
    refused = world.get(REPLICASET, "rs")
    world.run(1)

    assert reasons(refused)["ReplicaFailure"] == "FailedCreate"
    assert world.events("FailedCreate")
    assert len(world.pods()) == 2
    assert reasons(world.get(REPLICASET, "rs")) == {}


def test_scaling_down_deletes_and_says_so() -> None:
    world = World()
    world.create(REPLICASET, replicaset(3))
    world.run(1)
    world.patch(REPLICASET, "rs", {"spec": {"replicas": 1}})
    world.run(1)

    assert len(world.pods()) == 1
    assert len(world.events("SuccessfulDelete")) == 2
    assert world.get(REPLICASET, "rs")["status"]["replicas"] == 1

"""Where pods go, and what becomes of them when their node does (KB1, KB2, KB8)."""

from collections import Counter
from typing import Any

import pytest

from kubectl_kruise.facts.kinds import LEASE, NODE, POD
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.simulation import DEFAULT, RECORDED, Profile
from kubectl_kruise.sandbox.simulation.scheduling.placement import refusal
from tests.sandbox.simulation.world import World, conditions, pod, reasons

NODE_A: Raw = {
    "metadata": {"name": "a", "labels": {"disk": "ssd", "size": "8"}},
    "spec": {},
    "status": {
        "conditions": [{"type": "Ready", "status": "True"}],
        "allocatable": {"cpu": "16", "memory": "64Gi"},
    },
}


def affinity(**term: Any) -> Raw:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return {"affinity": {"nodeAffinity": required}}


def expression(operator: str, *values: str, key: str = "disk") -> Raw:
    return affinity(matchExpressions=[{"key": key, "operator": operator, "values": list(values)}])


SELECTOR = "node(s) didn't match Pod's node affinity/selector"


@pytest.mark.parametrize(
    ("spec", "node", "reason"),
    [
        pytest.param({}, {}, "", id="nothing asked for"),
        pytest.param({}, {"unschedulable": True}, "node(s) were unschedulable", id="cordoned (KB8)"),
        pytest.param({"nodeSelector": {"disk": "ssd"}}, {}, "", id="selector matches"),
        pytest.param({"nodeSelector": {"disk": "hdd"}}, {}, SELECTOR, id="selector does not match"),
        pytest.param(expression("In", "ssd", "hdd"), {}, "", id="In"),
        pytest.param(expression("NotIn", "ssd"), {}, SELECTOR, id="NotIn"),
        pytest.param(expression("Exists"), {}, "", id="Exists"),
        pytest.param(expression("DoesNotExist"), {}, SELECTOR, id="DoesNotExist"),
        pytest.param(expression("Gt", "4", key="size"), {}, "", id="Gt"),
        pytest.param(expression("Lt", "4", key="size"), {}, SELECTOR, id="Lt"),
        pytest.param(affinity(), {}, SELECTOR, id="an empty term matches nothing"),
        pytest.param(
            affinity(matchFields=[{"key": "metadata.name", "operator": "In", "values": ["b"]}]), {}, SELECTOR,
            id="another node by name",
        ),
        pytest.param(
            {}, {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]},
            "node(s) had untolerated taint {k: v}", id="taint",
        ),
        pytest.param({}, {"taints": [{"key": "k", "effect": "PreferNoSchedule"}]}, "", id="a soft taint"),
        pytest.param(
            {"tolerations": [{"key": "k", "operator": "Exists"}]},
            {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}, "", id="tolerated by key",
        ),
        pytest.param(
            {"tolerations": [{"key": "k", "value": "w"}]},
            {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]},
            "node(s) had untolerated taint {k: v}", id="tolerates another value",
        ),
        pytest.param(
            {"tolerations": [{"operator": "Exists"}]},
            {"taints": [{"key": "k", "effect": "NoExecute"}]}, "", id="tolerates everything",
        ),
        pytest.param(
            {"containers": [{"resources": {"requests": {"cpu": "9"}}}, {"resources": {"requests": {"cpu": "8"}}}]},
            {}, "Insufficient cpu", id="asks for more than any node has",
        ),
    ],
)  # fmt: skip
def test_what_keeps_a_pod_from_a_node(spec: Raw, node: Raw, reason: str) -> None:
    assert refusal({"spec": spec}, NODE_A | {"spec": node}) == reason


@pytest.mark.parametrize(
    "profile", [pytest.param(DEFAULT, id="default"), pytest.param(RECORDED, id="recorded")]
)
def test_pods_are_spread_evenly_over_the_zones(profile: Profile) -> None:
    world = World(profile)
    for number in range(7):
        world.create(POD, pod(f"p{number}"))
    world.run(2)

    counts = Counter(each["spec"]["nodeName"] for each in world.pods())
    zones = {each["metadata"]["labels"]["topology.kubernetes.io/zone"] for each in world.pods()}
    assert sorted(counts.values()) == [2, 2, 3]
    assert zones == {profile.zone_prefix + letter for letter in "abc"}


def test_an_unschedulable_pod_says_why_and_waits_for_a_node() -> None:
    world = World()
    world.create(POD, pod("p", nodeSelector={"disk": "ssd"}))
    world.run(1)
    waiting = world.pod()

    world.patch(NODE, "sandbox-node-1", {"metadata": {"labels": {"disk": "ssd"}}})
    world.run(1)

    assert reasons(waiting)["PodScheduled"] == "Unschedulable"
    message = "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector."
    assert world.events("FailedScheduling") == [message]
    assert world.pod()["spec"]["nodeName"] == "sandbox-node-1"
    assert world.events("Scheduled") == ["Successfully assigned default/p to sandbox-node-1"]
    assert conditions(world.pod())["Ready"] == "True"


def test_cordoned_nodes_get_no_pods_until_they_are_uncordoned() -> None:
    world = World()
    for name in world.profile.nodes:
        world.patch(NODE, name, {"spec": {"unschedulable": True}})
    world.create(POD, pod("p"))
    world.run(1)
    assert "nodeName" not in world.pod()["spec"]

    world.patch(NODE, "sandbox-node-2", {"spec": {"unschedulable": None}})
    world.run(1)

    assert world.pod()["spec"]["nodeName"] == "sandbox-node-2"


def test_scheduling_gates_are_waited_for() -> None:
    world = World()
    world.create(POD, pod("p", schedulingGates=[{"name": "example.com/wait"}]))
    world.run(1)

    assert "nodeName" not in world.pod()["spec"]


def test_a_taint_evicts_what_does_not_tolerate_it_or_no_longer_does() -> None:
    world = World()
    pin = {"nodeSelector": {"kubernetes.io/hostname": "sandbox-node-0"}}
    patient = [{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}]
    world.create(POD, pod("plain", **pin))
    world.create(POD, pod("patient", tolerations=patient, **pin))
    world.create(POD, pod("stays", tolerations=[{"key": "k", "operator": "Exists"}], **pin))
    world.create(POD, pod("elsewhere", nodeSelector={"kubernetes.io/hostname": "sandbox-node-1"}))
    world.run(1)

    taint = {"key": "k", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:01Z"}
    world.patch(NODE, "sandbox-node-0", {"spec": {"taints": [taint]}})
    world.run(30)
    first = {each["metadata"]["name"] for each in world.pods()}
    world.run(60)

    assert first == {"patient", "stays", "elsewhere"}
    assert {each["metadata"]["name"] for each in world.pods()} == {"stays", "elsewhere"}


def test_pods_go_with_their_node_and_the_node_is_not_made_again() -> None:
    world = World()
    world.create(POD, pod("p"))
    world.run(1)
    node = world.pod()["spec"]["nodeName"]

    world.delete(NODE, node)
    world.run(5)

    assert world.pods() == []
    assert len(world.user.list(NODE.path())["items"]) == 2


def test_a_node_that_a_real_server_gives_up_sends_heartbeats_from_then_on() -> None:
    world = World()
    world.run(1)
    lost = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}

    world.patch(NODE, "sandbox-node-0", {"status": {"conditions": [lost]}}, part="status")
    world.run(25)

    assert conditions(world.node("sandbox-node-0"))["Ready"] == "True"
    leases = world.user.list(LEASE.path("kube-node-lease"))["items"]
    assert [lease["metadata"]["name"] for lease in leases] == ["sandbox-node-0"]

"""The node daemon restarts containers as ContainerRecreateRequests ask for (small-kinds.md §3)."""

from typing import Any

import pytest

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.controllers import cloneset
from kubectl_kruise.facts.kinds import CONTAINER_RECREATE_REQUEST, POD
from kubectl_kruise.facts.names import KRUISE_POD_READY
from kubectl_kruise.facts.recreation import ACTIVE_LABEL, UNREADY_ACQUIRED
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.pod import statuses_of
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, labels_of
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.simulation import build
from tests.sandbox.simulation.world import pod

NAMESPACE = "default"


class Node:
    """A sandbox with a node daemon and the manager's part, and the pod `p` running in it."""

    def __init__(
        self, *images: str, annotations: dict[str, str] | None = None, gates: tuple[str, ...] = ()
    ) -> None:
        self.sandbox = Sandbox(VirtualClock())
        self.user = self.sandbox.client("user")
        self.restart()
        made = pod("p", *(images or ("nginx:1",)), gates=gates)
        made["metadata"]["annotations"] = annotations or {}
        self.user.create(POD.path(NAMESPACE), made)
        self.run(5)

    def restart(self) -> None:
        del self.sandbox.controllers[2:]
        clock = self.sandbox.clock
        self.sandbox.add(*build(self.sandbox.client("simulation"), clock))
        self.sandbox.add(*cloneset.build(self.sandbox.client("manager"), clock, recreations=True))
        self.sandbox.settle()

    def run(self, seconds: float) -> None:
        self.sandbox.run(seconds)

    def ask(self, *names: str, name: str = "crr", strategy: Raw | None = None, **spec: Any) -> Raw:
        body = {
            "apiVersion": "apps.kruise.io/v1alpha1",
            "kind": "ContainerRecreateRequest",
            "metadata": {"name": name},
            "spec": {
                "podName": "p",
                "containers": [{"name": each} for each in names],
                "strategy": strategy or {},
                **spec,
            },
        }
        return self.user.create(CONTAINER_RECREATE_REQUEST.path(NAMESPACE), body)

    def request(self, name: str = "crr") -> Raw:
        return self.user.get(CONTAINER_RECREATE_REQUEST.path(NAMESPACE, name))

    def states(self, name: str = "crr") -> dict[str, str]:
        return {
            each["name"]: each["phase"]
            for each in dig(self.request(name), ("status", "containerRecreateStates"), [])
        }

    @property
    def restarts(self) -> dict[str, int]:
        statuses = statuses_of(self.user.get(POD.path(NAMESPACE, "p")))
        return {name: status["restartCount"] for name, status in statuses.items()}


def test_the_named_containers_are_restarted_and_nothing_else() -> None:  # [C-2], cli.md B15
    node = Node("nginx:1", "envoy:1")
    address = node.user.get(POD.path(NAMESPACE, "p"))["status"]["podIP"]

    node.ask("main")
    node.run(2)

    request = node.request()
    assert request["status"]["phase"] == "Completed"
    assert request["status"]["completionTime"]
    assert node.states() == {"main": "Succeeded"}
    assert ACTIVE_LABEL not in labels_of(request)
    assert node.restarts == {"main": 1, "side": 0}
    assert node.user.get(POD.path(NAMESPACE, "p"))["status"]["podIP"] == address


def test_one_request_per_pod_at_a_time_the_oldest_first() -> None:  # [C-12]
    node = Node(annotations={"sandbox.kruise/update-delay": "3"})
    node.ask("main")
    node.run(1)
    node.ask("main", name="second")
    node.run(1)
    assert [node.request(name)["status"]["phase"] for name in ("crr", "second")] == ["Recreating", "Pending"]

    node.run(10)

    assert [node.request(name)["status"]["phase"] for name in ("crr", "second")] == ["Completed", "Completed"]
    assert node.restarts == {"main": 1}  # the second found another container than it was asked for


@pytest.mark.parametrize(("policy", "states"), [
    ("Fail", {"main": "Failed", "side": "Pending"}),
    ("Ignore", {"main": "Failed", "side": "Failed"}),
])  # fmt: skip
def test_a_container_that_cannot_be_killed_ends_the_request_unless_ignored(policy: str, states: Raw) -> None:
    node = Node("nginx:1", "envoy:1", annotations={"sandbox.kruise/kill-error": "no such shim"})

    node.ask("main", "side", strategy={"failurePolicy": policy})
    node.run(2)

    status = node.request()["status"]
    assert (status["phase"], node.states()) == ("Completed", states)
    assert status["containerRecreateStates"][0]["message"] == "kill container error: no such shim"
    assert node.restarts == {"main": 0, "side": 0}


def test_ordered_restarts_wait_for_the_container_before() -> None:
    node = Node("nginx:1", "envoy:1", annotations={"sandbox.kruise/update-delay": "2"})

    node.ask("side", "main", strategy={"orderedRecreate": True})
    node.run(1)
    assert node.states() == {"side": "Recreating", "main": "Pending"}
    node.run(2)
    assert (node.states(), node.restarts) == (
        {"side": "Succeeded", "main": "Recreating"},
        {"main": 0, "side": 1},
    )
    node.run(2)
    assert node.request()["status"]["phase"] == "Completed"


def test_a_container_has_to_stay_up_for_as_long_as_asked() -> None:
    node = Node()
    node.ask("main", strategy={"minStartedSeconds": 20})
    node.run(10)
    assert node.states() == {"main": "Recreating"}
    node.run(15)
    assert node.states() == {"main": "Succeeded"}


def test_the_pod_is_out_of_service_before_anything_is_killed() -> None:  # [C-10], [C-11]
    node = Node(gates=(KRUISE_POD_READY,))
    node.ask("main", strategy={"unreadyGracePeriodSeconds": 5})
    node.run(3)
    held = node.user.get(POD.path(NAMESPACE, "p"))
    gate = condition(held, KRUISE_POD_READY)
    assert gate is not None
    assert (gate["status"], gate["message"]) == (
        "False", '[{"userAgent":"ContainerRecreateRequest","key":"default/crr"}]'
    )  # fmt: skip
    assert (condition(held, "Ready") or {})["status"] == "False"
    assert node.request()["metadata"]["finalizers"] == [UNREADY_ACQUIRED]
    assert node.restarts == {"main": 0}

    node.run(5)

    given_back = node.user.get(POD.path(NAMESPACE, "p"))
    gate = condition(given_back, KRUISE_POD_READY)
    assert gate is not None
    assert (gate["status"], gate["message"], node.restarts) == ("True", "[]", {"main": 1})
    assert "finalizers" not in node.request()["metadata"]


def test_a_daemon_that_was_restarted_kills_again_what_it_may_have_killed() -> None:
    node = Node(annotations={"sandbox.kruise/update-delay": "3"})
    node.ask("main")
    node.sandbox.settle()
    assert node.states() == {"main": "Recreating"}

    node.restart()
    node.run(10)

    assert (node.states(), node.restarts) == ({"main": "Succeeded"}, {"main": 1})


def test_forced_requests_kill_what_was_started_meanwhile() -> None:
    node = Node(annotations={"sandbox.kruise/update-delay": "3"})
    node.ask("main")
    node.ask("main", name="second", strategy={"forceRecreate": True})
    node.run(20)

    assert node.states("second") == {"main": "Succeeded"}
    assert node.restarts == {"main": 2}


def test_finished_requests_are_removed_when_their_time_is_over() -> None:  # [C-9]
    node = Node()
    node.ask("main", ttlSecondsAfterFinished=30)
    node.run(20)
    assert node.request()["status"]["phase"] == "Completed"

    node.run(20)

    assert node.user.list(CONTAINER_RECREATE_REQUEST.path(NAMESPACE))["items"] == []


def test_the_manager_tells_the_daemon_which_new_containers_are_ready() -> None:  # [C-5]
    node = Node()
    node.ask("main")
    node.run(2)
    synced = annotations_of(node.request())["crr.apps.kruise.io/sync-container-statuses"]
    assert '"name":"main","ready":true,"restartCount":1,"containerID":"sandbox://' in synced

"""The controller that opens barriers of launch priorities (cloneset.md §17.4)."""

import pytest

from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.launchpriority import LaunchPriority
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import CONFIGMAP, POD
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.raw import Raw, annotations_of
from kubectl_kruise.sandbox.embedded import Sandbox
from tests.controllers.cloneset.world import World

COMPLETED = "apps.kruise.io/container-launch-priority-completed"


class Launch:
    """A pod whose containers c0, c1, … wait for priorities 9, 8, …; nobody but the controller and the test writes."""

    def __init__(self, count: int = 2) -> None:
        self.count, self.sandbox = count, Sandbox(kruise=False)
        self.client = self.sandbox.client()
        self.make()
        self.sandbox.add(LaunchPriority(self.client, self.sandbox.clock, Informer(self.client, POD.path())))
        self.sandbox.settle()

    def make(self) -> Raw:
        key = {"name": "p-barrier"}
        containers = [
            {
                "name": f"c{index}",
                "image": "a:1",
                "env": [
                    {
                        "name": "KRUISE_CONTAINER_BARRIER",
                        "valueFrom": {"configMapKeyRef": {**key, "key": f"p_{9 - index}"}},
                    }
                ],
            }
            for index in range(self.count)
        ]
        body = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p"},
            "spec": {"containers": containers},
        }
        return self.client.create(POD.path("default"), body)

    def pod(self) -> Raw:
        return self.client.get(POD.path("default", "p"))

    def barrier(self) -> Raw:
        return self.client.get(CONFIGMAP.path("default", "p-barrier"))

    def ready(self, *names: str) -> None:
        raw = self.pod()
        raw["status"]["containerStatuses"] = [
            {"name": f"c{i}", "ready": f"c{i}" in names, "restartCount": 0, "image": "a:1", "imageID": "x"}
            for i in range(self.count)
        ]
        self.client.replace(POD.path("default", "p", subresource="status"), raw)
        self.sandbox.settle()


def test_barriers_open_one_after_the_other_until_the_launch_is_completed() -> None:
    launch = Launch()
    first = launch.barrier()
    early = annotations_of(launch.pod())
    launch.ready("c0")

    assert first["data"] == {"p_9": "true"}
    assert [(owner["kind"], owner["name"]) for owner in first["metadata"]["ownerReferences"]] == [
        ("Pod", "p")
    ]
    assert COMPLETED not in early
    assert launch.barrier()["data"] == {"p_9": "true", "p_8": "true"}
    assert annotations_of(launch.pod())[COMPLETED] == "true"


def test_what_is_open_is_not_asked_for_again() -> None:
    launch = Launch(3)
    launch.ready("c0")
    before = len(launch.sandbox.hooks.requests)
    launch.ready("c0", "c2")
    launch.ready("c0")

    own = list(launch.sandbox.hooks.requests)[before:]
    assert [request.method for request in own if "configmaps" in request.path] == []


def test_a_barrier_that_somebody_took_away_is_made_again() -> None:
    launch = Launch(3)
    launch.client.delete(CONFIGMAP.path("default", "p-barrier"))
    launch.ready("c0")
    launch.ready("c0", "c2")

    assert launch.barrier()["data"] == {"p_8": "true"}


def test_the_barrier_of_an_earlier_pod_is_waited_out() -> None:
    launch = Launch()
    launch.client.delete(POD.path("default", "p"), options={"gracePeriodSeconds": 0})
    launch.make()
    launch.sandbox.run(3)

    barrier = launch.barrier()
    assert barrier["metadata"]["ownerReferences"][0]["uid"] == launch.pod()["metadata"]["uid"]
    assert barrier["data"] == {"p_9": "true"}


def test_a_controller_that_starts_anew_reads_what_was_opened() -> None:
    launch = Launch()
    launch.sandbox.controllers.pop()
    launch.sandbox.add(
        LaunchPriority(launch.client, launch.sandbox.clock, Informer(launch.client, POD.path()))
    )
    launch.ready("c0")

    assert launch.barrier()["data"] == {"p_9": "true", "p_8": "true"}


def test_a_barrier_goes_with_its_pod() -> None:
    launch = Launch()
    launch.client.delete(POD.path("default", "p"), options={"gracePeriodSeconds": 0})
    launch.sandbox.run(3)

    with pytest.raises(NotFoundError):
        launch.barrier()


def test_containers_of_a_cloneset_launch_and_update_in_order() -> None:
    world = World()
    metadata = {
        "labels": {"app": "web"},
        "annotations": {"apps.kruise.io/container-launch-priority": "Ordered"},
    }

    def template(tag: str) -> Raw:
        # The first container needs two seconds to come up: what waits for it starts later.
        first = {
            "name": "first",
            "image": f"a:{tag}",
            "readinessProbe": {"exec": {"command": ["x"]}, "initialDelaySeconds": 2},
        }
        return {"template": {"metadata": metadata, "spec": {"containers": [first, {"name": "second", "image": f"b:{tag}"}]}}}  # fmt: skip

    world.create(1, spec=template("1"))
    world.run()
    (made,) = world.pods()
    world.change(template("2"))
    world.run(20)
    (updated,) = world.pods()

    for pod in (made, updated):
        started = {
            status["name"]: parse_rfc3339(status["state"]["running"]["startedAt"])
            for status in pod["status"]["containerStatuses"]
        }
        assert started["second"] - started["first"] >= 1
        assert annotations_of(pod)[COMPLETED] == "true"
    assert [status["restartCount"] for status in updated["status"]["containerStatuses"]] == [1, 1]

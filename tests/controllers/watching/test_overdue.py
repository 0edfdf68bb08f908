"""Creations and deletions that the cache has not shown in time (cloneset.md §24.2)."""

import pytest

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.controllers.cloneset.watching.caches import open_caches
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.controllers.watching.expectations import Expected, ScaleExpectations
from kubectl_kruise.controllers.watching.overdue import Patience
from kubectl_kruise.errors import ServerError
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.hooks import Fault

OWNER = Key("default", "web")
CREATED, DELETED = Expected("create", "pods", "web-a"), Expected("delete", "pods", "web-a")


class Late:
    """A cache of pods that is filled when the test says so, with one expectation that is due."""

    def __init__(self, expected: Expected, *, gives_up: bool = False) -> None:
        clock = VirtualClock()
        self.sandbox = Sandbox(clock)
        self.client = self.sandbox.client()
        self.caches = open_caches(self.client, "", "v1alpha1")
        self.expectations = ScaleExpectations(clock, 60)
        self.patience = Patience(
            self.client,
            self.expectations,
            pods=self.caches.pods,
            claims=self.caches.claims,
            gives_up=gives_up,
        )
        self.expectations.expect(OWNER, expected)
        assert self.patience.wait(OWNER) == 60
        clock.advance(60)

    def pod(self) -> None:
        spec = {"containers": [{"name": "main", "image": "a:1"}]}
        body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-a"}, "spec": spec}
        self.client.create(POD.path("default"), body)


def test_a_pod_that_came_and_went_unseen_is_expected_no_longer() -> None:
    assert Late(CREATED).patience.wait(OWNER) is None


def test_a_pod_that_the_cache_has_yet_to_show_is_waited_for() -> None:
    late = Late(CREATED)
    late.pod()

    assert late.patience.wait(OWNER) == 60
    late.caches.pods.relist()
    late.sandbox.clock.advance(60)
    assert late.patience.wait(OWNER) is None


def test_a_deletion_that_the_cache_has_yet_to_show_is_waited_for() -> None:
    late = Late(DELETED)
    late.pod()
    late.caches.pods.relist()
    late.client.delete(POD.path("default", "web-a"))

    assert late.patience.wait(OWNER) == 60


def test_under_the_gate_it_is_given_up() -> None:
    late = Late(CREATED, gives_up=True)
    late.pod()

    assert late.patience.wait(OWNER) == 10
    assert late.patience.wait(OWNER) is None


def test_a_silent_server_leaves_it_open() -> None:
    late = Late(CREATED)
    late.sandbox.hooks.faults.append(Fault(verb="get", resource="pods", code=500, count=-1))

    with pytest.raises(ServerError):
        late.patience.wait(OWNER)
    assert late.expectations.pending(OWNER) == [CREATED]

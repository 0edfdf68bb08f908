"""What makes a CloneSet be looked at (cloneset.md §25)."""

from typing import Any

import pytest

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Change
from kubectl_kruise.controllers.cloneset.watching.caches import Caches, open_caches
from kubectl_kruise.controllers.cloneset.watching.triggers import Triggers
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.controllers.watching.expectations import (
    Expected,
    ScaleExpectations,
    VersionExpectations,
)
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.sandbox.embedded import Sandbox

MINE = {
    "apiVersion": "apps.kruise.io/v1beta1",
    "kind": "CloneSet",
    "name": "web",
    "uid": "cs",
    "controller": True,
}
THEIRS = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "rs", "controller": True}
WEB = Key("ns", "web")


class Watched:
    """Caches fed by hand, and the queue that they fill."""

    def __init__(self, gates: Gates) -> None:
        self.clock = VirtualClock()
        self.version = 0
        self.queue = Queue(self.clock)
        self.expectations = ScaleExpectations(self.clock)
        self.caches: Caches = open_caches(Sandbox(self.clock).client(), "", "v1alpha1")
        Triggers(self.queue, self.caches, self.expectations, VersionExpectations(self.clock), gates)
        selector = {"matchLabels": {"app": "web"}}
        self.caches.clonesets.feed(
            Change("ADDED", {"metadata": {"name": "web", "namespace": "ns"}, "spec": {"selector": selector}})
        )
        self.taken()

    def pod(self, change: str = "ADDED", *, owner: Any = MINE, app: str = "web", **meta: Any) -> None:
        labels, owners = {"app": app}, [owner] if owner else []
        self.version += 1
        metadata = {
            "resourceVersion": str(self.version),
            "name": "web-a",
            "namespace": "ns",
            "uid": "u",
            "labels": labels,
            "ownerReferences": owners,
        }
        self.caches.pods.feed(Change(change, {"metadata": metadata | meta}))

    def taken(self) -> list[Key]:
        """The keys that are due now."""
        found = []
        while (key := self.queue.take(block=False)) is not None:
            found.append(key)
            self.queue.done(key)
        return found


@pytest.fixture
def watched() -> Watched:
    return Watched(Gates())


def test_an_expected_pod_at_once(watched: Watched) -> None:
    watched.expectations.expect(WEB, Expected("create", "pods", "web-a"))
    watched.pod()

    assert watched.taken() == [WEB]
    assert watched.expectations.wait(WEB) is None


def test_an_unexpected_pod_later(watched: Watched) -> None:
    watched.pod()
    assert watched.taken() == []

    watched.clock.advance(3)
    assert watched.taken() == [WEB]


@pytest.mark.parametrize(
    ("owner", "app", "keys"),
    [(None, "web", [WEB]), (None, "other", []), (THEIRS, "web", [])],
    ids=["orphan that matches", "orphan that does not", "pod of another"],
)
def test_pods_of_nobody(watched: Watched, owner: Any, app: str, keys: list[Key]) -> None:
    watched.pod(owner=owner, app=app)

    assert watched.taken() == keys


@pytest.mark.parametrize(
    ("before", "after", "keys"),
    [
        ({}, {"annotations": {"a": "b"}}, [WEB]),
        ({}, {"owner": None}, [WEB]),
        ({"owner": None, "app": "other"}, {"owner": None}, [WEB]),
        ({"owner": None}, {"owner": None, "annotations": {"a": "b"}}, []),
        ({"owner": THEIRS}, {"owner": THEIRS}, []),
    ],
    ids=["owned", "released", "labels came to match", "nothing that matters", "of another"],
)
def test_changes(watched: Watched, before: dict, after: dict, keys: list[Key]) -> None:
    watched.pod(**before)
    watched.clock.advance(3)
    watched.taken()
    watched.pod("MODIFIED", **after)

    assert watched.taken() == keys


@pytest.mark.parametrize(
    ("change", "meta"),
    [("DELETED", {}), ("MODIFIED", {"deletionTimestamp": "2026-01-01T00:00:00Z"})],
    ids=["gone", "terminating"],
)
def test_a_deletion_is_seen(watched: Watched, change: str, meta: dict) -> None:
    watched.pod()
    watched.clock.advance(3)
    watched.taken()
    watched.expectations.expect(WEB, Expected("delete", "pods", "web-a"))
    watched.pod(change, **meta)

    assert watched.taken() == [WEB]
    assert watched.expectations.wait(WEB) is None


def test_claims_that_come_and_go(watched: Watched) -> None:
    claim = {"metadata": {"name": "data-web-a", "namespace": "ns", "uid": "c", "ownerReferences": [MINE]}}
    for change, action in (("ADDED", "create"), ("DELETED", "delete")):
        watched.expectations.expect(WEB, Expected(action, "persistentvolumeclaims", "data-web-a"))
        watched.caches.claims.feed(Change(change, claim))

        assert watched.taken() == [WEB]
        assert watched.expectations.wait(WEB) is None


def test_under_the_gate_irrelevant_changes_of_pods_wake_nobody() -> None:
    watched = Watched(Gates(quiet_pod_events=True))
    watched.expectations.expect(WEB, Expected("create", "pods", "web-a"))
    watched.pod()
    watched.taken()

    watched.pod("MODIFIED", annotations={"seen": "yes"})
    assert watched.taken() == []
    watched.pod("MODIFIED", annotations={"seen": "yes"}, generation=2)
    assert watched.taken() == [WEB]


@pytest.mark.parametrize(
    "selector",
    [{}, {"matchExpressions": [{"key": "app", "operator": "Strange"}]}],
    ids=["empty", "cannot be read"],
)
def test_such_a_selector_matches_no_orphan(watched: Watched, selector: Any) -> None:
    meta = {"name": "web", "namespace": "ns", "resourceVersion": "1"}
    watched.caches.clonesets.feed(Change("MODIFIED", {"metadata": meta, "spec": {"selector": selector}}))
    watched.taken()

    watched.pod(owner=None)

    assert watched.taken() == []

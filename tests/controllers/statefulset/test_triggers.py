"""What makes an Advanced StatefulSet be looked at (advanced-statefulset.md §9, §16 [V-38])."""

from typing import Any

import pytest

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Change
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.controllers.statefulset.caches import Caches, open_caches
from kubectl_kruise.controllers.statefulset.triggers import Triggers
from kubectl_kruise.controllers.watching.expectations import (
    Expected,
    ScaleExpectations,
    VersionExpectations,
)
from kubectl_kruise.sandbox.embedded import Sandbox

MINE = {
    "apiVersion": "apps.kruise.io/v1alpha1",
    "kind": "StatefulSet",
    "name": "web",
    "uid": "s",
    "controller": True,
}
NATIVE = {**MINE, "apiVersion": "apps/v1"}
WEB = Key("ns", "web")


class Watched:
    """Caches fed by hand, and the queue that they fill."""

    def __init__(self) -> None:
        self.clock, self.version = VirtualClock(), 0
        self.queue = Queue(self.clock)
        self.scale, self.versions = ScaleExpectations(self.clock), VersionExpectations(self.clock)
        self.caches: Caches = open_caches(Sandbox(self.clock).client(), "", "v1beta1")
        Triggers(self.queue, self.caches, self.scale, self.versions)
        spec = {"selector": {"matchLabels": {"app": "web"}}}
        self.feed(self.caches.sets, "ADDED", {"metadata": {"name": "web"}, "spec": spec})
        self.taken()

    def feed(self, informer: Informer, change: str, raw: dict[str, Any]) -> dict[str, Any]:
        self.version += 1
        meta = {"namespace": "ns", "uid": raw["metadata"]["name"], "resourceVersion": str(self.version)}
        made = {**raw, "metadata": meta | raw["metadata"]}
        informer.feed(Change(change, made))
        return made

    def pod(self, change: str = "ADDED", owner: Any = MINE, app: str = "web", **meta: Any) -> None:
        owners = [owner] if owner else []
        named = {"name": "web-0", "labels": {"app": app}, "ownerReferences": owners}
        self.feed(self.caches.pods, change, {"metadata": named | meta})

    def claim(self, change: str = "ADDED", **meta: Any) -> dict[str, Any]:
        return self.feed(self.caches.claims, change, {"metadata": {"name": "data-web-0"} | meta})

    def taken(self) -> list[Key]:
        """The keys that are due now."""
        found = []
        while (key := self.queue.take(block=False)) is not None:
            found.append(key)
            self.queue.done(key)
        return found


@pytest.fixture
def watched() -> Watched:
    return Watched()


@pytest.mark.parametrize(
    ("pod", "due"),
    [
        ({}, [WEB]),
        ({"owner": NATIVE}, []),
        ({"owner": None}, [WEB]),
        ({"owner": None, "app": "else"}, []),
        ({"owner": None, "name": "web-x"}, []),
    ],
    ids=["mine", "of a native set", "nobody's that fits", "by other labels", "by another name"],
)
def test_a_pod_that_appears(watched: Watched, pod: dict[str, Any], due: list[Key]) -> None:
    watched.pod(**pod)

    assert watched.taken() == due


def test_a_pod_that_changes_hands(watched: Watched) -> None:
    watched.pod()
    watched.taken()
    watched.pod("MODIFIED", owner=None, app="else")

    assert watched.taken() == [WEB]


def test_creations_and_deletions_are_struck_out(watched: Watched) -> None:
    for action in ("create", "delete"):
        watched.scale.expect(WEB, Expected(action, "pods", "web-0"))
    watched.pod()
    assert watched.scale.pending(WEB) == [Expected("delete", "pods", "web-0")]

    watched.pod("MODIFIED", deletionTimestamp="2026-01-01T00:00:00Z")
    assert watched.scale.pending(WEB) == []
    watched.pod("DELETED")
    assert watched.taken() == [WEB]


def test_claims_that_come_and_go_wake_nobody(watched: Watched) -> None:
    watched.claim()
    watched.claim("MODIFIED", labels={"a": "b"})
    watched.claim("DELETED")

    assert watched.taken() == []


def test_a_claim_that_was_made_to_grow_wakes_its_set(watched: Watched) -> None:
    """[V-38]."""
    marked = {"annotations": {"apps.kruise.io/owned-by-asts": "web"}}
    watched.claim(**marked)
    assert watched.taken() == []

    watched.claim("MODIFIED", **marked)
    assert watched.taken() == [WEB]


def test_a_claim_that_was_written_here_wakes_the_set_that_waits_for_it(watched: Watched) -> None:
    watched.claim()
    watched.versions.expect({"metadata": {"uid": "data-web-0", "resourceVersion": "9"}})
    watched.claim("MODIFIED", labels={"a": "b"})

    assert watched.taken() == [WEB]

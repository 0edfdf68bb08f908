"""The controller of native StatefulSets: what it takes over, what it survives, what it leaves to others."""

from typing import Any

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Request, Response, Stream, Transport
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION, NATIVE_STATEFULSET, POD, PVC
from kubectl_kruise.objects.raw import Raw, dig, labels_of, name_of, owner_of
from kubectl_kruise.sandbox.hooks import Fault
from kubectl_kruise.sandbox.simulation import build
from kubectl_kruise.sandbox.simulation.statefulset.written import Written
from kubectl_kruise.sandbox.store import Event
from tests.sandbox.simulation.sets import CLAIM, names, on_revision, revisions, stateful_set, status, uids
from tests.sandbox.simulation.world import World, image_change, pod


def started(**spec: Any) -> World:
    world = World()
    world.create(NATIVE_STATEFULSET, stateful_set(**spec))
    world.run(20)
    return world


def test_pods_left_alone_are_taken_over_with_their_revisions() -> None:
    world = started()
    world.patch(NATIVE_STATEFULSET, "web", image_change("nginx:2"))
    world.run(20)
    pods, history = uids(world), revisions(world)
    world.delete(NATIVE_STATEFULSET, "web", propagationPolicy="Orphan")
    world.run(5)
    assert [owner_of(each) for each in (*world.pods(), *world.all(CONTROLLER_REVISION))] == [None] * 5
    world.create(NATIVE_STATEFULSET, stateful_set(image="nginx:2"))
    world.run(20)

    assert (uids(world), revisions(world)) == (pods, history)
    assert {dig(owner_of(each), ("uid",)) for each in (*world.pods(), *world.all(CONTROLLER_REVISION))} == {
        world.get(NATIVE_STATEFULSET, "web")["metadata"]["uid"]
    }
    assert status(world)["updatedReplicas"] == 3


def test_a_revision_that_means_the_template_in_other_words_is_used() -> None:
    world = started(replicas=2)
    pods = uids(world)
    world.delete(NATIVE_STATEFULSET, "web", propagationPolicy="Orphan")
    world.run(5)
    [made] = world.all(CONTROLLER_REVISION)
    world.delete(CONTROLLER_REVISION, name_of(made))
    template = made["data"]["spec"]["template"]
    template["metadata"]["creationTimestamp"] = None
    del template["spec"]["dnsPolicy"]
    kept = {
        "metadata": {"name": name_of(made), "labels": labels_of(made)},
        "data": made["data"],
        "revision": 4,
    }
    world.create(CONTROLLER_REVISION, kept)
    world.create(NATIVE_STATEFULSET, stateful_set(2))
    world.run(20)

    assert (revisions(world), uids(world)) == ({4: name_of(made)}, pods)


def test_names_of_the_template_do_not_count() -> None:
    """A pod has the subdomain of its set's service, and none where there is none (as on Kubernetes 1.36)."""
    names_of_its_own = {"hostname": "own", "subdomain": "own"}
    template = stateful_set()["spec"]["template"]
    template["spec"] |= names_of_its_own
    world = started(replicas=1, serviceName="", template=template)

    [made] = world.pods()
    assert (made["spec"]["hostname"], made["spec"].get("subdomain")) == ("web-0", None)


def test_a_name_that_is_taken_holds_up_the_later_ones() -> None:
    world = World()
    world.create(POD, pod("web-1"))
    world.create(NATIVE_STATEFULSET, stateful_set(3))
    world.run(20)
    held_up = names(world), status(world)["replicas"]
    world.delete(POD, "web-1")
    world.run(60)

    assert held_up == (["web-0", "web-1"], 1)
    assert (names(world), status(world)["replicas"]) == (["web-0", "web-1", "web-2"], 3)
    assert world.events("FailedCreate") == []


def test_a_pod_of_the_right_name_and_labels_is_adopted_and_replaced() -> None:
    world = World()
    own = pod("web-1")
    own["metadata"]["labels"] = {"app": "web"}
    world.create(POD, own)
    before = uids(world)["web-1"]
    world.create(NATIVE_STATEFULSET, stateful_set(2))
    world.run(20)

    assert uids(world)["web-1"] != before
    assert world.events("SuccessfulUpdate") == ["Update Pod web-1 in StatefulSet web successful"]
    assert on_revision(world, status(world)["currentRevision"]) == ["web-0", "web-1"]


def test_a_claim_that_ends_holds_its_pod_back() -> None:
    world = started(replicas=2, volumeClaimTemplates=[CLAIM])
    world.delete(PVC, "data-web-1")
    world.delete(POD, "web-1")
    world.run(3)
    made_again = names(world)
    world.run(60)

    assert made_again == ["web-0", "web-1"]
    assert "deletionTimestamp" not in world.get(PVC, "data-web-1")["metadata"]


def test_a_strategy_without_rolling_update_counts_the_current_pods() -> None:
    world = started(updateStrategy={"type": "RollingUpdate"})
    world.patch(NATIVE_STATEFULSET, "web", image_change("bad:2"))
    world.run(20)
    world.delete(POD, "web-0")
    world.run(20)

    assert on_revision(world, status(world)["currentRevision"]) == ["web-0", "web-1"]


def _course(world: World) -> Raw:
    """Scale out, update, scale in; give the state at the end without what differs between runs."""
    for change in ({"spec": {"replicas": 3}}, image_change("nginx:2"), {"spec": {"replicas": 2}}):
        world.patch(NATIVE_STATEFULSET, "web", change)
        world.run(90)
    return {
        "status": status(world),
        "pods": {name_of(each): labels_of(each)["controller-revision-hash"] for each in world.pods()},
        "claims": {name_of(each): owner_of(each)["kind"] for each in world.all(PVC) if owner_of(each)},
        "revisions": revisions(world),
    }


def _small() -> World:
    policy = {"whenScaled": "Delete", "whenDeleted": "Delete"}
    return started(replicas=1, volumeClaimTemplates=[CLAIM], persistentVolumeClaimRetentionPolicy=policy)


@pytest.fixture(scope="module")
def undisturbed() -> Raw:
    return _course(_small())


@pytest.mark.parametrize(
    ("verb", "resource"),
    [
        ("create", "pods"),
        ("delete", "pods"),
        ("create", "persistentvolumeclaims"),
        ("update", "persistentvolumeclaims"),
        ("create", "controllerrevisions"),
        ("update", "statefulsets"),
    ],
)
@pytest.mark.parametrize(
    "fault", [{"code": 409, "reason": "Conflict"}, {"code": 500}, {"drop": "after"}], ids=str
)
def test_a_write_that_fails_is_made_good(
    verb: str, resource: str, fault: dict[str, Any], undisturbed: Raw
) -> None:
    world = _small()
    world.sandbox.hooks.faults.append(
        Fault(verb=verb, resource=resource, user_agent="simulation", count=1, **fault)
    )

    assert _course(world) == undisturbed
    assert world.sandbox.hooks.faults == []


class _Dead(BaseException):
    """The process of the controllers ends here."""


class _Killing:
    """A transport whose process dies at every `each`-th write, before or `after` it is carried out."""

    def __init__(self, inner: Transport, each: int, *, after: bool) -> None:
        self._inner, self._each, self._after = inner, each, after
        self.writes = 0

    def send(self, request: Request) -> Response:
        self.writes += request.method != "GET"
        dies = request.method != "GET" and self.writes % self._each == 0
        if dies and not self._after:
            raise _Dead
        response = self._inner.send(request)
        if dies:
            raise _Dead
        return response

    def open(self, request: Request) -> Stream:
        return self._inner.open(request)

    def close(self) -> None:
        """Keep the server, which others use too."""


@pytest.mark.parametrize(("each", "after"), [(1, True), (2, False), (3, True)])
def test_a_controller_that_dies_again_and_again_gets_there(
    each: int,
    after: bool,
    undisturbed: Raw,
) -> None:
    world = _small()
    sandbox, killing = world.sandbox, _Killing(world.sandbox.transport, each, after=after)

    def begin() -> None:
        world.leave()
        manager = Client(
            killing, namespace="", context="", server="", user_agent="manager", field_manager="manager",
            pause=sandbox.clock.advance,
        )  # fmt: skip
        client = sandbox.client("simulation")
        sandbox.add(*build(client, sandbox.clock, world.profile, kruise=False, manager=manager))

    def run(seconds: float) -> None:
        end = sandbox.clock.monotonic() + seconds
        while True:
            try:
                return sandbox.run(max(0.0, end - sandbox.clock.monotonic()))
            except _Dead:
                begin()

    begin()
    world.run = run  # type: ignore[method-assign]

    assert _course(world) == undisturbed
    assert killing.writes > 20


def test_what_the_caches_do_not_show_yet_is_waited_for() -> None:
    world = World()
    cache, written, key = Informer(world.user, POD.path("default")), Written(), Key("default", "web")
    cache.relist()
    written.note(key, cache, world.create(POD, pod("a")))

    assert not written.seen(key)
    cache.poll()
    assert written.seen(key)


def test_the_news_of_a_large_set_is_looked_at_together() -> None:
    world, written = World(), list[Event]()
    world.sandbox.server.store.listen(
        lambda event: written.append(event) if event.new.resource == "statefulsets.apps" else None
    )
    world.create(NATIVE_STATEFULSET, stateful_set(60, podManagementPolicy="Parallel"))
    world.run(5)

    assert status(world)["availableReplicas"] == 60
    assert len(written) < 10

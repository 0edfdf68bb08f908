"""Cases of migration.md §11.3 that are about one situation; what may happen at any point is in the other modules."""

import json
from typing import Any

import pytest

from kubectl_kruise.cluster.port import Request, Response, Stream, Transport
from kubectl_kruise.controllers import cloneset
from kubectl_kruise.engine.migration.situation import Situation
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, LEASE, POD, REPLICASET
from kubectl_kruise.facts.names import MANAGER_LEASE, MANAGER_NAMESPACE, MIGRATE_HOLD
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.objects.raw import deleting, dig, name_of, owner_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.outlook import Wish
from kubectl_kruise.operations.migrate.before.preflight import look_ahead
from kubectl_kruise.operations.migrate.flow import adopt, release, roll_back
from kubectl_kruise.operations.migrate.handover.adopting import Adoption
from kubectl_kruise.operations.migrate.trouble import ChangedError, NoManagerError
from tests.operations.migrate.meddlers import change_source, merge
from tests.operations.migrate.walks import (
    FORWARD,
    back,
    connect,
    forward,
    found,
    moved,
    ready_to_return,
    small,
)
from tests.operations.migrate.world import NAMESPACE, World


class Watching:
    """A transport that looks at every write before it is carried out."""

    def __init__(self, world: World) -> None:
        self._inner: Transport = world.cluster._transport
        self._world = world
        self.writes: list[tuple[float, str, str, str]] = []
        """Time, method, path and body of each."""
        self.living: list[str] = []
        """Pods that were patched while their ReplicaSet lived."""

    def send(self, request: Request) -> Response:
        path, body = request.target.partition("?")[0], (request.body or b"").decode()
        if request.method != "GET" and "dryRun" not in request.target:
            self.writes.append((self._world.clock.time(), request.method, path, body))
            if "/pods/" in path and any(not deleting(each) for each in self._world.replicasets):
                self.living.append(path)
        return self._inner.send(request)

    def open(self, request: Request) -> Stream:
        return self._inner.open(request)

    def close(self) -> None:
        """Leave the server to the others."""


def test_many_pods_go_over() -> None:
    world = World(replicas=100)
    before = world.marks()
    forward(world, world.cluster)
    assert (len(before), world.marks()) == (100, before)


@pytest.mark.parametrize("replicas", [0, 1, 12])
def test_any_number_of_pods_goes_there_and_back(replicas: int) -> None:
    world = World(replicas=replicas)
    before = world.marks()
    assert len(before) == replicas
    keeper = world.begin()
    adopt(world.run(), keeper)
    world.sandbox.run(30)
    assert (world.marks(), world.deployment, world.replicasets) == (before, None, [])
    assert dig(world.cloneset, ("status", "updatedReplicas")) == replicas
    roll_back(world.run(), keeper)
    world.sandbox.run(30)
    assert (world.marks(), world.cloneset) == (before, None)
    assert dig(world.deployment, ("status", "availableReplicas"), 0) == replicas


def test_nobody_works_on_clonesets() -> None:
    """Row 47: the target is deleted again, the Deployment is untouched, and no journal is left."""
    world = World(manager=False)
    before, version = world.marks(), dig(world.deployment, ("metadata", "resourceVersion"))
    with pytest.raises(NoManagerError, match="is deleted again"):
        adopt(world.run(), world.begin())
    world.sandbox.run(5)
    assert (world.marks(), world.cloneset, found(world, world.cluster, FORWARD)) == (before, None, None)
    assert dig(world.deployment, ("metadata", "resourceVersion")) == version


class _Careless(Adoption):
    """One that lets the CloneSet stay at whatever it stands for."""

    def raise_replicas(self, now: Situation, replicas: int) -> bool:
        del now, replicas
        return False


def test_a_target_for_fewer_pods_would_cost_the_others() -> None:
    """Row 49, negative: the cluster of these tests punishes who leaves the guard out."""
    world = small()
    before = world.marks()
    keeper = world.begin()
    careless = _Careless(world.run(settle=0), keeper)
    target = {
        **keeper.journal.target_manifest,
        "spec": {**keeper.journal.target_manifest["spec"], "replicas": 0},
    }
    target["spec"] |= {"scaleStrategy": {"maxUnavailable": 0}}
    target["metadata"] = {"name": "web", "annotations": {"kruise-migrate/id": keeper.journal.id}}
    world.cluster.create(CLONESET.path(NAMESPACE), target)
    world.sandbox.run(5)
    live = world.deployment
    assert live is not None
    world.cluster.delete(DEPLOYMENT.path(NAMESPACE, "web"), options={"propagationPolicy": "Orphan"})
    world.sandbox.run(5)
    keeper.write(pods=careless.snapshot(Situation(None, world.replicasets[0], world.cloneset, world.pods)))
    careless.delete_replicaset(Situation(None, world.replicasets[0], world.cloneset, world.pods))
    world.sandbox.run(30)
    assert world.marks() & before == set()


def test_a_young_replicaset_is_waited_for_before_its_deployment_goes() -> None:
    """Row 60: the collector may not know yet what is the ReplicaSet's; held by a finalizer it needs no age."""
    world = World(replicas=2, ready_after=3)
    born = parse_rfc3339(world.replicasets[0]["metadata"]["creationTimestamp"]) or 0.0
    watching = Watching(world)
    client = connect(world, watching)
    keeper = world.begin(client)
    adopt(world.run(client, settle=0), keeper)
    deletions = [(at - born, path) for at, method, path, _ in watching.writes if method == "DELETE"]
    assert [path.rpartition("/")[2] for _, path in deletions] == ["web", name_of(keeper.journal.replicaset)]
    assert deletions[0][0] >= 30.0
    assert deletions[1][0] < deletions[0][0] + 30.0
    held = next(
        body for _, method, path, body in watching.writes if method == "PATCH" and "/replicasets/" in path
    )
    assert MIGRATE_HOLD in held


def test_no_pod_is_touched_while_its_replicaset_lives() -> None:
    """Row 63."""
    world = small()
    watching = Watching(world)
    forward(world, connect(world, watching))
    assert watching.living == []
    assert sum("/pods/" in path for _, _, path, _ in watching.writes) == 2


def test_owners_are_deleted_alone_and_in_the_state_that_was_looked_at() -> None:
    """migration.md §4.2: Orphan, uid and version, every time."""
    world = small()
    watching = Watching(world)
    client = connect(world, watching)
    forward(world, client)
    for _, method, path, body in watching.writes:
        if method == "DELETE" and "/configmaps/" not in path:
            options = json.loads(body)
            assert options["propagationPolicy"] == "Orphan"
            assert set(options["preconditions"]) == {"uid", "resourceVersion"}


def unmanned(world: World) -> None:
    """Take away whoever works on CloneSets."""
    world.sandbox.controllers = [
        each for each in world.sandbox.controllers if not type(each).__module__.startswith(cloneset.__name__)
    ]


def test_the_way_back_is_open_when_nobody_works_on_clonesets() -> None:
    """migration.md §5.3, §5.4: a broken upgrade of Kruise is no reason to stay with it."""
    world = ready_to_return()
    before = world.marks()
    unmanned(world)
    back(world, world.cluster)
    world.sandbox.run(60)
    assert (world.marks(), dig(world.deployment, ("status", "availableReplicas"))) == (before, len(before))


def test_a_manager_that_is_alive_has_to_see_the_lock() -> None:
    world = ready_to_return()
    before = world.marks()
    unmanned(world)
    world.cluster.create("/api/v1/namespaces", {"metadata": {"name": MANAGER_NAMESPACE}})
    renewed = rfc3339(world.clock.time()).replace("Z", ".000000Z")
    spec = {"holderIdentity": "m", "leaseDurationSeconds": 600, "renewTime": renewed}
    body = {"metadata": {"name": MANAGER_LEASE}, "spec": spec}
    world.cluster.create(LEASE.path(MANAGER_NAMESPACE), body)
    with pytest.raises(NoManagerError, match="has seen the lock"):
        back(world, world.cluster)
    assert (world.marks(), world.owners()) == (before, {"CloneSet"})


def test_a_dead_webhook_stops_the_way_back_before_it_begins() -> None:
    """Row 64: every patch of a pod answers 500; a ReplicaSet made now would double the pods later."""
    world = moved()
    keeper = found(world, world.cluster, FORWARD)
    assert keeper is not None
    keeper.remove()
    watching = _DeadWebhook(world)
    live = world.cloneset
    assert live is not None
    ahead = look_ahead(world.run(connect(world, watching)), Workload(live, CLONESET), Wish())
    assert [each.check.code for each in ahead.refused] == ["P-WEBHOOKDOWN"]
    assert "kruise-validating-webhook-configuration" in ahead.refused[0].check.fix
    assert watching.writes == []


class _DeadWebhook(Watching):
    def send(self, request: Request) -> Response:
        if request.method == "PATCH" and "/pods/" in request.target:
            said = 'Internal error occurred: failed calling webhook "vpod.kb.io": no endpoints available'
            status = {
                "kind": "Status",
                "status": "Failure",
                "reason": "InternalError",
                "message": said,
                "code": 500,
            }
            return Response(500, {"content-type": "application/json"}, json.dumps(status).encode())
        return super().send(request) if "selfsubject" not in request.target else self._inner.send(request)


def test_pods_with_finalizers_make_no_difference() -> None:
    world = small()
    for pod in world.pods:
        merge(world, POD.path(NAMESPACE, name_of(pod)), {"metadata": {"finalizers": ["example.com/hold"]}})
    before = world.marks()
    forward(world, world.cluster)
    world.sandbox.run(30)
    assert world.marks() == before
    assert all(pod["metadata"]["finalizers"] == ["example.com/hold"] for pod in world.pods)


def test_a_target_that_was_updated_is_not_rolled_back() -> None:
    world = moved()
    template = {"metadata": {"annotations": {"example.com/at": "noon"}}}
    merge(world, CLONESET.path(NAMESPACE, "web"), {"spec": {"template": template}})
    keeper = found(world, world.cluster, FORWARD)
    assert keeper is not None
    with pytest.raises(ChangedError, match="has been updated"):
        roll_back(world.run(), keeper)
    world.sandbox.run(60)
    assert world.owners() == {"CloneSet"}
    assert found(world, world.cluster, FORWARD) is not None


@pytest.mark.parametrize("replicas", [1, 4])
def test_a_target_that_was_scaled_comes_back_as_it_is(replicas: int) -> None:
    world = moved()
    before = world.marks()
    merge(world, CLONESET.path(NAMESPACE, "web"), {"spec": {"replicas": replicas}})
    world.sandbox.run(30)
    marks = world.marks()
    assert len(marks) == replicas
    keeper = found(world, world.cluster, FORWARD)
    assert keeper is not None
    roll_back(world.run(), keeper)
    world.sandbox.run(60)
    assert (world.marks(), world.owners()) == (marks, {"ReplicaSet"})
    assert len(marks & before) == min(replicas, len(before))
    assert dig(world.deployment, ("spec", "replicas")) == replicas


def test_old_revisions_go_with_the_source_and_come_back_with_it() -> None:
    """migration.md §5.1.1 D16: they own nothing, and let the Deployment be undone further."""
    world = small()
    change_source(template={"metadata": {"annotations": {"example.com/at": "noon"}}}).act(world)
    world.sandbox.run(90)
    names = {name_of(each) for each in world.replicasets}
    assert len(names) == 2
    before = world.marks()
    keeper = world.begin()
    adopt(world.run(settle=0), keeper)
    world.sandbox.run(5)
    assert world.replicasets == []
    roll_back(world.run(settle=0), keeper)
    world.sandbox.run(60)
    assert {name_of(each) for each in world.replicasets} == names
    assert {str((owner_of(each) or {}).get("kind")) for each in world.replicasets} == {"Deployment"}
    assert world.marks() == before


def test_a_source_of_many_pods_that_may_not_be_patched_is_left_alone() -> None:
    """A server that forbids what is needed is found out before anything is deleted (P-ADMISSION)."""
    world = small()
    live = world.deployment
    assert live is not None
    with pytest.raises(KruiseError):
        look_ahead(world.run(connect(world, _Forbidding(world))), Workload(live, DEPLOYMENT), Wish()).check()
    assert world.owners() == {"ReplicaSet"}
    assert world.cluster.list(REPLICASET.path(NAMESPACE))["items"] == world.replicasets


class _Forbidding(Watching):
    def send(self, request: Request) -> Response:
        if request.method == "PATCH" and "/pods/" in request.target:
            said = 'pods "web" is forbidden: cannot set an ownerRef on a resource you can\'t delete'
            status = {
                "kind": "Status",
                "status": "Failure",
                "reason": "Forbidden",
                "message": said,
                "code": 403,
            }
            return Response(403, {"content-type": "application/json"}, json.dumps(status).encode())
        return self._inner.send(request)


def test_the_source_is_as_it_was_after_there_and_back() -> None:
    """Row 30, live: every field of the spec."""
    spec: dict[str, Any] = {"minReadySeconds": 2, "revisionHistoryLimit": 4, "strategy": {"type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}  # fmt: skip
    world = World(replicas=2, **spec)
    before = world.deployment
    assert before is not None
    keeper = world.begin()
    adopt(world.run(settle=0), keeper)
    keeper.remove()
    back = world.begin_back()
    release(world.run(), back, back.journal.target_manifest)
    world.sandbox.run(30)
    assert world.deployment is not None
    assert world.deployment["spec"] == before["spec"]

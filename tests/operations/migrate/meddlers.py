"""What others may do in the middle of a migration, each as it would be done through the API."""

from collections.abc import Callable
from typing import Any, NamedTuple

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.controllers import cloneset
from kubectl_kruise.engine.migration.situation import held
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, POD, REPLICASET
from kubectl_kruise.facts.names import MIGRATE_HOLD
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import (
    Raw,
    controller_reference,
    deleting,
    metadata,
    name_of,
    owner_uid,
    uid_of,
)
from tests.operations.migrate.world import NAMESPACE, World, deployment


class Meddler(NamedTuple):
    """Somebody who does something; `can` says whether there is anything to do it to."""

    act: Callable[[World], None]
    can: Callable[[World], bool] = lambda _: True


def merge(world: World, path: str, body: Raw) -> None:
    world.cluster.patch(path, Patch(PatchType.MERGE, body))


def _evict(world: World) -> None:
    pod = name_of(next(pod for pod in world.pods if active(pod)))
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
    world.cluster.create(POD.path(NAMESPACE, pod, subresource="eviction"), body)


def _source_lives(world: World) -> bool:
    return world.deployment is not None and not deleting(world.deployment)


def _source_gone(world: World) -> bool:
    return world.deployment is None


def scale_source(replicas: int) -> Meddler:
    def act(world: World) -> None:
        path = DEPLOYMENT.path(NAMESPACE, "web", subresource="scale")
        merge(world, path, {"spec": {"replicas": replicas}})
        world.sandbox.settle()

    return Meddler(act, _source_lives)


def change_source(**spec: Any) -> Meddler:
    def act(world: World) -> None:
        merge(world, DEPLOYMENT.path(NAMESPACE, "web"), {"spec": spec})
        world.sandbox.settle()

    return Meddler(act, _source_lives)


def _make_source_again(world: World) -> None:
    world.cluster.create(DEPLOYMENT.path(NAMESPACE), deployment(replicas=len(world.pods)))
    world.sandbox.run(3)


def _grab(world: World) -> None:
    world.sandbox.settle()
    pod = next(pod for pod in world.pods if not owner_uid(pod))
    stranger = world.cluster.create("/api/v1/namespaces/shop/configmaps", {"metadata": {"name": "stranger"}})
    reference = controller_reference("v1", "ConfigMap", "stranger", uid_of(stranger))
    merge(world, POD.path(NAMESPACE, name_of(pod)), {"metadata": {"ownerReferences": [reference]}})


def _pods_free(world: World) -> bool:
    return any(deleting(each) for each in world.replicasets) and any(
        (owner_uid(pod) or "") in {"", *(uid_of(each) for each in world.replicasets)} for pod in world.pods
    )


def _take_hold_off(world: World) -> None:
    for each in world.replicasets:
        if held(each):
            left = [name for name in metadata(each)["finalizers"] if name != MIGRATE_HOLD]
            merge(world, REPLICASET.path(NAMESPACE, name_of(each)), {"metadata": {"finalizers": left}})
    world.sandbox.settle()


def scale_target(replicas: int) -> Meddler:
    def act(world: World) -> None:
        path = CLONESET.path(NAMESPACE, "web", subresource="scale")
        merge(world, path, {"spec": {"replicas": replicas}})
        world.sandbox.settle()

    return Meddler(act, lambda world: world.cloneset is not None)


def _unlock(world: World) -> None:
    merge(
        world,
        CLONESET.path(NAMESPACE, "web"),
        {"spec": {"scaleStrategy": {"maxUnavailable": None}, "updateStrategy": {"paused": False}}},
    )


def stop_manager(world: World) -> None:
    """Let nobody work on CloneSets any more."""
    world.sandbox.controllers[:] = [
        each for each in world.sandbox.controllers if not type(each).__module__.startswith(cloneset.__name__)
    ]


def start_manager(world: World) -> None:
    world.sandbox.add(*cloneset.build(world.sandbox.client("kruise-manager"), world.clock))


EVICTS = Meddler(_evict, lambda world: any(active(pod) for pod in world.pods))
RECREATES = Meddler(_make_source_again, _source_gone)
GRABS = Meddler(_grab, _pods_free)
TAKES_HOLD_OFF = Meddler(_take_hold_off, lambda world: any(held(each) for each in world.replicasets))
UNLOCKS = Meddler(_unlock, lambda world: world.cloneset is not None)
STOPS_MANAGER = Meddler(stop_manager)

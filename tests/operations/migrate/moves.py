"""Moves that make new pods, begun as the command begins them."""

from collections.abc import Callable
from typing import Any

from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.convert.deployment import Target, deployment_to_cloneset
from kubectl_kruise.engine.migration.journal import Mode, Reference
from kubectl_kruise.engine.migration.stages import Counts, Stage
from kubectl_kruise.facts.kinds import DEPLOYMENT, POD, Kind
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.operations.migrate.journal.beginning import begin_gradually
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from tests.operations.migrate.world import NAMESPACE, World

SOURCE = Reference("Deployment", "web", "apps/v1")


def begin(
    world: World, mode: Mode = Mode.SURGE, cluster: Cluster | None = None, image: str = "", **options: Any
) -> Keeper:
    """Begin a move of the Deployment; one at a time, none missing, unless told otherwise.

    With `image` the new pods have another one than the old, so that they may fare otherwise.
    """
    live = world.deployment
    assert live is not None
    target = deployment_to_cloneset(live, Target()).obj
    if image:
        target["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return begin_gradually(world.run(cluster), mode, live, target, {"surge": 1, "unavailable": 0, **options})


def scale(world: World, replicas: int) -> None:
    """Scale the Deployment, as an autoscaler or a user would."""
    body = {"spec": {"replicas": replicas}}
    path = f"{DEPLOYMENT.path(NAMESPACE, 'web')}/scale"
    world.cluster.patch(path, Patch(PatchType.MERGE, body))


def hpa(least: int, most: int, name: str = "web", **spec: Any) -> Raw:
    """Give an HPA of the Deployment."""
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": least,
            "maxReplicas": most,
            **spec,
        },
    }


def add(world: World, kind: Kind, obj: Raw) -> None:
    world.cluster.create(kind.path(NAMESPACE), obj)


def spec_of(world: World, kind: Kind, name: str = "web") -> Raw:
    spec: Raw = world.cluster.get(kind.path(NAMESPACE, name))["spec"]
    return spec


def merge(kind: Kind, world: World, body: Raw, name: str = "web") -> None:
    """Change an object as somebody else would."""
    world.cluster.patch(kind.path(NAMESPACE, name), Patch(PatchType.MERGE, body))


def image_of(name: str) -> Raw:
    """Give the change that lets a workload have another image."""
    return {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": name}]}}}}


def fail(world: World, pod: str) -> None:
    """Let a pod no longer be ready, and never again."""
    body = {"spec": {"containers": [{"name": "main", "image": "app:unready"}]}}
    world.cluster.patch(POD.path(NAMESPACE, pod), Patch(PatchType.STRATEGIC, body))
    world.sandbox.run(10)


def stop_at(text: str) -> Callable[[str], None]:
    """Give an ear that ends the run when it hears `text`."""

    def hear(said: str) -> None:
        if text in said:
            raise InterruptedError

    return hear


def stop_when(moved: int) -> Callable[[Stage, Counts | None], None]:
    """Give an eye that ends the run when it sees so many pods moved."""

    def see(_stage: Stage, counts: Counts | None = None) -> None:
        if counts is not None and counts.moved >= moved:
            raise InterruptedError

    return see

"""Native StatefulSets for tests of their controller."""

from typing import Any

from kubectl_kruise.facts.kinds import CONTROLLER_REVISION, NATIVE_STATEFULSET, POD
from kubectl_kruise.objects.raw import Raw, labels_of, name_of, uid_of
from tests.sandbox.simulation.world import World

CLAIM = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}


def stateful_set(replicas: int = 3, image: str = "nginx:1", **spec: Any) -> Raw:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": image}]}}
    own = {
        "replicas": replicas,
        "serviceName": "web",
        "selector": {"matchLabels": labels},
        "template": template,
    }
    return {"metadata": {"name": "web"}, "spec": own | spec}


def names(world: World) -> list[str]:
    return sorted(map(name_of, world.pods()))


def uids(world: World) -> dict[str, str]:
    return {name_of(pod): uid_of(pod) for pod in world.pods()}


def status(world: World) -> Raw:
    found: Raw = world.get(NATIVE_STATEFULSET, "web")["status"]
    return found


def revisions(world: World) -> dict[int, str]:
    return {each["revision"]: name_of(each) for each in world.all(CONTROLLER_REVISION)}


def on_revision(world: World, name: str) -> list[str]:
    return sorted(
        name_of(pod) for pod in world.all(POD) if labels_of(pod).get("controller-revision-hash") == name
    )

"""A sandbox with the simulated cluster in it, and the questions tests ask of it."""

from typing import Any

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.facts.kinds import DEPLOYMENT, EVENT, NODE, POD, REPLICASET, Kind
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.simulation import DEFAULT, Profile, build

NAMESPACE = "default"


class World:
    """One sandbox on a virtual clock; nothing moves but in `run`."""

    def __init__(self, profile: Profile = DEFAULT) -> None:
        self.profile = profile
        self.sandbox = Sandbox(kruise=False)
        self._upkeep = list(self.sandbox.controllers)
        self.user = self.sandbox.client("user")
        self.restart()

    def restart(self) -> None:
        """Begin the simulation anew, as a new process would."""
        self.leave()
        self.sandbox.add(
            *build(self.sandbox.client("simulation"), self.sandbox.clock, self.profile, kruise=False)
        )
        self.sandbox.settle()

    def leave(self) -> None:
        """End the simulation; the server goes on."""
        self.sandbox.controllers[:] = self._upkeep

    def run(self, seconds: float) -> None:
        self.sandbox.run(seconds)

    def create(self, kind: Kind, raw: Raw) -> Raw:
        version = f"{kind.group}/{kind.versions[0]}" if kind.group else kind.versions[0]
        return self.user.create(kind.path(NAMESPACE), {"apiVersion": version, "kind": kind.kind} | raw)

    def get(self, kind: Kind, name: str) -> Raw:
        return self.user.get(kind.path(NAMESPACE, name))

    def all(self, kind: Kind) -> list[Raw]:
        return self.user.list(kind.path(NAMESPACE))["items"]

    def patch(self, kind: Kind, name: str, change: Raw, *, part: str = "") -> Raw:
        path = kind.path(NAMESPACE if kind.namespaced else "", name, subresource=part)
        return self.user.patch(path, Patch(PatchType.STRATEGIC, change))

    def delete(self, kind: Kind, name: str, **options: Any) -> None:
        self.user.delete(kind.path(NAMESPACE if kind.namespaced else "", name), options=options)

    def pod(self, name: str = "p") -> Raw:
        return self.get(POD, name)

    def pods(self) -> list[Raw]:
        return self.all(POD)

    def events(self, reason: str) -> list[str]:
        return [event["message"] for event in self.all(EVENT) if event["reason"] == reason]

    def node(self, name: str) -> Raw:
        return self.user.get(NODE.path(name=name))

    def deployment(self, name: str = "web") -> Raw:
        return self.get(DEPLOYMENT, name)

    def replicasets(self) -> list[Raw]:
        return sorted(self.all(REPLICASET), key=lambda each: each["metadata"]["creationTimestamp"])


def pod(name: str = "p", *images: str, gates: tuple[str, ...] = (), **spec: Any) -> Raw:
    """Give a pod with a container of each image, named `main`, `side`, `third`."""
    names = ("main", "side", "third")
    containers = [{"name": n, "image": i} for n, i in zip(names, images or ("nginx:1",), strict=False)]
    full: Raw = {"containers": containers, **spec}
    if gates:
        full["readinessGates"] = [{"conditionType": gate} for gate in gates]
    return {"metadata": {"name": name}, "spec": full}


def deployment(name: str = "web", image: str = "nginx:1", replicas: int = 3, **spec: Any) -> Raw:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": image}]}}
    return {
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template, **spec},
    }


def image_change(image: str) -> Raw:
    return {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": image}]}}}}


def conditions(raw: Raw) -> dict[str, str]:
    return {each["type"]: each["status"] for each in dig(raw, ("status", "conditions"), [])}


def reasons(raw: Raw) -> dict[str, str]:
    return {each["type"]: each.get("reason", "") for each in dig(raw, ("status", "conditions"), [])}


def containers(raw: Raw) -> dict[str, Raw]:
    return {each["name"]: each for each in dig(raw, ("status", "containerStatuses"), [])}


def restarts(raw: Raw) -> dict[str, int]:
    return {name: each["restartCount"] for name, each in containers(raw).items()}

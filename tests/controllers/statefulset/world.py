"""A sandbox with simulated nodes and the controller of Advanced StatefulSets."""

from typing import Any

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.controllers import statefulset
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.loop import Controller
from kubectl_kruise.controllers.upkeep import upkeep_of_pods
from kubectl_kruise.facts.kinds import POD, PVC, STATEFULSET
from kubectl_kruise.objects.raw import Raw, metadata, name_of
from tests.controllers import world
from tests.controllers.world import NAMESPACE

CLAIMS = [
    {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
]


class World(world.World):
    """The world of an Advanced StatefulSet."""

    kind = STATEFULSET
    component = "statefulset-controller"

    def build(self, client: Client) -> list[Controller]:
        pods = Informer(client, POD.path())
        controller = statefulset.build(client, self.clock, gates=self.gates, pods=pods)
        return [controller, *upkeep_of_pods(client, self.clock, pods)]

    def create(
        self,
        replicas: int = 3,
        *,
        name: str = "web",
        image: str = "nginx:1",
        policy: str = "Parallel",
        spec: Raw | None = None,
        **rolling: Any,
    ) -> Raw:
        """Create a set in parallel that updates in place unless its `podUpdatePolicy` says otherwise."""
        return self.user.create(
            STATEFULSET.path(NAMESPACE),
            {
                "apiVersion": "apps.kruise.io/v1beta1",
                "kind": "StatefulSet",
                "metadata": {"name": name},
                "spec": {
                    "replicas": replicas,
                    "serviceName": name,
                    "podManagementPolicy": policy,
                    "selector": {"matchLabels": {"app": name}},
                    "template": {
                        "metadata": {"labels": {"app": name}},
                        "spec": {
                            "containers": [{"name": "main", "image": image}],
                            "readinessGates": [{"conditionType": "InPlaceUpdateReady"}],
                        },
                    },
                    "updateStrategy": {
                        "type": "RollingUpdate",
                        "rollingUpdate": {"podUpdatePolicy": "InPlaceIfPossible", **rolling},
                    },
                    **(spec or {}),
                },
            },
        )

    def roll(self, **rolling: Any) -> None:
        self.change({"updateStrategy": {"rollingUpdate": rolling}})

    def claims(self) -> dict[str, list[str]]:
        """Give the kinds of the owners of each claim."""
        return {
            name_of(claim): [owner["kind"] for owner in metadata(claim).get("ownerReferences") or []]
            for claim in self.all(PVC)
        }

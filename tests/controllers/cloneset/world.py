"""A sandbox with simulated nodes and the CloneSet controller."""

import random
from typing import Any

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.controllers import cloneset
from kubectl_kruise.controllers.cloneset import Tuning
from kubectl_kruise.controllers.loop import Controller
from kubectl_kruise.engine.cloneset.creation import ID_LENGTH
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.names import RANDOM_LETTERS
from kubectl_kruise.objects.raw import Raw
from tests.controllers import world
from tests.controllers.world import GATES, NAMESPACE


class World(world.World):
    """The world of a CloneSet; `seed` is that of its instance ids."""

    kind = CLONESET
    component = "cloneset-controller"

    def __init__(self, *, seed: int = 1, webhooks: bool = True, gates: Gates = GATES) -> None:
        self.tuning = Tuning()
        self._draw = random.Random(seed)
        super().__init__(webhooks=webhooks, gates=gates)

    def build(self, client: Client) -> list[Controller]:
        return cloneset.build(client, self.clock, gates=self.gates, tuning=self.tuning, draw=self._draw_id)

    def create(
        self,
        replicas: int = 3,
        *,
        name: str = "web",
        image: str = "nginx:1",
        spec: Raw | None = None,
        **strategy: Any,
    ) -> Raw:
        """Create a CloneSet that updates in place unless `type` says otherwise."""
        return self.user.create(
            CLONESET.path(NAMESPACE),
            {
                "apiVersion": "apps.kruise.io/v1alpha1",
                "kind": "CloneSet",
                "metadata": {"name": name},
                "spec": {
                    "replicas": replicas,
                    "selector": {"matchLabels": {"app": name}},
                    "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "main", "image": image}]}},
                    "updateStrategy": {"type": "InPlaceIfPossible", **strategy},
                    **(spec or {}),
                },
            },
        )  # fmt: skip

    def _draw_id(self) -> str:
        return "".join(self._draw.choice(RANDOM_LETTERS) for _ in range(ID_LENGTH))

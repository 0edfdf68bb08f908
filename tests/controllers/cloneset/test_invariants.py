"""What holds in every pass, whatever users ask for in between (cloneset.md §27.2)."""

import json
import random
from typing import Any

import pytest

from kubectl_kruise.cluster.port import Request, Response, Stream, Transport
from kubectl_kruise.controllers.cloneset.controller import CloneSetController
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.raw import deleting
from tests.controllers.cloneset.world import World
from tests.controllers.world import WRITES

SCALING, UPDATING, OTHER = "scaling", "updating", "other"


class Passes:
    """A transport that files what the controller writes under the pass that wrote it."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.kinds: list[set[str]] = [set()]

    def send(self, request: Request) -> Response:
        if request.method in WRITES:
            self.kinds[-1].add(_kind(request))
        return self._transport.send(request)

    def open(self, request: Request) -> Stream:
        return self._transport.open(request)

    def close(self) -> None:
        self._transport.close()


def _kind(request: Request) -> str:
    path, text = request.target.partition("?")[0], (request.body or b"").decode()
    parts = path.split("/")
    if "pods" not in parts or parts[-1] == "status":
        return OTHER
    if request.method in {"POST", "DELETE"}:
        return SCALING
    return UPDATING if '"Updating"' in text or "specified-delete" in text else OTHER


def _edit(draw: random.Random, image: int) -> dict[str, Any]:
    strategy = {
        "partition": draw.choice([0, 0, 1, 2, "50%", "99%", "100%"]),
        "maxUnavailable": draw.choice([1, "20%", "50%"]),
        "maxSurge": draw.choice([0, 0, 1, 2]),
        "paused": draw.random() < 0.2,
        "type": draw.choice(["ReCreate", "InPlaceIfPossible"]),
    }
    if draw.random() < 0.3:
        strategy |= {"maxUnavailable": 0, "maxSurge": draw.choice([1, 2])}
    container = {"name": "main", "image": f"nginx:{image}"}
    return {
        "replicas": draw.randint(0, 6),
        "updateStrategy": strategy,
        "template": {"spec": {"containers": [container]}},
        "scaleStrategy": {"maxUnavailable": draw.choice([None, 1, "50%"])},
    }


@pytest.mark.parametrize("seed", range(4))
def test_every_pass_keeps_the_promises(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    world, draw = World(seed=seed, gates=Gates()), random.Random(seed)
    passes = Passes(world.line)
    world.line = passes
    world.start()
    inner = CloneSetController.reconcile

    def reconcile(controller: CloneSetController, key: Any) -> float | None:
        passes.kinds.append(set())
        return inner(controller, key)

    monkeypatch.setattr(CloneSetController, "reconcile", reconcile)
    world.create(3, maxUnavailable=1)
    world.run(3)

    for image in range(2, 8):
        before = sum(not deleting(pod) for pod in world.pods())
        edit = _edit(draw, draw.choice([image, image - 1]))
        world.change(edit)
        passes.kinds.append(set())
        start, most = len(passes.kinds), before
        for _ in range(12):
            world.run(0.5)
            most = max(most, sum(not deleting(pod) for pod in world.pods()))
        seen = passes.kinds[start:]
        strategy, replicas = edit["updateStrategy"], edit["replicas"]
        surge = number.surge(strategy["maxSurge"], replicas, paused=strategy["paused"])

        assert not any({SCALING, UPDATING} <= kinds for kinds in seen), "invariant 1"
        assert most <= max(before, replicas + surge), "invariant 5"
        if strategy["paused"]:
            assert not any(UPDATING in kinds for kinds in seen), "invariant 8"
        if number.partition(strategy["partition"], replicas) >= replicas:
            assert not any(UPDATING in kinds for kinds in seen), "invariant 9"


def test_requests_are_told_apart() -> None:
    path = "/api/v1/namespaces/default/pods/web-abcde"
    marked = json.dumps({"metadata": {"labels": {"apps.kruise.io/specified-delete": "true"}}}).encode()

    assert _kind(Request("DELETE", path, {}, None)) == SCALING
    assert _kind(Request("PATCH", path, {}, marked)) == UPDATING
    assert _kind(Request("PATCH", f"{path}/status", {}, b"{}")) == OTHER

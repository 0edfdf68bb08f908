"""The requests of a migration are those that were proven on a real cluster, in their order, with their guards."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubectl_kruise.cluster.port import Request, Response, Stream, Transport
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from tests.conformance.comparing.compare import first_difference
from tests.operations.migrate.walks import FORWARD, Act, back, connect, forward, undo
from tests.operations.migrate.world import NAMESPACE, World

RECORDINGS = Path(__file__).parents[2] / "data" / "recordings" / "migration"
UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PATH = re.compile(r"/namespaces/shop/([a-z]+)/?([^/?]*)")
Sent = tuple[str, str, str, Any]
"""Method, resource, name and body."""


class Log:
    """A transport that keeps what is written, but for the journal: how often it is written is ours to choose."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.sent: list[Sent] = []

    def send(self, request: Request) -> Response:
        place = PATH.search(request.target)
        if request.method != "GET" and place is not None and place[1] != "configmaps":
            body = json.loads(request.body or b"null")
            dry = " (dry run)" if "dryRun=All&fieldValidation=Strict" in request.target else ""
            name = place[2] or str(body["metadata"]["name"])
            self.sent.append((request.method, place[1] + dry, name, body))
        return self._inner.send(request)

    def open(self, request: Request) -> Stream:
        return self._inner.open(request)

    def close(self) -> None:
        """Leave the server to the others."""


def recorded(name: str, steps: str) -> list[Sent]:
    """Give the requests of the steps that begin with one of these letters, those of the journal left out."""
    flow = json.loads((RECORDINGS / f"{name}.json").read_text("utf-8"))
    return [
        (
            each["verb"],
            each["resource"] + (" (dry run)" if "dryRun" in each.get("params", {}) else ""),
            each["name"],
            each.get("body"),
        )
        for each in flow["requests"]
        if "verb" in each and each["resource"] != "configmaps" and each["step"][0] in steps
    ]


def comparable(sent: list[Sent]) -> list[Any]:
    """Leave out what is chance: uids, versions, the order and the random ends of pods' names."""
    found = []
    for method, resource, name, body in sent:
        text = UID.sub("UID", json.dumps(_plain(body), sort_keys=True))
        text = re.sub(r'"(uid-[^"]*|UID|m1)"', '"UID"', text).replace(
            "Deployment/web/uid-Deployment-web", "Deployment/web/UID"
        )
        text = re.sub(r'"resourceVersion": "[^"]*"', '"resourceVersion": "RV"', text)
        text = re.sub(r'(instance-id": )"[^"]*"', r'\1"ID"', text)
        if resource == "pods":
            text = re.sub(r"web-[a-z0-9]{5}\b", "POD", text)
        found.append([method, resource, "POD" if resource == "pods" else name, json.loads(text)])
    return found


def _plain(body: Any) -> Any:
    if not isinstance(body, dict):
        return body
    made = {key: value for key, value in body.items() if key not in ("apiVersion", "kind")}
    if "metadata" in made:
        # The namespace stands in the path; empty maps say nothing.
        made["metadata"] = {
            key: value for key, value in made["metadata"].items() if key != "namespace" and value != {}
        }
    return made


@pytest.mark.parametrize(
    ("name", "steps", "before", "act"),
    [
        pytest.param("mg-002", "D", (), forward, id="forward"),
        pytest.param("mg-016", "U", (forward,), undo(FORWARD), id="undone after it was unlocked"),
    ],
)
def test_requests_are_the_proven_ones(
    name: str, steps: str, before: tuple[Act, ...], act: Callable[[World, Any], None]
) -> None:
    world = World()
    for first in before:
        first(world, world.cluster)
    log = Log(world.cluster._transport)
    act(world, connect(world, log))

    theirs, ours = comparable(recorded(name, steps)), comparable(log.sent)
    for method, resource, _, body in ours:
        if (method, resource) == ("PATCH", "deployments"):
            # Ours lets a Deployment work only in the state in which it was seen to have its pods.
            assert body.pop("metadata") == {"resourceVersion": "RV"}
    assert first_difference(theirs, ours) == ""


def test_requests_of_the_way_back_are_the_proven_ones() -> None:
    """migration.md §5.3, for pods that Kruise has made."""
    world = World(replicas=0)
    world.cluster.delete(DEPLOYMENT.path(NAMESPACE, "web"), options={"propagationPolicy": "Background"})
    (start,) = json.loads((RECORDINGS / "mg-006.json").read_text("utf-8"))["start"]["objects"]
    world.cluster.create(CLONESET.path(NAMESPACE), start)
    world.sandbox.run(60)
    before = world.marks()
    log = Log(world.cluster._transport)
    back(world, connect(world, log))

    theirs, ours = comparable(recorded("mg-006", "B")), comparable(log.sent)
    for _, resource, _, body in theirs:
        if resource == "replicasets":
            # What ours leaves out, as it is what the server takes it for.
            assert body["spec"].pop("minReadySeconds") == 0
    for method, resource, _, body in ours:
        if (method, resource) == ("PATCH", "deployments"):
            assert body.pop("metadata") == {"resourceVersion": "RV"}
        if resource == "pods":
            # Ours says the hash that the pod has already: the same patch undoes an adoption, where it has another.
            assert body["metadata"]["labels"].pop("pod-template-hash") == "658fcd5c79"
    assert first_difference(theirs, ours) == ""
    assert (len(before), world.marks()) == (4, before)

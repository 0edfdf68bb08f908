"""The cluster in which a recorded migration is played again: every controller's writes are known by who sent them."""

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Request, Response, Stream, Transport
from kubectl_kruise.controllers import cloneset, statefulset
from kubectl_kruise.engine.gates import resolve_gates
from kubectl_kruise.facts.kinds import KRUISE_GROUP
from kubectl_kruise.facts.names import RANDOM_LETTERS
from kubectl_kruise.objects.raw import Raw, labels_of, name_of, uid_of
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.simulation import RECORDED, build
from kubectl_kruise.sandbox.store import Event
from tests.conformance.comparing.normalise import NAMESPACE, Names, normalise
from tests.conformance.comparing.writes import Write, WriteLog

QUIET_SECONDS = 4.0
LONGEST_SECONDS = 600.0
ZONE = "topology.kubernetes.io/zone"
BY = {
    "gc": "gc",
    "deployment": "native",
    "replicaset": "native",
    "disruption": "native",
    "statefulset": "native",
    "kruise": "kruise",
}
"""Who wrote: the native controllers share one client here."""

_LOST = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Failure",
    "reason": "Conflict",
    "message": "the object has been modified; please apply your changes to the latest version and try again",
    "code": 409,
}


_TAKEN = _LOST | {
    "reason": "Invalid",
    "message": "Only one reference can have Controller set to true",
    "code": 422,
}


class Done(NamedTuple):
    by: str
    write: Write


class Racing:
    """A transport that loses the races which the garbage collector lost when it let owners go.

    While its patch was under way a controller wrote a status; between controllers that take turns nobody ever does.
    """

    def __init__(self, inner: Transport, lost: Sequence[str]) -> None:
        self._inner = inner
        self._lost = list(lost)

    def send(self, request: Request) -> Response:
        place = "/".join(request.target.split("?")[0].split("/")[-2:])
        if request.method == "PATCH" and place in self._lost and b'"finalizers"' in (request.body or b""):
            self._lost.remove(place)
            return Response(409, {"content-type": "application/json"}, json.dumps(_LOST).encode())
        return self._inner.send(request)

    def open(self, request: Request) -> Stream:
        return self._inner.open(request)

    def close(self) -> None:
        """Keep the server, which others use too."""


class Losing:
    """A transport that does not get the revisions which a recorded controller did not get: another one was quicker."""

    def __init__(self, inner: Transport, lost: Sequence[str]) -> None:
        self._inner = inner
        self._lost = list(lost)

    def send(self, request: Request) -> Response:
        place = "/".join(request.target.split("?")[0].split("/")[-2:])
        if request.method == "PATCH" and place in self._lost:
            self._lost.remove(place)
            return Response(422, {"content-type": "application/json"}, json.dumps(_TAKEN).encode())
        return self._inner.send(request)

    def open(self, request: Request) -> Stream:
        return self._inner.open(request)

    def close(self) -> None:
        """Keep the server, which others use too."""


class Uids:
    """Who is meant by `uid-p1`, `uid-Deployment-web` and, the second of its name, `uid-Deployment-web-again`.

    A third of that name, such as the StatefulSet that is made again beside an Advanced one, is called as the second is:
    then the API group tells which one is meant.
    """

    def __init__(self, names: Names, pods: Mapping[str, str]) -> None:
        """Take the words for pods whose names are not random: several are created at once, in whatever order."""
        self._names, self._fixed = names, dict(pods)
        self._real: dict[str, str] = {}
        self._known: dict[str, str] = {}
        self._groups: dict[tuple[str, str], str] = {}
        self._pods = 0

    def learn(self, event: Event) -> None:
        raw = event.new.object
        if event.type != "ADDED" or uid_of(raw) in self._known:
            return
        if raw["kind"] == "Pod":
            self._names.learn(str(raw["metadata"].get("generateName") or ""), name_of(raw))
            self._pods += 1
            called = self._fixed.pop(name_of(raw), f"uid-p{self._pods}")
        else:
            called = f"uid-{raw['kind']}-{name_of(raw)}"
            if called in self._real:
                called = f"{called}-again"
        self._real[called], self._known[uid_of(raw)] = uid_of(raw), called
        self._groups[called, _group(raw)] = uid_of(raw)

    def realise(self, value: Any, group: str = "") -> Any:
        """Put our uids in; `group` is that of the object which a uid belongs to, where nothing else tells."""
        if isinstance(value, dict):
            group = _group(value) if value.get("kind") and "uid" in value else group
            return {key: self.realise(child, group) for key, child in value.items()}
        if isinstance(value, list):
            # Beside the reference to its new owner, a pod loses that to the set of the other kind.
            new = {_group(each) for each in value if isinstance(each, dict) and each.get("kind")}
            other = next((found for found in ("apps", KRUISE_GROUP) if new and found not in new), group)
            return [self.realise(child, other) for child in value]
        if isinstance(value, str):
            for called in sorted(self._real, key=len, reverse=True):
                if value == called or value.endswith(f"/{called}"):
                    real = self._groups.get((called, group), self._real[called])
                    return value.removesuffix(called) + real
        return value

    def recall(self, value: Any) -> Any:
        """Put the recording's words in the place of our uids."""
        text = json.dumps(value)
        for uid, called in self._known.items():
            text = text.replace(uid, called)
        return json.loads(text)


class Stage:
    """One flow's cluster. `kruise` is the manager's client; the scheduler puts pods where the recording had them."""

    def __init__(self, recording: dict[str, Any]) -> None:
        self.names = Names()
        self.uids = Uids(self.names, {pod["name"]: pod["uid"] for pod in recording["before"].get("pods", [])})
        gates = resolve_gates(recording["recorded"].get("gates", {}))
        self.sandbox = Sandbox(collect=False, gates=gates)
        self.sandbox.server.store.listen(self.uids.learn)
        self.user = self.sandbox.client("recording", namespace=NAMESPACE)
        self._nodes = dict(_nodes(recording))
        self._preferred = [
            found["name"] for found in recording["controllers"] if found["by"] == "kruise" and _picks(found)
        ]
        self._logs = {by: WriteLog(self.sandbox.transport) for by in ("gc", "native", "kruise")}
        self._draw = random.Random(recording["id"])
        lost = [
            f"{found['resource']}/{found['name']}"
            for found in recording["controllers"]
            if (found["by"], found["verb"], found["code"]) == ("gc", "patch", 409)
        ]
        self.sandbox.add(*self.sandbox.server.upkeep(self._client("gc", Racing(self._logs["gc"], lost))))
        self.sandbox.add(
            *build(
                self.sandbox.client("kubelet"), self.sandbox.clock, RECORDED,
                choose=self._choose, manager=self._client("native", Losing(self._logs["native"], _missed(recording, "statefulset"))),
            ),
            *cloneset.build(
                self._client("kruise", self._logs["kruise"]), self.sandbox.clock,
                gates=gates, draw=self._draw_id, rank=self._rank,
            ),
            statefulset.build(
                self._client("kruise", Losing(self._logs["kruise"], _missed(recording, "kruise"))),
                self.sandbox.clock, gates=gates,
            ),
        )  # fmt: skip
        self._seen: list[Done] = []
        self.user.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        self.run_until_quiet()

    def take(self) -> list[Done]:
        """Give what controllers have written since the last time, each one's own in order."""
        found = [Done(by, self._recalled(write)) for by, log in self._logs.items() for write in log.take()]
        self._seen += found
        return found

    def run_until(self, reached: Callable[[], bool]) -> None:
        """Let everybody work, a key at a time, until something is so, or until it takes too long."""
        end = self.sandbox.clock.monotonic() + QUIET_SECONDS
        while not reached():
            if not self.sandbox.step():
                due = self.sandbox.next_due()
                if due is None or due > end:
                    return
                self.sandbox.clock.advance(max(0.0, due - self.sandbox.clock.monotonic()))

    def run_until_quiet(self) -> None:
        """Let time pass until nobody has written for a while."""
        clock, store = self.sandbox.clock, self.sandbox.server.store
        self.sandbox.settle()
        last, version = clock.monotonic(), store.version
        end = clock.monotonic() + LONGEST_SECONDS
        while clock.monotonic() < min(end, last + QUIET_SECONDS):
            due = self.sandbox.next_due()
            wait = last + QUIET_SECONDS - clock.monotonic()
            self.sandbox.run(min(wait, max(0.0, due - clock.monotonic())) if due is not None else wait)
            if store.version != version:
                last, version = clock.monotonic(), store.version

    def pods(self) -> list[Raw]:
        """Give all pods, in order of their creation."""
        found: list[Raw] = self.user.list(f"/api/v1/namespaces/{NAMESPACE}/pods")["items"]
        return sorted(found, key=lambda pod: int(self.uids.recall(uid_of(pod)).rpartition("-p")[2]))

    def _recalled(self, write: Write) -> Write:
        name, body = normalise(self.uids.recall([write.name, write.body]), self.names)
        return write._replace(name=name, body=body)

    def _client(self, by: str, transport: Transport) -> Client:
        return Client(
            transport, namespace=NAMESPACE, context="", server="", user_agent=by, field_manager=by,
            pause=self.sandbox.clock.advance,
        )  # fmt: skip

    def _choose(self, pod: Raw, nodes: Sequence[str]) -> str:
        return self._nodes.get(self.names.placeholder(name_of(pod)), nodes[0])

    def _rank(self, pod: Raw) -> int:
        called = self.names.placeholder(name_of(pod))
        return self._preferred.index(called) if called in self._preferred else len(self._preferred)

    def _draw_id(self) -> str:
        return "".join(self._draw.choices(RANDOM_LETTERS, k=5))


def _missed(recording: dict[str, Any], by: str) -> list[str]:
    """Name the revisions that a controller tried to take and did not get, each as often as it tried."""
    return [
        f"{found['resource']}/{found['name']}"
        for found in recording["controllers"]
        if (found["by"], found["verb"], found["resource"], found["code"])
        == (by, "patch", "controllerrevisions", 422)
    ]


def _group(raw: Raw) -> str:
    return str(raw.get("apiVersion") or "").rpartition("/")[0]


def _picks(found: dict[str, Any]) -> bool:
    """Say whether the manager has picked a pod among equals."""
    return found["resource"] == "pods" and (
        found["verb"] == "delete" or "specified-delete" in json.dumps(found.get("patch"))
    )


def _nodes(recording: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Give the nodes of pods, told by the zones that they are labelled with: that of fake-0 is fake-a."""
    zones = {RECORDED.zone_prefix + letter: node for letter, node in zip("abc", RECORDED.nodes, strict=False)}
    for pod in [*recording["before"].get("pods", []), *recording["after"].get("pods", [])]:
        if node := zones.get(labels_of({"metadata": pod}).get(ZONE, "")):
            yield pod["name"], node

"""A sandbox with simulated nodes and a controller of workloads, and the questions tests ask of it."""

from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Patch, PatchType, Request, Response, Stream, Transport
from kubectl_kruise.controllers.loop import Controller
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION, EVENT, POD, Kind
from kubectl_kruise.objects.raw import Raw, labels_of, name_of
from kubectl_kruise.sandbox import simulation
from kubectl_kruise.sandbox.embedded import Sandbox

if TYPE_CHECKING:
    from kubectl_kruise.cluster.clock import Clock

NAMESPACE = "default"
MANAGER = "kruise-manager"
GATES = Gates(vertical_scaling=True)
"""A gate more than a manager has of itself: who does not use it must not notice."""
WRITES = ("POST", "PUT", "PATCH", "DELETE")


class Death(BaseException):
    """The end of the controller's process; nothing in it may catch this."""


class Mortal:
    """A transport whose user dies at its write number `last`: before it is sent, or before its answer arrives."""

    def __init__(self, transport: Transport, last: int | None = None, *, sent: bool = False) -> None:
        self._transport, self._last, self._sent = transport, last, sent
        self.writes = 0

    def send(self, request: Request) -> Response:
        if request.method not in WRITES:
            return self._transport.send(request)
        self.writes += 1
        if self._last is None or self.writes < self._last:
            return self._transport.send(request)
        if self._sent:
            self._transport.send(request)
        raise Death

    def open(self, request: Request) -> Stream:
        return self._transport.open(request)

    def close(self) -> None:
        self._transport.close()


class World(ABC):
    """One sandbox on a virtual clock; nothing moves but in `run`. `kind` is that of the workload `web`."""

    kind: Kind
    component: str

    def __init__(self, *, webhooks: bool = True, gates: Gates = GATES) -> None:
        self.gates = gates
        self.sandbox = Sandbox(webhooks=webhooks, gates=gates)
        self.user = self.sandbox.client("user")
        self.sandbox.add(*simulation.build(self.sandbox.client("kubelet"), self.sandbox.clock))
        self._others = list(self.sandbox.controllers)
        self.clock: Clock = self.sandbox.clock
        self.line: Transport = self.sandbox.transport
        self.start()

    def start(self, last: int | None = None, *, sent: bool = False) -> None:
        """Start the controller anew, as a new process would; it dies at its write number `last`."""
        self.transport = Mortal(self.line, last, sent=sent)
        self.sandbox.controllers[:] = self._others
        self.sandbox.add(*self.controllers(self.transport))

    def controllers(self, transport: Transport) -> list[Controller]:
        """Make the controllers of one process."""
        client = Client(
            transport,
            namespace=NAMESPACE,
            user_agent=MANAGER,
            field_manager=MANAGER,
            pause=self.sandbox.clock.advance,
        )
        return self.build(client)

    @abstractmethod
    def build(self, client: Client) -> list[Controller]:
        """Make the controllers that work through a client."""

    def run(self, seconds: float = 12) -> None:
        self.sandbox.run(seconds)

    def change(self, spec: Raw, name: str = "web") -> None:
        self.user.patch(self.kind.path(NAMESPACE, name), Patch(PatchType.MERGE, {"spec": spec}))

    def set_image(self, image: str) -> None:
        self.change({"template": {"spec": {"containers": [{"name": "main", "image": image}]}}})

    def patch_pod(self, name: str, change: Raw, *, part: str = "") -> None:
        self.user.patch(POD.path(NAMESPACE, name, subresource=part), Patch(PatchType.STRATEGIC, change))

    def live(self, name: str = "web") -> Raw:
        return self.user.get(self.kind.path(NAMESPACE, name))

    def status(self) -> Raw:
        found: Raw = self.live()["status"]
        return found

    def all(self, kind: Kind) -> list[Raw]:
        items: list[Raw] = self.user.list(kind.path(NAMESPACE))["items"]
        return items

    def pods(self) -> list[Raw]:
        return self.all(POD)

    def names(self) -> set[str]:
        return {name_of(pod) for pod in self.pods()}

    def images(self) -> list[str]:
        return sorted(pod["spec"]["containers"][0]["image"] for pod in self.pods())

    def restarts(self) -> list[int]:
        return sorted(pod["status"]["containerStatuses"][0]["restartCount"] for pod in self.pods())

    def states(self) -> Counter[str]:
        return Counter(labels_of(pod)["lifecycle.apps.kruise.io/state"] for pod in self.pods())

    def revisions(self) -> list[int]:
        return sorted(revision["revision"] for revision in self.all(CONTROLLER_REVISION))

    def reasons(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for event in self.all(EVENT):
            if event["source"].get("component") == self.component:
                found[event["reason"]] += event["count"]
        return found

    def writes(self) -> Counter[str]:
        """What the controller has written since the log was last cleared: `PUT pods/status`, by kind of write."""
        found: Counter[str] = Counter()
        for request in self.sandbox.hooks.requests:
            if request.user_agent == MANAGER and request.method in WRITES:
                parts = request.path.split(f"/namespaces/{NAMESPACE}/")[1].split("/")
                found[f"{request.method} {'/'.join((parts[0], *parts[2:]))}"] += 1
        return found

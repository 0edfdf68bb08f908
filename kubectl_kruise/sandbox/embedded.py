"""The whole sandbox in one object, for tests and replays: the server, its clock, and whoever works on it."""

from collections.abc import Sequence
from typing import Final

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.clock import Clock, VirtualClock
from kubectl_kruise.controllers.loop import Controller, Stepper
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.handler import Handler
from kubectl_kruise.sandbox.hooks import Hooks
from kubectl_kruise.sandbox.local import LocalTransport
from kubectl_kruise.sandbox.registry.catalog import CRDS, Catalog
from kubectl_kruise.sandbox.registry.registry import Admission, Registry
from kubectl_kruise.sandbox.registry.call import Body, Call
from kubectl_kruise.sandbox.registry import crds
from kubectl_kruise.sandbox.store import Store

START_NAMESPACES: Final = ("default", "kube-system", "kube-public", "kube-node-lease")
GUARD: Final = 100_000


class Server:
    """Store, registry and handler, put together; the same for tests and for the process behind a port."""

    def __init__(self, clock: Clock, admission: Sequence[Admission] = ()) -> None:
        self.clock = clock
        self.store = Store(clock)
        self.catalog = Catalog(self.store)
        self.registry = Registry(self.store, self.catalog, clock, admission)
        self.hooks = Hooks()
        self.handler = Handler(self.registry, self.hooks)
        self.seed()

    def seed(self) -> None:
        """Create what is there from the start (NS1)."""
        for name in START_NAMESPACES:
            self.make("v1", "Namespace", {"metadata": {"name": name}})

    def make(self, api_version: str, kind: str, raw: Raw) -> None:
        """Store an object as a client would have it stored; for what the server begins with."""
        resource = self.catalog.by_kind(api_version, kind)
        if resource is None:
            raise LookupError(f"{api_version} {kind} is not served")
        full = {"apiVersion": api_version, "kind": kind} | raw
        namespace = str((raw.get("metadata") or {}).get("namespace") or "")
        self.registry.create(Call(resource, namespace, validation="Ignore"), Body(full))
        if resource.key == CRDS:
            crds.settle(self.registry)

    def reset(self) -> None:
        """Forget all objects; versions go on counting (H10)."""
        self.store.clear()
        self.catalog.reset()
        self.hooks.clear()
        self.seed()


class Sandbox:
    """A sandbox in this process. Nothing happens in it but in `step`, `settle` and `run`."""

    def __init__(self, clock: VirtualClock | None = None, *, admission: Sequence[Admission] = (), collect: bool = True) -> None:
        from kubectl_kruise.sandbox.upkeep import upkeep_controllers

        self.clock = clock or VirtualClock()
        self.server = Server(self.clock, admission)
        self.transport = LocalTransport(self.server.handler)
        self.controllers: list[Controller] = []
        if collect:
            self.controllers += upkeep_controllers(self.server.registry, self.client("kube-controller-manager"))

    @property
    def hooks(self) -> Hooks:
        return self.server.hooks

    def client(self, user_agent: str = "kubectl-kruise", *, namespace: str = "default") -> Client:
        """Give a client of this sandbox, as any other would use over HTTP."""
        return Client(
            self.transport,
            namespace=namespace,
            context="kruise-sandbox",
            server="https://127.0.0.1",
            user_agent=user_agent,
            field_manager=user_agent.partition("/")[0],
            pause=self.clock.advance,
        )

    def add(self, *controllers: Controller) -> None:
        """Let further controllers take part in every step."""
        self.controllers += controllers

    def step(self) -> bool:
        return self._stepper.step()

    def settle(self) -> None:
        """Let everybody work until nothing moves at this instant."""
        self._stepper.settle(GUARD)

    def run(self, seconds: float) -> None:
        """Let virtual time pass, timer by timer."""
        self._stepper.run(seconds)

    def run_until_quiet(self, longest: float = 3600.0) -> None:
        self._stepper.run_until_quiet(longest)

    @property
    def _stepper(self) -> Stepper:
        return Stepper(self.controllers, self.clock)

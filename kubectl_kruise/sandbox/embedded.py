"""The whole sandbox in one object, for tests and replays: the server, its clock, and whoever works on it."""

from typing import Final

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.controllers.loop import Controller, Stepper
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.names import SANDBOX_CONTEXT
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api.routes import find_route, split_path
from kubectl_kruise.sandbox.assembly import Server
from kubectl_kruise.sandbox.hooks import Hooks
from kubectl_kruise.sandbox.local import LocalTransport

GUARD: Final = 100_000
"""Steps within one instant after which the sandbox is held to be running in circles."""


class Sandbox:
    """A sandbox in this process. Nothing happens in it but in `step`, `settle` and `run`."""

    def __init__(
        self,
        clock: VirtualClock | None = None,
        *,
        kruise: bool = True,
        webhooks: bool = True,
        collect: bool = True,
        gates: Gates | None = None,
        release: Release = Release.V1_9_0,
        sweep_after: float = 0.0,
    ) -> None:
        """Make an empty cluster: with Kruise's CRDs, its webhooks, and a garbage collector, unless told otherwise.

        `gates` are those under which the webhooks work, `release` is that of the CRDs; the content of a deleted namespace is deleted
        `sweep_after` seconds later.
        """
        self.clock = clock or VirtualClock()
        self.server = Server(self.clock, kruise=kruise, webhooks=webhooks, gates=gates, release=release)
        self.transport = LocalTransport(self.server.handler)
        self.controllers: list[Controller] = []
        self._keys: dict[str, str] = {}
        if collect:
            self.controllers += self.server.upkeep(
                self.client("kube-controller-manager"), sweep_after=sweep_after
            )

    @property
    def hooks(self) -> Hooks:
        return self.server.hooks

    def client(self, user_agent: str = "kubectl-kruise", *, namespace: str = "default") -> Client:
        """Give a client of this sandbox, as any other would use over HTTP."""
        return Client(
            self.transport,
            namespace=namespace,
            context=SANDBOX_CONTEXT,
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

    def next_due(self) -> float | None:
        """Give the monotonic time of the next timer, None when nobody waits for one."""
        return self._stepper.next_due()

    @property
    def _stepper(self) -> Stepper:
        return Stepper(self.controllers, self.clock, self._quiet)

    def _quiet(self, path: str, since: str) -> bool:
        """Say whether a watch would tell nothing: most would, and asking is what a step costs.

        A fault or a refusal may be meant for any watch, so that none is spared as long as there are some.
        """
        store, hooks = self.server.store, self.server.hooks
        if hooks.faults or hooks.denied:
            return False
        if path not in self._keys:
            try:
                self._keys[path] = find_route(self.server.catalog, split_path(path)).resource.key
            except (status.Refused, status.PageNotFound):
                return False
        version = int(since)
        return version >= store.oldest and not store.since(version, self._keys[path])

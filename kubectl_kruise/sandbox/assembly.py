"""Store, registry and handler, put together; the same for tests and for the process behind a port."""

from functools import cache
from typing import TYPE_CHECKING, Final

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.controllers.loop import Controller
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.crds.definitions import CONVERTER_ANNOTATION, CRD_KINDS, definition
from kubectl_kruise.facts.kinds import CRD, Kind
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.objects.raw import Raw, namespace_of
from kubectl_kruise.sandbox.collector import Collector
from kubectl_kruise.sandbox.handler import Handler
from kubectl_kruise.sandbox.hooks import Hooks
from kubectl_kruise.sandbox.local import LocalTransport
from kubectl_kruise.sandbox.namespaces import Namespaces
from kubectl_kruise.sandbox.plugins.limit_ranges import LimitRanges
from kubectl_kruise.sandbox.plugins.node_limits import NodeLimits
from kubectl_kruise.sandbox.plugins.pods import pod_plugins
from kubectl_kruise.sandbox.plugins.quotas import Quotas
from kubectl_kruise.sandbox.plugins.volumes import ClaimProtection
from kubectl_kruise.sandbox.registry.call import Body, Call
from kubectl_kruise.sandbox.registry.kinds import crds
from kubectl_kruise.sandbox.registry.kinds.catalog import Catalog
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.store import Store
from kubectl_kruise.sandbox.webhooks.registration import kruise_webhooks

if TYPE_CHECKING:
    from kubectl_kruise.sandbox.registry.admission import Admission, DeletionGuard

WEBHOOKS: Final = "kruise-manager"
"""Who the webhooks are, where they write something themselves."""
START_NAMESPACES: Final = ("default", "kube-system", "kube-public", "kube-node-lease")


@cache
def _definition(kind: Kind, release: Release, *, converted: bool) -> Raw:
    """Give a CRD, built once: a server keeps nothing of what it is given but copies."""
    crd: Raw = definition(kind, release, converted=converted)
    if crd["spec"]["conversion"]["strategy"] == "Webhook":
        crd["metadata"]["annotations"][CONVERTER_ANNOTATION] = "sandbox"
    return crd


class Server:
    """One API server without a port."""

    def __init__(
        self,
        clock: Clock,
        *,
        kruise: bool = True,
        webhooks: bool = True,
        gates: Gates | None = None,
        release: Release = Release.V1_9_0,
    ) -> None:
        """Make a server; `kruise` brings the CRDs of this release of Kruise, `webhooks` what its webhooks would do.

        The webhooks work under `gates`; conversion is one of them.
        """
        self.clock = clock
        self.kruise, self.webhooks, self.release = kruise, webhooks, release
        self.store = Store(clock)
        self.catalog = Catalog(self.store)
        self.registry = Registry(self.store, self.catalog, clock)
        self.hooks = Hooks()
        self.handler = Handler(self.registry, self.hooks)
        self.use_gates(gates or Gates())
        self.handler.fixed.reset = self.reset
        self.seed()

    def use_gates(self, gates: Gates) -> None:
        """Let Kruise's webhooks, where there are any, work under these gates from now on."""
        admission: list[Admission] = [
            LimitRanges(self.store),
            NodeLimits(self.store),
            *pod_plugins(self.store),
            ClaimProtection(),
        ]
        guards: list[DeletionGuard] = []
        if self.kruise and self.webhooks:
            client = Client(LocalTransport(self.handler), user_agent=WEBHOOKS, field_manager=WEBHOOKS)
            webhooks, guards = kruise_webhooks(self.store, self.clock, gates, client)
            admission += webhooks
        self.registry.admission, self.registry.guards = [*admission, Quotas(self.store, self.clock)], guards

    def seed(self) -> None:
        """Create what is there from the start (NS1)."""
        for name in START_NAMESPACES:
            self.make("v1", "Namespace", {"metadata": {"name": name}})
        for kind in CRD_KINDS if self.kruise else ():
            crd = _definition(kind, self.release, converted=self.webhooks)
            self._create(f"{CRD.group}/{CRD.versions[0]}", CRD.kind, crd)
        crds.settle(self.registry)
        self.store.forget_log()

    def make(self, api_version: str, kind: str, raw: Raw) -> None:
        """Store an object as a client would have it stored; for what the server begins with."""
        self._create(api_version, kind, raw)
        if kind == CRD.kind:
            crds.settle(self.registry)

    def _create(self, api_version: str, kind: str, raw: Raw) -> None:
        resource = self.catalog.by_kind(api_version, kind)
        if resource is None:
            raise LookupError(f"{api_version} {kind} is not served")
        full = {"apiVersion": api_version, "kind": kind} | raw
        namespace = namespace_of(raw)
        self.registry.create(
            Call(resource, namespace, validation="Ignore", user_agent=crds.MANAGER), Body(full)
        )

    def upkeep(self, client: Client, *, sweep_after: float = 0.0) -> list[Controller]:
        """Make the controllers that live with the server: the garbage collector and the end of namespaces."""
        return [
            Collector(self.registry, client),
            Namespaces(self.registry, client, sweep_after=sweep_after),
        ]

    def reset(self) -> None:
        """Forget all objects; versions go on counting (H10)."""
        self.store.clear()
        self.catalog.reset()
        self.hooks.clear()
        self.seed()

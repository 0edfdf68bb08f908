"""Who may control: a lease of our own, and respect for that of Kruise's manager.

A small election over the Cluster port instead of the official client's: it adds no start-up time, needs no extra
package, and runs on the in-process sandbox. The rules are client-go's: a lease of somebody else counts until it has
been seen unchanged for its whole duration by our own clock, so that clocks may differ between machines.
"""

import logging
from datetime import UTC, datetime
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.manager import manager_holder
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.errors import ConflictError, KruiseError, NotAllowedError, NotFoundError, RefusedError
from kubectl_kruise.facts.kinds import LEASE
from kubectl_kruise.facts.names import MANAGER_LEASE, MANAGER_NAMESPACE, SANDBOX_HOLDER
from kubectl_kruise.objects.lease import DEFAULT_SECONDS, holder_of
from kubectl_kruise.objects.raw import Raw, dig, namespace_of

LOG = logging.getLogger("kubectl_kruise.controllers")

OWN_LEASE: Final = "kubectl-kruise-controller"
OWN_NAMESPACE: Final = "kube-system"
"""Where the lease for all namespaces is: it exists in every cluster, also before Kruise's own does."""
LEASE_SECONDS: Final = 15
RENEW_DEADLINE: Final = 10.0
RETRY_SECONDS: Final = 2.0
RELEASE_ATTEMPTS: Final = 3


class OwnLease:
    """A lease of one namespace, wanted or held by `identity`. Not for use by two threads at once."""

    def __init__(
        self,
        cluster: Cluster,
        clock: Clock,
        *,
        identity: str,
        namespace: str = OWN_NAMESPACE,
        name: str = OWN_LEASE,
    ) -> None:
        self.identity = identity
        self.holder = ""
        self.renewed_at: float | None = None
        """Monotonic time at which it was last taken or renewed, None while it is not ours."""
        self._cluster, self._clock = cluster, clock
        self._namespace, self._name = namespace, name
        self._seen: Raw | None = None
        self._seen_at = 0.0

    def take(self) -> bool:
        """Take or renew the lease in one attempt; say whether it is ours now, and note who holds it else.

        A lost race is a no. Raises any other KruiseError of the cluster.
        """
        # What may take long is measured from its beginning: to hold a lease too short is safe.
        since = self._clock.monotonic()
        live = self._read()
        self._observe(live, since)
        self.holder = str(dig(live, ("spec", "holderIdentity"), ""))
        if self.holder not in ("", self.identity) and not self._run_out(since):
            self.renewed_at = None
            return False
        try:
            self._write(live, self._clock.time())
        except ConflictError:
            self.renewed_at = None
            return False
        self.holder, self.renewed_at = self.identity, since
        return True

    def release(self) -> bool:
        """Give the lease up, so that another need not wait until it runs out; say whether it was ours."""
        if self.renewed_at is None:
            return False
        self.renewed_at = None
        for _ in range(RELEASE_ATTEMPTS):
            live = self._read()
            if live is None or dig(live, ("spec", "holderIdentity")) != self.identity:
                return False
            spec = live["spec"] | {
                "holderIdentity": "",
                "leaseDurationSeconds": 1,
                "renewTime": _micro(self._clock.time()),
            }
            try:
                self._cluster.replace(LEASE.path(self._namespace, self._name), {**live, "spec": spec})
            except ConflictError:
                continue  # a last renewal of ours came in between: it is still ours to give up
            return True
        return False

    def overdue(self) -> bool:
        """Say whether the lease could not be renewed for so long that another may soon take it."""
        return self.renewed_at is None or self._clock.monotonic() - self.renewed_at > RENEW_DEADLINE

    def _read(self) -> Raw | None:
        try:
            return self._cluster.get(LEASE.path(self._namespace, self._name))
        except NotFoundError:
            return None

    def _observe(self, live: Raw | None, now: float) -> None:
        spec = (live or {}).get("spec")
        if spec != self._seen:
            self._seen, self._seen_at = spec, now

    def _run_out(self, now: float) -> bool:
        return now - self._seen_at > (dig(self._seen, ("leaseDurationSeconds",)) or DEFAULT_SECONDS)

    def _write(self, live: Raw | None, now: float) -> None:
        spec = dict((live or {}).get("spec") or {})
        if self.holder != self.identity:
            spec["acquireTime"] = _micro(now)
            spec["leaseTransitions"] = (spec.get("leaseTransitions") or 0) + (1 if live else 0)
        spec |= {
            "holderIdentity": self.identity,
            "leaseDurationSeconds": LEASE_SECONDS,
            "renewTime": _micro(now),
        }
        if live:
            self._cluster.replace(LEASE.path(self._namespace, self._name), {**live, "spec": spec})
            return
        meta = {"name": self._name, "namespace": self._namespace}
        body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta, "spec": spec}
        self._cluster.create(LEASE.path(self._namespace), body)


class Tenure:
    """One attempt after the other to get and keep the lease; an end is a KruiseError."""

    def __init__(self, cluster: Cluster, clock: Clock, lease: OwnLease) -> None:
        self._cluster, self._clock, self.lease = cluster, clock, lease
        self._told = ""

    def seek(self) -> bool:
        """Try once to get the lease; RefusedError while Kruise's manager is alive."""
        refuse_beside_manager(self._cluster, self._clock.time())
        if self.lease.take():
            LOG.info("holding lease %s as %s", OWN_LEASE, self.lease.identity)
            return True
        if self.lease.holder != self._told:
            self._told = self.lease.holder
            LOG.info("waiting for lease %s, held by %s", OWN_LEASE, self._told)
        return False

    def keep(self) -> None:
        """Renew once. Raises ConflictError when the lease is lost, RefusedError when a manager has come up.

        A server that does not answer is given until the renewal is overdue.
        """
        try:
            refuse_beside_manager(self._cluster, self._clock.time())
            kept = self.lease.take()
        except RefusedError:
            raise
        except KruiseError as error:
            if self.lease.overdue():
                raise lost("it could not be renewed in time", error) from error
            LOG.warning("renewing lease %s: %s", OWN_LEASE, error.line())
            return
        if not kept:
            raise lost(f"{self.lease.holder or 'somebody else'} holds it now")


def lost(why: str, error: KruiseError | None = None) -> ConflictError:
    """Give the error that ends a tenure."""
    return ConflictError(f"lost lease {OWN_LEASE}: {why}", cause=error.message if error else "")


def refuse_beside_manager(cluster: Cluster, now: float) -> None:
    """Raise RefusedError while the lease of Kruise's manager is live: two controllers would fight over the pods."""
    if manager := manager_holder(cluster, now):
        scale = f"kubectl scale deployment kruise-controller-manager -n {MANAGER_NAMESPACE} --replicas=0"
        without = "kubectl kruise sandbox start --kruise crds makes a sandbox without one"
        raise RefusedError(
            "a Kruise manager controls this cluster",
            cause=f"{manager} renewed lease {MANAGER_LEASE} in namespace {MANAGER_NAMESPACE}",
            hint=without if manager.startswith(SANDBOX_HOLDER) else f"stop it first: {scale}",
        )


def refuse_overlap(cluster: Cluster, clock: Clock, namespace: str) -> None:
    """Raise RefusedError while another `controller run` is live whose namespaces overlap with `namespace` ("": all).

    One of a single namespace does not see the leases of others, where its rights end there.
    """
    if namespace:
        try:
            found = [cluster.get(LEASE.path(OWN_NAMESPACE, OWN_LEASE))] if namespace != OWN_NAMESPACE else []
        except (NotFoundError, NotAllowedError):
            return
    else:
        found = cluster.list(LEASE.path(), fields=f"metadata.name={OWN_LEASE}")["items"]
        found = [raw for raw in found if namespace_of(raw) != OWN_NAMESPACE]
    for raw in found:
        if holder := holder_of(raw, clock.time()):
            where = f"namespace {namespace_of(raw)}" if not namespace else "all namespaces"
            raise RefusedError(
                f"another controller run is active for {where}", cause=f"{holder} holds lease {OWN_LEASE}"
            )


def _micro(seconds: float) -> str:
    """Write a time as metav1.MicroTime does."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

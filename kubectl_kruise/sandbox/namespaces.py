"""Namespaces: what a new one gets, and how a deleted one is emptied (sandbox-apiserver.md §19)."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.objects.condition import with_condition
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.raw import Raw, deleting
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.store import Event, Stored

if TYPE_CHECKING:
    from kubectl_kruise.controllers.informer import Informer

ROOT_CA: Final = "kube-root-ca.crt"
FURNITURE: Final = (("serviceaccounts", "default"), ("configmaps", ROOT_CA))
"""Resource and name of what every namespace has, and gets again when it is deleted."""
AT_A_TIME: Final = 100
AT_ONCE: Final = 0.001
FINE: Final = (
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
)


class Namespaces:
    """One key is one namespace."""

    name = "namespace-controller"
    workers = 1

    def __init__(self, registry: Registry, cluster: Cluster, *, sweep_after: float = 0.0) -> None:
        """Look after all namespaces; content goes `sweep_after` seconds after its namespace was deleted.

        A real server waits five seconds, so that its other parts have heard of the deletion (NS2).
        """
        self._sweep_after = sweep_after
        self.queue = Queue(registry.clock)
        self.informers: Sequence[Informer] = ()
        self.root_ca = ""
        """PEM text for the config map that every namespace has."""
        self._registry, self._cluster = registry, cluster
        for stored in registry.store.items("namespaces"):
            self.queue.add(Key("", stored.name))
        registry.store.listen(self._notice)

    def reconcile(self, key: Key) -> float | None:
        stored = self._registry.store.get("namespaces", "", key.name)
        if stored is None:
            return None
        if not deleting(stored.object):
            self._furnish(key.name)
            return None
        deleted = parse_rfc3339(stored.object["metadata"]["deletionTimestamp"]) or 0.0
        wait = deleted + self._sweep_after - self._registry.clock.time()
        if self._sweep_after and wait > 0:
            return wait
        left = self._empty(key.name)
        if any(not deleting(found.object) for found in left):
            return AT_ONCE
        if left:
            self._report(stored, left)
        else:
            self._finalize(key.name)
        return None

    def _notice(self, event: Event) -> None:
        new = event.new
        if new.resource == "namespaces":
            if event.type != "DELETED":
                self.queue.add(Key("", new.name))
            return
        space = self._registry.store.get("namespaces", "", new.namespace) if new.namespace else None
        missed = event.type == "DELETED" and (new.resource, new.name) in FURNITURE
        if space is not None and (missed or deleting(space.object)):
            self.queue.add(Key("", new.namespace))

    def _furnish(self, name: str) -> None:
        """Give a namespace its default service account and the root certificate."""
        wanted: tuple[tuple[str, str, str, Raw], ...] = (
            ("serviceaccounts", "ServiceAccount", "default", {}),
            ("configmaps", "ConfigMap", ROOT_CA, {"data": {"ca.crt": self.root_ca}}),
        )
        for plural, kind, own, content in wanted:
            if self._registry.store.get(plural, name, own) is None:
                meta = {"name": own, "namespace": name}
                body = {"apiVersion": "v1", "kind": kind, "metadata": meta, **content}
                try:
                    self._cluster.create(f"/api/v1/namespaces/{name}/{plural}", body)
                except ConflictError:
                    continue

    def _content(self, name: str) -> list[Stored]:
        keys = {resource.key for resource in self._registry.catalog.resources if resource.namespaced}
        return [stored for key in sorted(keys) for stored in self._registry.store.items(key, name)]

    def _empty(self, name: str) -> list[Stored]:
        """Delete what is inside, some of it at a time, as requests wait meanwhile; give what is still there."""
        waiting = (stored for stored in self._content(name) if not deleting(stored.object))
        for stored in islice(waiting, AT_A_TIME):
            resource = self._registry.catalog.by_key(stored.resource)
            if resource is None:
                continue
            try:
                self._cluster.delete(
                    resource.path(name, stored.name), options={"propagationPolicy": "Background"}
                )
            except NotFoundError:
                continue
        return self._content(name)

    def _report(self, stored: Stored, left: Sequence[Stored]) -> None:
        """Say in the conditions what the namespace waits for (NS2)."""
        kinds = Counter(found.resource for found in left)
        finalizers = Counter(
            name for found in left for name in found.object["metadata"].get("finalizers") or ()
        )
        remaining = ", ".join(f"{kind} has {count} resource instances" for kind, count in _dotted(kinds))
        findings = [
            *((kind, "False", reason, message) for kind, reason, message in FINE),
            (
                "NamespaceContentRemaining", "True", "SomeResourcesRemain",
                f"Some resources are remaining: {remaining}",
            ),
        ]  # fmt: skip
        if finalizers:
            waiting = ", ".join(
                f"{name} in {count} resource instances" for name, count in sorted(finalizers.items())
            )
            text = f"Some content in the namespace has finalizers remaining: {waiting}"
            findings.append(("NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain", text))
        else:
            text = "All content-preserving finalizers finished"
            findings.append(("NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers", text))
        conditions = stored.object["status"].get("conditions") or []
        for kind, value, reason, message in findings:
            entry = {"type": kind, "status": value, "reason": reason, "message": message}
            conditions = with_condition(conditions, entry, self._registry.now)
        body = stored.object | {"status": stored.object["status"] | {"conditions": conditions}}
        if body != stored.object:
            self._cluster.replace(f"/api/v1/namespaces/{stored.name}/status", body)

    def _finalize(self, name: str) -> None:
        try:
            live = self._cluster.get(f"/api/v1/namespaces/{name}")
            body = live | {"spec": {**(live.get("spec") or {}), "finalizers": []}}
            self._cluster.replace(f"/api/v1/namespaces/{name}/finalize", body)
        except NotFoundError:
            return


def _dotted(kinds: Counter[str]) -> list[tuple[str, int]]:
    """Give `plural.group` as the messages write it: with a dot also where the group is empty."""
    return [(kind if "." in kind else f"{kind}.", count) for kind, count in sorted(kinds.items())]

"""The garbage collector: what has lost its owners goes, what was orphaned is let go (sandbox-apiserver.md §18).

It hears of changes from the store directly, since it has to know every kind, and acts through the API alone.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.objects.raw import Raw, deleting, uid_of, version_of
from kubectl_kruise.sandbox.registry.deletion import FOREGROUND, ORPHAN
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.store import Event, Stored

if TYPE_CHECKING:
    from kubectl_kruise.controllers.informer import Informer
    from kubectl_kruise.sandbox.registry.kinds.resources import Resource

Place = tuple[str, str, str]
"""Store key, namespace, name."""
LETTING_GO_SECONDS: Final = 0.05
"""Between a deletion's dependents and its owner: long enough for a controller to hear of it (G9)."""


class Collector:
    """One key is one object by its uid; `Key.namespace` stays empty."""

    name = "garbage-collector"
    workers = 1

    def __init__(self, registry: Registry, cluster: Cluster) -> None:
        self.queue = Queue(registry.clock)
        self.informers: Sequence[Informer] = ()
        self._registry, self._cluster, self._clock = registry, cluster, registry.clock
        self._places: dict[str, Place] = {}
        self._dependents: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._orphaned: dict[str, float] = {}
        """Owners whose dependents have been let go, and when they go themselves."""
        registry.store.listen(self._notice)

    def reconcile(self, key: Key) -> float | None:
        """Look at one object again, as the server has it now (G8)."""
        stored = self._stored(key.name)
        if stored is None:
            return None
        raw = stored.object
        finalizers = raw["metadata"].get("finalizers") or []
        if deleting(raw) and ORPHAN in finalizers:
            return self._orphan(stored)
        if deleting(raw) and FOREGROUND in finalizers:
            self._delete_dependents(stored)
        elif not deleting(raw) and raw["metadata"].get("ownerReferences"):
            self._judge(stored)
        return None

    def _notice(self, event: Event) -> None:
        new, old = event.new, event.old
        uid = uid_of(new.object)
        if event.type == "DELETED":
            self._places.pop(uid, None)
            self._orphaned.pop(uid, None)
            for owner in _owners(new.object):
                self._forget(owner, uid)
                self._enqueue(owner)
            for dependent in self._dependents.get(uid, ()):
                self._enqueue(dependent)
            return
        self._places[uid] = (new.resource, new.namespace, new.name)
        owners, before = set(_owners(new.object)), set(_owners(old.object)) if old else set()
        for owner in before - owners:
            self._forget(owner, uid)
        freed = _blocked_owners(old.object) - _blocked_owners(new.object) if old else set()
        for owner in sorted((before - owners) | freed):
            self._enqueue(owner)
        for owner in owners:
            self._dependents[owner][uid] = None
        # A deletion that began is looked at once; afterwards only when a dependent goes or lets its owner go.
        began = _waits(new.object) and not (old and _waits(old.object))
        if owners != before or began:
            self._enqueue(uid)

    def _forget(self, owner: str, uid: str) -> None:
        """Take a dependent out of the index, and its owner where that was the last one."""
        dependents = self._dependents.get(owner)
        if dependents is not None:
            dependents.pop(uid, None)
            if not dependents:
                del self._dependents[owner]

    def _enqueue(self, uid: str) -> None:
        self.queue.add(Key("", uid))

    def _stored(self, uid: str) -> Stored | None:
        place = self._places.get(uid)
        stored = self._registry.store.get(*place) if place else None
        return stored if stored is not None and uid_of(stored.object) == uid else None

    def _live_dependents(self, uid: str) -> Iterator[Stored]:
        for dependent in list(self._dependents.get(uid, ())):
            if (stored := self._stored(dependent)) is not None:
                yield stored

    def _orphan(self, owner: Stored) -> float | None:
        """Take the owner's uid off all dependents, and only then let the owner go (G7); give the seconds until that.

        Dependents are let go once: what a controller takes back for its owner meanwhile goes with the owner (I-9).
        """
        uid, now = uid_of(owner.object), self._clock.monotonic()
        if uid not in self._orphaned:
            for dependent in self._live_dependents(uid):
                self._drop_references(dependent, {uid})
            self._orphaned[uid] = now + LETTING_GO_SECONDS
        if now < self._orphaned[uid]:
            return self._orphaned[uid] - now
        self._drop_finalizer(owner, ORPHAN)
        return None

    def _delete_dependents(self, owner: Stored) -> None:
        uid = uid_of(owner.object)
        blocked = False
        for dependent in self._live_dependents(uid):
            blocked = blocked or _blocks(dependent.object, uid)
            if not deleting(dependent.object):
                own = self._dependents.get(uid_of(dependent.object))
                self._delete(dependent, "Foreground" if own else "Background")
        if not blocked or not any(_blocks(left.object, uid) for left in self._live_dependents(uid)):
            self._drop_finalizer(owner, FOREGROUND)

    def _judge(self, stored: Stored) -> None:
        """Delete an object none of whose owners lives; take dead references off one that keeps an owner."""
        references = stored.object["metadata"]["ownerReferences"]
        dead = {found["uid"] for found in references if self._is_gone(stored, found)}
        if not dead:
            return
        if len(dead) == len({found["uid"] for found in references}):
            self._delete(stored, "Background")
        else:
            self._drop_references(stored, dead)

    def _is_gone(self, dependent: Stored, reference: Raw) -> bool:
        """Tell whether an owner is gone for sure; that of a kind which is not served may live (G8)."""
        resource = self._registry.catalog.by_kind(reference["apiVersion"], reference["kind"])
        if resource is None:
            return False
        namespace = dependent.namespace if resource.namespaced else ""
        owner = self._registry.store.get(resource.key, namespace, reference["name"])
        return owner is None or uid_of(owner.object) != reference["uid"]

    def _path(self, stored: Stored) -> str | None:
        resource: Resource | None = self._registry.catalog.by_key(stored.resource)
        return resource.path(stored.namespace, stored.name) if resource else None

    def _delete(self, stored: Stored, policy: str) -> None:
        if (path := self._path(stored)) is None:
            return
        preconditions = {"uid": uid_of(stored.object), "resourceVersion": version_of(stored.object)}
        options = {"propagationPolicy": policy, "preconditions": preconditions}
        try:
            self._cluster.delete(path, options=options)
        except NotFoundError:
            return

    def _drop_references(self, stored: Stored, uids: set[str]) -> None:
        """Take owners off an object: of a native kind whatever state it is in, of another just this one."""
        uid, resource = uid_of(stored.object), self._registry.catalog.by_key(stored.resource)
        if resource is None or not resource.custom:
            gone = [{"$patch": "delete", "uid": found} for found in sorted(uids)]
            self._patch(stored, PatchType.STRATEGIC, {"uid": uid, "ownerReferences": gone})
            return
        kept = [found for found in stored.object["metadata"]["ownerReferences"] if found["uid"] not in uids]
        guards = {"uid": uid, "resourceVersion": version_of(stored.object)}
        self._patch(stored, PatchType.MERGE, {**guards, "ownerReferences": kept or None})

    def _drop_finalizer(self, stored: Stored, name: str) -> None:
        kept = [found for found in stored.object["metadata"].get("finalizers") or [] if found != name]
        guard = {"resourceVersion": version_of(stored.object)}
        self._patch(stored, PatchType.MERGE, {**guard, "finalizers": kept or None})

    def _patch(self, stored: Stored, type_: PatchType, meta: Raw) -> None:
        if (path := self._path(stored)) is None:
            return
        try:
            self._cluster.patch(path, Patch(type_, {"metadata": meta}))
        except NotFoundError:
            return


def _owners(raw: Raw) -> Iterator[str]:
    return (found.get("uid", "") for found in raw["metadata"].get("ownerReferences") or ())


def _waits(raw: Raw) -> bool:
    return deleting(raw) and bool({ORPHAN, FOREGROUND} & set(raw["metadata"].get("finalizers") or ()))


def _blocked_owners(raw: Raw) -> set[str]:
    references = raw["metadata"].get("ownerReferences") or ()
    return {found.get("uid", "") for found in references if found.get("blockOwnerDeletion")}


def _blocks(raw: Raw, owner: str) -> bool:
    return owner in _blocked_owners(raw)

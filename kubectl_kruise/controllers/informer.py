"""A cache of one collection, fed by list and watch, with indexes and change handlers."""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from kubectl_kruise.cluster.port import Change, Cluster
from kubectl_kruise.controllers.queue import Key, key_of
from kubectl_kruise.errors import ExpiredError
from kubectl_kruise.objects.raw import Raw, metadata, namespace_of, owner_uid, uid_of, version_of

LOG = logging.getLogger("kubectl_kruise.controllers")
REMEMBERED = 4096

Handler = Callable[[Raw | None, Raw | None], None]
"""Called with (old, new): old is None for a new object, new is None for a deleted one."""

Indexer = Callable[[Raw], Iterable[str]]
Rank = Callable[[Raw], Any]


def by_owner_uid(raw: Raw) -> Iterable[str]:
    """Index by the uid of every owner reference, controller or not."""
    return (reference.get("uid", "") for reference in metadata(raw).get("ownerReferences") or [])


def by_controller(raw: Raw) -> Iterable[str]:
    """Index by the uid of the controller, or under `orphans_of` the namespace where there is none."""
    return (owner_uid(raw) or orphans_of(namespace_of(raw)),)


def orphans_of(namespace: str) -> str:
    """Give what `by_controller` files the objects of a namespace under that nobody controls."""
    return f"orphan in {namespace}"


def controlled_or_free(cache: "Informer", index: str, uid: str, namespace: str) -> list[Raw]:
    """Give what has this controller, then what nobody in the namespace controls; `index` is one `by_controller`."""
    return cache.indexed(index, uid) + cache.indexed(index, orphans_of(namespace))


class Informer:
    """Objects of one collection as last seen. Cached objects are shared: never change one in place."""

    def __init__(
        self,
        cluster: Cluster,
        path: str,
        indexers: dict[str, Indexer] | None = None,
        rank: Rank | None = None,
    ) -> None:
        """Watch the collection at `path`; `rank` orders what `indexed` gives, else it is the order of arrival."""
        self.path = path
        self._cluster = cluster
        self._objects: dict[Key, Raw] = {}
        self._indexers: dict[str, Indexer] = {}
        self._indexes: dict[str, dict[str, dict[Key, None]]] = {}
        self._ranks: dict[str, Rank] = {}
        self._handlers: list[Handler] = []
        self._lock = threading.RLock()
        self._gone: dict[str, None] = {}
        self._version = ""
        self.synced = threading.Event()
        for name, indexer in (indexers or {}).items():
            self.add_index(name, indexer, rank)

    def add_index(self, name: str, indexer: Indexer, rank: Rank | None = None) -> None:
        """File objects, those already cached too, under what `indexer` gives; `rank` orders what `indexed` gives of them."""
        with self._lock:
            self._indexers[name] = indexer
            self._indexes[name] = defaultdict(dict)
            if rank is not None:
                self._ranks[name] = rank
            for key, raw in self._objects.items():
                for value in indexer(raw):
                    self._indexes[name][value][key] = None

    def on_change(self, handler: Handler) -> None:
        """Register a handler; with objects already cached it is told of each as new."""
        with self._lock:
            self._handlers.append(handler)
            for raw in list(self._objects.values()):
                handler(None, raw)

    def get(self, key: Key) -> Raw | None:
        with self._lock:
            return self._objects.get(key)

    def all(self, namespace: str | None = None) -> list[Raw]:
        """Give the cached objects in order of arrival, of one namespace or of all."""
        with self._lock:
            found = list(self._objects.items())
        return [raw for key, raw in found if namespace is None or key.namespace == namespace]

    def indexed(self, index: str, value: str) -> list[Raw]:
        """Give the objects an indexer filed under `value`."""
        with self._lock:
            found = [self._objects[key] for key in self._indexes[index].get(value, ())]
        rank = self._ranks.get(index)
        return sorted(found, key=rank) if rank else found

    @property
    def version(self) -> str:
        """Give how far the cache has come, "" before the first list."""
        return self._version

    def reached(self, raw: Raw) -> bool:
        """Say whether the cache is as new as this version of an object of the collection, or newer."""
        with self._lock:
            return not _newer(raw, self._version)

    def relist(self) -> None:
        """List and tell the handlers what differs from the cache."""
        listed = self._cluster.list(self.path)
        with self._lock:
            fresh = {key_of(raw): raw for raw in listed.get("items") or []}
            for key in [key for key in self._objects if key not in fresh]:
                self._store(key, None)
            for key, raw in fresh.items():
                if (old := self._objects.get(key)) is None or version_of(old) != version_of(raw):
                    self._store(key, raw)
            self._version = version_of(listed)
        self.synced.set()

    def feed(self, change: Change) -> None:
        """Take one watch event; one that tells nothing new, because it came twice or too late, changes nothing."""
        raw = change.object
        with self._lock:
            if _newer(raw, self._version):
                self._version = version_of(raw)
            if change.type == "BOOKMARK" or uid_of(raw) in self._gone:
                return
            known = self._objects.get(key_of(raw))
            same = known is not None and uid_of(known) == uid_of(raw)
            if change.type == "DELETED":
                self._forget(uid_of(raw))
                if same:
                    self._store(key_of(raw), None)
            elif known is None or _newer(raw, version_of(known)):
                self._store(key_of(raw), raw)

    def poll(self) -> bool:
        """Take what has happened since the last call, without waiting; say whether anything had (stepping)."""
        if not self.synced.is_set():
            self.relist()
            return True
        seen = False
        try:
            for change in self._cluster.watch(self.path, self._version, follow=False):
                self.feed(change)
                seen = seen or change.type != "BOOKMARK"
        except ExpiredError:
            self.relist()
            return True
        return seen

    def follow(self) -> None:
        """List once, then watch until an error: ExpiredError lists again, any other is the caller's to retry."""
        self.relist()
        while True:
            try:
                for change in self._cluster.watch(self.path, self._version):
                    self.feed(change)
            except ExpiredError:
                self.relist()

    def _forget(self, uid: str) -> None:
        """Remember that an object is gone for good: a late event of it must not bring it back."""
        self._gone[uid] = None
        if len(self._gone) > REMEMBERED:
            del self._gone[next(iter(self._gone))]

    def _store(self, key: Key, new: Raw | None) -> None:
        old = self._objects.get(key)
        if old is not None and new is not None and uid_of(old) != uid_of(new):
            self._forget(uid_of(old))
            self._store(key, None)
            old = None
        for name, indexer in self._indexers.items():
            for value in indexer(old) if old is not None else ():
                bucket = self._indexes[name][value]
                bucket.pop(key, None)
                if not bucket:
                    del self._indexes[name][value]
        if new is None:
            if self._objects.pop(key, None) is None:
                return
        else:
            self._objects[key] = new
            for name, indexer in self._indexers.items():
                for value in indexer(new):
                    self._indexes[name][value][key] = None
        for handler in self._handlers:
            try:
                handler(old, new)
            except Exception:
                # The change is in the cache and never comes again: a bug in one handler must not keep it from the others.
                LOG.exception("%s: %s", self.path, key)


def _newer(raw: Raw, version: str) -> bool:
    """Say whether the object is of a later version. Versions are numbers that grow; opaque ones are taken as they come."""
    own = version_of(raw)
    if own.isdecimal() and version.isdecimal():
        return int(own) > int(version)
    return bool(own) and own != version

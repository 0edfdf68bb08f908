"""Objects, one counter of versions, and the log of what happened: all that the server remembers.

A stored object is never changed: a write stores another one. So a list, a watch and a snapshot may share it.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable
from operator import attrgetter
from typing import Final, NamedTuple

import orjson

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.objects.raw import Raw, namespace_of

LOG_EVENTS: Final = 10_000
LOG_SECONDS: Final = 600.0
LONGEST_LOG: Final = 60_000
"""A burst must not hold every state of ten minutes in memory."""
LARGEST_LOG: Final = 128 * 1024 * 1024
"""Bytes of states that the log may keep, whatever their number and age."""


class Stored:
    """One state of one object. `forms` keeps what was made of it, by whoever made it: bytes, other versions."""

    __slots__ = ("_object", "encoded", "forms", "name", "namespace", "resource", "version")

    def __init__(self, resource: str, raw: Raw, version: int) -> None:
        self.resource = resource
        self._object: Raw | None = raw
        self.version = version
        self.namespace = namespace_of(raw)
        self.name: str = raw["metadata"]["name"]
        self.encoded = b""
        self.forms: dict[object, object] = {}

    @property
    def key(self) -> str:
        """Give the key of the sort order: `namespace/name`, or the name of a cluster-scoped object."""
        return object_key(self.namespace, self.name)

    @property
    def object(self) -> Raw:
        raw = self._object
        return orjson.loads(self.encoded) if raw is None else raw

    def pack(self) -> None:
        """Keep no more than the bytes: a state that another one has replaced lives on in the log, and rarely is read.

        As an object it takes about four times the memory.
        """
        self.encode()
        self._object = None
        self.forms.clear()

    def encode(self) -> bytes:
        """Give the object as JSON, made once (PF12)."""
        if not self.encoded:
            # Copied, because orjson hands out its buffer, which is up to twice as large as what it wrote.
            self.encoded = bytes(memoryview(orjson.dumps(self.object)))
        return self.encoded


class Event(NamedTuple):
    """One change: `old` is None for ADDED; for DELETED `new` is the last state with the version of the deletion."""

    version: int
    time: float
    type: str
    new: Stored
    old: Stored | None


class _Log:
    """Changes in the order of their versions, found by version, also those of one kind alone."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._of_kind: defaultdict[str, list[Event]] = defaultdict(list)

    def append(self, event: Event) -> None:
        self.events.append(event)
        self._of_kind[event.new.resource].append(event)

    def since(self, version: int, resource: str) -> list[Event]:
        events = self._of_kind.get(resource, []) if resource else self.events
        return events[bisect_right(events, version, key=_version) :]

    def forget(self, count: int) -> None:
        """Drop the `count` oldest changes."""
        touched = {event.new.resource: event.version for event in self.events[:count]}
        del self.events[:count]
        for resource, version in touched.items():
            events = self._of_kind[resource]
            del events[: bisect_right(events, version, key=_version)]


_version: Final = attrgetter("version")


class Store:
    """Every change takes the next version, appends to the log and tells the listeners."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._objects: dict[str, dict[str, Stored]] = {}
        self._sorted: dict[str, list[str]] = {}
        self._log = _Log()
        self._log_bytes = 0
        self._listeners: list[Callable[[Event], None]] = []
        self.version = 1

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Call `listener` after each change, in the thread of the write."""
        self._listeners.append(listener)

    def get(self, resource: str, namespace: str, name: str) -> Stored | None:
        return self._objects.get(resource, {}).get(object_key(namespace, name))

    def items(self, resource: str, namespace: str = "") -> list[Stored]:
        """Give the objects of one namespace, or of all, by `namespace/name` in byte order (L1)."""
        held = self._objects.get(resource)
        if not held:
            return []
        order = self._sorted.get(resource)
        if order is None:
            order = self._sorted[resource] = sorted(held)
        found = (held[key] for key in order)
        return [stored for stored in found if stored.namespace == namespace] if namespace else list(found)

    def put(self, resource: str, raw: Raw) -> Stored:
        """Store a new state, which from now on belongs to the store; sets its resourceVersion."""
        self.version += 1
        raw["metadata"]["resourceVersion"] = str(self.version)
        stored = Stored(resource, raw, self.version)
        held = self._objects.setdefault(resource, {})
        old = held.get(stored.key)
        held[stored.key] = stored
        if old is None:
            self._sorted.pop(resource, None)
        self._append("MODIFIED" if old else "ADDED", stored, old)
        return stored

    def remove(self, old: Stored, final: Raw | None = None) -> Stored:
        """Delete; the log keeps `final`, or the last state, with the version of the deletion (W4)."""
        self.version += 1
        last = dict(final or old.object)
        last["metadata"] = last["metadata"] | {"resourceVersion": str(self.version)}
        gone = Stored(old.resource, last, self.version)
        del self._objects[old.resource][old.key]
        self._sorted.pop(old.resource, None)
        self._append("DELETED", gone, old)
        return gone

    @property
    def oldest(self) -> int:
        """Give the smallest version after which the log misses nothing."""
        events = self._log.events
        return events[0].version - 1 if events else self.version

    def since(self, version: int, resource: str = "") -> list[Event]:
        """Give the changes after `version`, which must not be older than `oldest`; with `resource` those of one kind."""
        return self._log.since(version, resource)

    def items_at(self, resource: str, version: int, namespace: str = "") -> list[Stored]:
        """Give the objects as they were at `version`, which must not be older than `oldest`."""
        if version >= self.version:
            return self.items(resource, namespace)
        then = {stored.key: stored for stored in self.items(resource, namespace)}
        for event in reversed(self.since(version, resource)):
            if namespace and event.new.namespace != namespace:
                continue
            if event.old is None:
                then.pop(event.new.key, None)
            else:
                then[event.new.key] = event.old
        return [then[key] for key in sorted(then)]

    def clear(self) -> None:
        """Forget every object and the log; versions go on counting (H10, M2)."""
        self._objects.clear()
        self._sorted.clear()
        self.forget_log()
        self.version += 1

    def forget_log(self) -> None:
        """Drop the log, so that every earlier version is too old: what a real server does by compaction."""
        self._log = _Log()
        self._log_bytes = 0

    def _append(self, type_: str, new: Stored, old: Stored | None) -> None:
        event = Event(self.version, self._clock.time(), type_, new, old)
        self._log.append(event)
        length = len(self._log.events)
        if length >= 2 * LOG_EVENTS and length % LOG_EVENTS == 0:
            self._forget(self._surplus())
        for listener in self._listeners:
            listener(event)
        if old is not None:
            old.pack()
            self._log_bytes += len(old.encoded)
            if self._log_bytes > LARGEST_LOG:
                self._forget(len(self._log.events) // 2)

    def _surplus(self) -> int:
        """Give how many changes are too many: those beyond the length that are old enough, and all of a burst."""
        events, limit = self._log.events, self._clock.time() - LOG_SECONDS
        expired = next((index for index, event in enumerate(events) if event.time >= limit), len(events))
        return max(min(len(events) - LOG_EVENTS, expired), len(events) - LONGEST_LOG)

    def _forget(self, count: int) -> None:
        forgotten = self._log.events[:count]
        self._log_bytes -= sum(len(event.old.encoded) for event in forgotten if event.old is not None)
        self._log.forget(count)


def object_key(namespace: str, name: str) -> str:
    return f"{namespace}/{name}" if namespace else name

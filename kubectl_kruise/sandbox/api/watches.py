"""Watches: a position in the log and what the client wants to hear of it (sandbox-apiserver.md §12)."""

import random
from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

import orjson

from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api.query import Query, check_list, first, flag, version_problem
from kubectl_kruise.sandbox.api.selection import Matches
from kubectl_kruise.sandbox.api.shapes import Shapes
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.registry.resources import Resource
from kubectl_kruise.sandbox.store import Event, Stored

DEFAULT_SECONDS: Final = (1800.0, 3600.0)

# A generator of its own: the global one belongs to whoever seeds it, tests among them.
_SPREAD: Final = random.SystemRandom()


class Watch:
    """One open watch. Whoever carries it calls `pull` when the store has changed, and `farewell` at its end."""

    def __init__(
        self,
        registry: Registry,
        resource: Resource,
        namespace: str,
        matches: Matches | None,
        shapes: Shapes,
        query: Query,
    ) -> None:
        check_list(query, watching=True)
        since = first(query, "resourceVersion")
        if problem := version_problem(since):
            raise status.server_fault(problem)
        self._registry, self._resource, self._namespace = registry, resource, namespace
        self._matches, self._shapes = matches, shapes
        self.seconds = watch_seconds(query)
        self.bookmarks = flag(query, "allowWatchBookmarks")
        self.ended = False
        self._first = True
        streaming = flag(query, "sendInitialEvents")
        plain_now = "sendInitialEvents" in query and not streaming
        from_start = streaming or (since in ("", "0") and not plain_now)
        self._end_due = from_start
        self._announce = streaming and self.bookmarks
        self._initial = self._current() if from_start else []
        self._position = registry.store.version if from_start or since in ("", "0") else int(since)
        self._pending = from_start

    @property
    def watched(self) -> str:
        """Give the key of the kind, by which the store calls it."""
        return self._resource.key

    def pull(self) -> bytes:
        """Give the lines of everything that happened since the last call."""
        lines: list[bytes] = []
        if self._pending:
            self._pending = False
            lines += [self._line("ADDED", stored) for stored in self._initial]
            self._initial = []
            if self._announce:
                lines.append(self._bookmark())
        store = self._registry.store
        if self._position < store.oldest:
            lines.append(self._expired())
            self.ended = True
            return b"".join(lines)
        if store.version > self._position:
            lines += self._changes(store.since(self._position))
            self._position = store.version
        if (
            self._registry.catalog.find(self._resource.group, self._resource.version, self._resource.plural)
            is None
        ):
            self.ended = True
        return b"".join(lines)

    def expire(self) -> None:
        """Make the next answer that of a position which is too old (W7)."""
        self._pending, self._position = False, -1

    def farewell(self) -> bytes:
        """Give the last line before a stream ends for its age: how far it came."""
        return self._bookmark() if self.bookmarks and not self.ended else b""

    def _current(self) -> list[Stored]:
        stored = self._registry.store.items(self._resource.key, self._namespace)
        shown = [self._registry.view(self._resource, found) for found in stored]
        return [found for found in shown if self._matches is None or self._matches(found.object)]

    def _changes(self, events: Iterator[Event]) -> Iterator[bytes]:
        key, namespace = self._resource.key, self._namespace
        for event in events:
            new = event.new
            if new.resource != key or (namespace and new.namespace != namespace):
                continue
            if self._matches is None:
                yield self._line(event.type, self._registry.view(self._resource, new))
            else:
                yield from self._selected(event, self._matches)

    def _selected(self, event: Event, matches: Matches) -> Iterator[bytes]:
        """Tell of an object that begins or ceases to match as added or deleted (W5)."""
        new = self._registry.view(self._resource, event.new)
        old = self._registry.view(self._resource, event.old) if event.old else None
        was, now = old is not None and matches(old.object), matches(new.object)
        if event.type == "DELETED":
            if was:
                yield self._line("DELETED", new)
        elif was and now:
            yield self._line("MODIFIED", new)
        elif now:
            yield self._line("ADDED", new)
        elif was and old is not None:
            meta = old.object["metadata"] | {"resourceVersion": str(event.version)}
            yield self._line("DELETED", Stored(old.resource, old.object | {"metadata": meta}, event.version))

    def _line(self, kind: str, stored: Stored) -> bytes:
        line = self._shapes.event(kind, stored, first=self._first)
        self._first = False
        return line

    def _bookmark(self) -> bytes:
        line = self._shapes.bookmark(self._position, initial_end=self._end_due, first=self._first)
        self._end_due = self._first = False
        return line

    def _expired(self) -> bytes:
        message = f"too old resource version: {self._position} ({self._registry.store.oldest})"
        refusal = status.failure(HTTPStatus.GONE, "Expired", message)
        return b'{"type":"ERROR","object":' + orjson.dumps(refusal.status) + b"}\n"


def watch_seconds(query: Query) -> float:
    """Give the seconds after which the server ends a watch (W6)."""
    text = first(query, "timeoutSeconds")
    try:
        asked = int(text or "0")
    except ValueError:
        raise status.bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax') from None
    return float(asked) if asked > 0 else _SPREAD.uniform(*DEFAULT_SECONDS)

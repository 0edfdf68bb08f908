"""Watches: a position in the log and what the client wants to hear of it (sandbox-apiserver.md §12)."""

import random
import sys
from collections import deque
from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

import orjson

from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api.content.shapes import Shapes
from kubectl_kruise.sandbox.api.query import Query, check_list, first, flag, number, version_problem
from kubectl_kruise.sandbox.api.selection import Matches
from kubectl_kruise.sandbox.registry.kinds.resources import Resource
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.store import Event, Stored

DEFAULT_SECONDS: Final = (1800.0, 3600.0)
EVERYTHING: Final = sys.maxsize

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
        self.ended = self.more = False
        self._first = True
        streaming = flag(query, "sendInitialEvents")
        plain_now = "sendInitialEvents" in query and not streaming
        from_start = streaming or (since in ("", "0") and not plain_now)
        self._end_due = from_start
        self._announce = streaming and self.bookmarks
        self._initial = deque(self._current() if from_start else ())
        self._position = registry.store.version if from_start or since in ("", "0") else int(since)
        self._pending = from_start

    @property
    def watched(self) -> str:
        """Give the key of the kind, by which the store calls it."""
        return self._resource.key

    def pull(self, at_most: int = EVERYTHING) -> bytes:
        """Give the lines of what happened since the last call, of about `at_most` bytes; `more` says that there is more."""
        lines = self._opening(at_most) if self._pending else []
        self.more = self._pending
        if self.more:
            return b"".join(lines)
        store = self._registry.store
        if self._position < store.oldest:
            lines.append(self._expired())
            self.ended = True
            return b"".join(lines)
        if store.version > self._position:
            lines += self._news(at_most)
            self.more = store.version > self._position
            if self.more:
                return b"".join(lines)
        if (
            self._registry.catalog.find(self._resource.group, self._resource.version, self._resource.plural)
            is None
        ):
            self.ended = True
        return b"".join(lines)

    def _opening(self, at_most: int) -> list[bytes]:
        """Give lines of what is there already, and their end where the client asked for it (W2, W10)."""
        lines: list[bytes] = []
        size = 0
        while self._initial and size < at_most:
            lines.append(self._line("ADDED", self._initial.popleft()))
            size += len(lines[-1])
        self._pending = bool(self._initial)
        if self._announce and not self._pending:
            lines.append(self._bookmark())
        return lines

    def _news(self, at_most: int) -> list[bytes]:
        """Give lines of the log from the position on, and move it."""
        lines: list[bytes] = []
        size = 0
        store = self._registry.store
        for event in store.since(self._position, self._resource.key):
            for line in self._lines(event):
                lines.append(line)
                size += len(line)
            if size >= at_most:
                self._position = event.version
                return lines
        self._position = store.version
        return lines

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

    def _lines(self, event: Event) -> Iterator[bytes]:
        new = event.new
        if self._namespace and new.namespace != self._namespace:
            return
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
    """Give the seconds after which the server ends a watch (W6): none where less than nothing is asked for."""
    asked = number(first(query, "timeoutSeconds") or "0")
    return max(0.0, float(asked)) if asked else _SPREAD.uniform(*DEFAULT_SECONDS)

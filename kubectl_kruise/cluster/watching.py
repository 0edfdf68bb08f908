"""Watches that outlive their connection: resumed by resourceVersion, never going backwards, ended by one deadline."""

import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from kubectl_kruise.cluster.http.answers import error_for, parse_status
from kubectl_kruise.cluster.port import Away, Change, Cluster, Stream
from kubectl_kruise.errors import ExpiredError, KruiseError, UnreachableError
from kubectl_kruise.objects.raw import Raw, uid_of, version_of

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 5.0
PATIENCE: Final = 60.0
"""Seconds for which a server that answered once may stay away before the watch gives up."""

Open = Callable[[str, int | None], Stream]
"""Starts a watch after a resourceVersion, asked to last at most that many seconds (None: as the server likes)."""


class Pace:
    """Time as the watch sees it; tests replace it."""

    def monotonic(self) -> float:
        return time.monotonic()

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def after(self, seconds: float, action: Callable[[], None]) -> Callable[[], None]:
        """Run `action` after `seconds` on another thread; give a function that calls it off."""
        timer = threading.Timer(seconds, action)
        timer.daemon = True
        timer.start()
        return timer.cancel


class Watch:
    """One watch of one collection."""

    def __init__(
        self,
        start: Open,
        path: str,
        since: str,
        *,
        pace: Pace | None = None,
        away: Away | None = None,
        loads: Callable[[bytes], Any] = json.loads,
    ) -> None:
        if since in {"", "0"}:
            # Such a watch begins with the objects in no order: cut there, it could not be resumed without a gap.
            raise ValueError("a watch starts from the resourceVersion of a list")
        self._start, self._path, self._since = start, path, since
        self._pace = pace or Pace()
        self._away = away
        self._loads = loads

    def once(self) -> Iterator[Change]:
        """Yield the changes of one stream; UnreachableError where it breaks off."""
        yield from self._read(self._open(None))

    def follow(self, timeout: float | None) -> Iterator[Change]:
        """Yield changes over as many streams as it takes, `timeout` seconds in all; back-off between failures.

        The first stream must open. Raises ExpiredError on 410, and any other refusal of the server as it comes.
        """
        deadline = None if timeout is None else self._pace.monotonic() + timeout
        opened = False
        away_since: float | None = None
        fruitless = 0
        while (left := self._left(deadline)) is None or left > 0:
            try:
                stream = self._open(left)
                if self._away and away_since is not None:
                    self._away(None)
                opened, away_since = True, None
                for change in self._read(stream, left):
                    fruitless = 0
                    yield change
            except KruiseError as error:
                now = self._pace.monotonic()
                away_since = now if away_since is None else away_since
                if not opened or not _passing(error) or now - away_since > PATIENCE:
                    raise
                if self._away:
                    self._away(error)
            # A stream that ended after some events is resumed at once; one that brings nothing is not asked for
            # again and again in a tight loop.
            if fruitless:
                self._pause(min(FIRST_PAUSE * 2 ** (fruitless - 1), LONGEST_PAUSE), deadline)
            fruitless += 1

    def _left(self, deadline: float | None) -> float | None:
        return None if deadline is None else deadline - self._pace.monotonic()

    def _pause(self, seconds: float, deadline: float | None) -> None:
        left = self._left(deadline)
        seconds = seconds if left is None else min(seconds, left)
        if seconds > 0:
            self._pace.pause(seconds)

    def _open(self, seconds: float | None) -> Stream:
        stream = self._start(self._since, None if seconds is None else math.ceil(seconds))
        if stream.status < 400:
            return stream
        try:
            body = b"\n".join(stream.lines())
        finally:
            stream.close()
        raise error_for(parse_status(stream.status, body), "WATCH", self._path)

    def _read(self, stream: Stream, seconds: float | None = None) -> Iterator[Change]:
        call_off = self._pace.after(seconds, stream.close) if seconds is not None else None
        resumed_at = _number(self._since)
        try:
            for line in stream.lines():
                change = self._parse(line)
                version = version_of(change.object)
                # After a reconnect some servers and proxies start with events that were already delivered.
                number = _number(version)
                if resumed_at is not None and number is not None:
                    if number <= resumed_at and change.type != "BOOKMARK":
                        continue
                    resumed_at = None
                self._since = version or self._since
                yield change
        finally:
            if call_off:
                call_off()
            stream.close()

    def _parse(self, line: bytes) -> Change:
        try:
            event = self._loads(line)
            kind, raw = event["type"], event["object"]
        except (ValueError, KeyError, TypeError) as error:
            raise UnreachableError(f"the watch of {self._path} is garbled", cause=str(error)) from error
        if kind == "ERROR":
            raise error_for({"code": 500, **raw}, "WATCH", self._path)
        return Change(kind, raw)


def follow_list(
    cluster: Cluster,
    path: str,
    *,
    labels: str = "",
    fields: str = "",
    timeout: float | None = None,
    away: Away | None = None,
) -> Iterator[Change]:
    """Yield a collection as changes: ADDED for what is there, one BOOKMARK, then what happens, for `timeout` seconds.

    When the server has forgotten the version (410) the collection is listed again and the difference is told, so
    that the caller needs no cache and no second case. `away` is told of outages as by `Cluster.watch`.
    """
    pace = Pace()
    deadline = None if timeout is None else pace.monotonic() + timeout
    known: dict[str, Raw] = {}
    while True:
        listed = cluster.list(path, labels=labels, fields=fields)
        yield from _difference(known, listed)
        left = None if deadline is None else deadline - pace.monotonic()
        if left is not None and left <= 0:
            return
        try:
            for change in cluster.watch(
                path, version_of(listed), labels=labels, fields=fields, timeout=left, away=away
            ):
                if change.type == "DELETED":
                    known.pop(uid_of(change.object), None)
                elif change.type != "BOOKMARK":
                    known[uid_of(change.object)] = change.object
                yield change
        except ExpiredError:
            continue
        return


def _difference(known: dict[str, Raw], listed: Raw) -> Iterator[Change]:
    fresh = {uid_of(raw): raw for raw in listed.get("items") or []}
    for uid in [uid for uid in known if uid not in fresh]:
        yield Change("DELETED", known.pop(uid))
    for uid, raw in fresh.items():
        old = known.get(uid)
        known[uid] = raw
        if old is None:
            yield Change("ADDED", raw)
        elif version_of(old) != version_of(raw):
            yield Change("MODIFIED", raw)
    yield Change("BOOKMARK", {"metadata": {"resourceVersion": version_of(listed)}})


def _passing(error: KruiseError) -> bool:
    """Say whether trying again may help: no answer, too many requests, or a failure inside the server."""
    return isinstance(error, UnreachableError) or error.http == 429 or error.http >= 500


def _number(version: str) -> int | None:
    """Give a resourceVersion as the number it is on every known server, None for one that is not to be compared."""
    return int(version) if version.isdecimal() else None

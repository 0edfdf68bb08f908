"""Where the changes of a followed rollout come from: two watches per object, merged into one inbox."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kubectl_kruise.cluster.clock import Clock, SystemClock, VirtualClock
from kubectl_kruise.cluster.port import Away, Change, Cluster
from kubectl_kruise.errors import ExpiredError, KruiseError
from kubectl_kruise.objects.raw import Raw, version_of


class Relisted(NamedTuple):
    """The whole collection, read again because the server no longer knew the version of the watch."""

    items: list[Raw]


class Silence(NamedTuple):
    """The server does not answer, for a reason; with None it does again."""

    reason: KruiseError | None

    @property
    def text(self) -> str:
        """The reason as a sentence, "" where there is none."""
        if self.reason is None:
            return ""
        return f"{self.reason.message} ({self.reason.cause})" if self.reason.cause else self.reason.message


News = Change | Relisted | Silence | KruiseError


class Delivery(NamedTuple):
    """`take` is the receiver of this source's news."""

    take: Callable[[News], None]
    news: News


class Inbox:
    """Deliveries of many threads, taken by one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._arrived = threading.Condition()
        self._waiting: deque[Delivery] = deque()

    def put(self, delivery: Delivery) -> None:
        with self._arrived:
            self._waiting.append(delivery)
            self._arrived.notify()

    def take(self, seconds: float | None) -> list[Delivery]:
        """Give what has arrived, at once where there is something, else after at most `seconds` (None: no limit)."""
        with self._arrived:
            if not self._waiting and (seconds is None or seconds > 0):
                self._clock.wait(self._arrived, seconds)
            taken = list(self._waiting)
            self._waiting.clear()
        return taken


class Source:
    """One watch: of one object by name, or of the pods of a selector."""

    def __init__(
        self,
        cluster: Cluster,
        path: str,
        since: str,
        take: Callable[[News], None],
        *,
        labels: str = "",
        fields: str = "",
    ) -> None:
        self._cluster = cluster
        self._path, self._labels, self._fields = path, labels, fields
        self._since = since
        self._take = take

    def start(self, inbox: Inbox) -> None:
        """Feed the inbox from a thread of its own, until an error that no new list mends."""
        threading.Thread(name=f"watch {self._path}", target=self._run, args=(inbox,), daemon=True).start()

    def poll(self) -> list[Delivery]:
        """Give what has happened since the last call, without waiting."""
        try:
            changes: Iterable[Change] = list(self._changes(follow=False))
        except ExpiredError:
            return [Delivery(self._take, self._relist())]
        return [Delivery(self._take, change) for change in changes if change.type != "BOOKMARK"]

    def _run(self, inbox: Inbox) -> None:
        try:
            while True:
                try:
                    for change in self._changes(
                        follow=True, away=lambda error: inbox.put(Delivery(self._take, Silence(error)))
                    ):
                        if change.type != "BOOKMARK":
                            inbox.put(Delivery(self._take, change))
                except ExpiredError:
                    inbox.put(Delivery(self._take, self._relist()))
        except KruiseError as error:
            inbox.put(Delivery(self._take, error))

    def _changes(self, *, follow: bool, away: Away | None = None) -> Iterable[Change]:
        stream = self._cluster.watch(
            self._path, self._since, labels=self._labels, fields=self._fields, follow=follow, away=away
        )
        for change in stream:
            self._since = version_of(change.object) or self._since
            yield change

    def _relist(self) -> Relisted:
        listed = self._cluster.list(self._path, labels=self._labels, fields=self._fields)
        self._since = version_of(listed)
        return Relisted(listed.get("items") or [])


class Feed:
    """The news of several sources in one place: from threads, or asked for where an injected clock runs nobody else."""

    def __init__(self, sources: Sequence[Source], clock: Clock) -> None:
        self._clock = clock
        self._inbox = Inbox(clock)
        self._polled = () if isinstance(clock, SystemClock) else sources
        if isinstance(clock, SystemClock):
            for source in sources:
                source.start(self._inbox)

    def take(self, seconds: float | None) -> list[Delivery]:
        """Give what has happened, after at most `seconds` (None: as long as it takes), which may be nothing."""
        began = self._clock.time()
        for delivery in [delivery for source in self._polled for delivery in source.poll()]:
            self._inbox.put(delivery)
        delivered = self._inbox.take(seconds)
        if not delivered and isinstance(self._clock, VirtualClock) and self._clock.time() == began:
            self._clock.advance(1.0 if seconds is None else seconds)
        return delivered

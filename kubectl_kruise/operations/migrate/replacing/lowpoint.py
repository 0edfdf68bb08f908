"""The fewest pods that were ready at any moment of a gradual move, from every change of every pod (migration.md §6.1)."""

from typing import Final

from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.objects.pod import active, ready
from kubectl_kruise.objects.raw import Raw, owner_uid, uid_of, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.replacing.counting import Both
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.rollout.sources import Feed, News, Relisted, Silence, Source

LOWEST: Final = "lowest"
"""What the journal calls the fewest ready pods that any run has seen."""


class LowPoint:
    """Watches the pods of both workloads, from the first look on.

    Where pods may not be watched, what the looks themselves show has to do.
    """

    def __init__(self, run: Run, journal: Journal) -> None:
        self._run = run
        kind = journal.kind
        self._selector = Workload(journal.source_manifest, kind).selector
        self._lowest: int | None = journal.counters.get(LOWEST)
        self._owners: set[str] = set()
        self._ready: set[str] = set()
        self._feed: Feed | None = None

    @property
    def lowest(self) -> int:
        return self._lowest or 0

    def know(self, both: Both) -> None:
        """Count what a look has shown; the first one begins the watch."""
        for side in both:
            if side is not None:
                self._owners |= {owner_uid(pod) for pod in side.pods}
                self._owners.add(side.workload.uid)
        self._see(both.ready)
        if self._feed is None:
            self._feed = self._begin()

    def wait(self, seconds: float) -> None:
        """Let time pass, and count after every change of a pod in it."""
        end = self._run.clock.monotonic() + seconds
        while (left := end - self._run.clock.monotonic()) > 0:
            if self._feed is None:
                self._run.wait(left)
                return
            for delivery in self._feed.take(left):
                delivery.take(delivery.news)
            self._run.check()

    def _begin(self) -> Feed:
        path = POD.path(self._run.namespace)
        listed = self._run.cluster.list(path, labels=self._selector)
        self._count_anew(listed["items"])
        return Feed(
            [Source(self._run.cluster, path, version_of(listed), self._take, labels=self._selector)],
            self._run.clock,
        )

    def _take(self, news: News) -> None:
        match news:
            case Silence():
                return
            case Relisted(items):
                self._count_anew(items)
            case Exception():
                self._feed = None
            case _:
                self._change(news.object, gone=news.type == "DELETED")

    def _change(self, pod: Raw, *, gone: bool) -> None:
        if gone or not self._serves(pod):
            self._ready.discard(uid_of(pod))
        else:
            self._ready.add(uid_of(pod))
        self._see(len(self._ready))

    def _count_anew(self, pods: list[Raw]) -> None:
        self._ready = {uid_of(pod) for pod in pods if self._serves(pod)}
        self._see(len(self._ready))

    def _serves(self, pod: Raw) -> bool:
        return owner_uid(pod) in self._owners and active(pod) and ready(pod)

    def _see(self, count: int) -> None:
        self._lowest = count if self._lowest is None else min(self._lowest, count)

"""Workloads whose pods are handed to their Kruise twins, and back: how long it takes, and how long nobody owns a pod.

The StatefulSet has half the pods of the Deployment. `seconds` is the whole command without the settle watch. `unowned` counts
the pods that a watch saw without a controller, and says for how long. `MiB` is the peak of the command, `<` where it is below
what this program itself takes. Goals on the sandbox: 30 s for `adopt` of 1,000 pods, and memory that hardly grows with the
pods.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from statistics import median
from threading import Event, Thread
from typing import Any, Final, NamedTuple

from benchmarks.processes import Run, floor, run
from benchmarks.stage import Stage, deployment, native_set, other_server, sandbox
from benchmarks.tables import table as lay_out
from kubectl_kruise.cluster.clock import SystemClock
from kubectl_kruise.cluster.port import Change
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.objects.raw import owner_uid, uid_of, version_of
from kubectl_kruise.operations.rollout.sources import Inbox, News, Relisted, Source

NAME: Final = "fleet"
LABELS: Final = f"app={NAME}"
FEW: Final = 100
NODES: Final = 20
AGE: Final = 31.0
"""Seconds after which a migration no longer waits for the collector to know what belongs to whom."""


class Pair(NamedTuple):
    """A native kind and the way from it and back; `build` makes the manifest, of `share` of the pods that were chosen."""

    kind: str
    build: Callable[[str, int], dict[str, Any]]
    share: float
    there: tuple[str, ...]
    back: tuple[str, ...]


PAIRS: Final = (
    Pair("Deployment", deployment, 1.0, (f"deployment/{NAME}",), (f"cloneset/{NAME}", "--to=deployment")),
    Pair("StatefulSet", native_set, 0.5, (f"statefulset/{NAME}",), (f"asts/{NAME}", "--to=statefulset")),
)


def table(chosen: argparse.Namespace) -> str:
    rows = [
        row
        for pair in PAIRS
        for pods in dict.fromkeys((FEW, max(1, int(chosen.pods * pair.share))))
        for row in _there_and_back(chosen, pair, pods)
    ]
    headers = ("way", "pods", "seconds", "CPU s", "MiB", "unowned", "s median", "p99", "max")
    where = "another server" if chosen.kubeconfig else "the sandbox"
    return lay_out(
        f"Pods handed over on {where}", headers, rows, notes=["", __doc__.partition("\n\n")[2].rstrip()]
    )


def _there_and_back(chosen: argparse.Namespace, pair: Pair, pods: int) -> Iterator[list[str]]:
    with _stage(chosen.kubeconfig) as stage:
        stage.create(pair.build(NAME, pods))
        reference = f"{pair.kind.lower()}/{NAME}"
        stage.call("kubectl-kruise", "rollout", "status", reference, "--timeout=600s")
        before = _marks(stage)
        for way, words in (("adopt", pair.there), ("back", pair.back)):
            time.sleep(AGE)
            with _ownership(stage) as seen:
                done = run(("kubectl-kruise", "migrate", *words, "--yes", "--settle=0s"), stage.environment)
            if _marks(stage) != before:
                raise RuntimeError(f"{pair.kind}, {way}: the pods are not the ones they were")
            yield _row(f"{pair.kind}, {way}", pods, done, seen.spans)


def _stage(kubeconfig: str) -> AbstractContextManager[Stage]:
    return other_server(kubeconfig) if kubeconfig else sandbox("--plain-http", "--nodes", str(NODES))


def _row(way: str, pods: int, done: Run, spans: list[float]) -> list[str]:
    ordered = sorted(spans) or [0.0]
    figures = (median(ordered), ordered[int(len(ordered) * 0.99)], ordered[-1])
    return [
        way,
        f"{pods:,}",
        f"{done.wall:.1f}",
        f"{done.cpu:.1f}",
        f"{done.peak:.0f}" if done.peak > floor() + 1 else f"<{floor():.0f}",
        f"{len(spans):,}",
        *(f"{figure:.2f}" for figure in figures),
    ]


class Ownership:
    """What a watch says of who has the pods; `spans` are the seconds that a pod was seen without a controller."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}
        self.spans: list[float] = []

    def take(self, news: News) -> None:
        if isinstance(news, Relisted):
            raise TypeError("the watch was cut: its times are lost")
        if not isinstance(news, Change):
            return
        uid, now = uid_of(news.object), time.perf_counter()
        if not owner_uid(news.object):
            self._since.setdefault(uid, now)
        elif uid in self._since:
            self.spans.append(now - self._since.pop(uid))


@contextmanager
def _ownership(stage: Stage) -> Iterator[Ownership]:
    """Watch the pods meanwhile."""
    seen, ended, inbox = Ownership(), Event(), Inbox(SystemClock())

    def take() -> None:
        while not ended.is_set():
            for delivery in inbox.take(0.2):
                delivery.take(delivery.news)

    with stage.client() as client:
        path = POD.path(client.namespace)
        # A list of all would be large, and a process counts the memory of this one as its own until it has its own.
        since = version_of(client.get(path, query={"limit": "1"}))
        Source(client, path, since, seen.take, labels=LABELS).start(inbox)
        taking = Thread(target=take)
        taking.start()
        try:
            yield seen
        finally:
            ended.set()
            taking.join()


def _marks(stage: Stage) -> str:
    """Give who the pods are, where, and how often they were restarted."""
    columns = (
        "NAME:.metadata.name,UID:.metadata.uid,IP:.status.podIP,NODE:.spec.nodeName,"
        "RESTARTS:.status.containerStatuses[*].restartCount"
    )
    return stage.call(
        "kubectl", "get", "pods", f"-l={LABELS}", "--no-headers", f"-o=custom-columns={columns}"
    )

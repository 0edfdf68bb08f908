"""What workloads and their pods were at every version of the server, read from its watches afterwards."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import NamedTuple

from kubectl_kruise.cluster.port import Change, Cluster
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, NATIVE_STATEFULSET, POD, STATEFULSET, Kind
from kubectl_kruise.objects.pod import active, ready
from kubectl_kruise.objects.raw import Raw, dig, owner_of, uid_of, version_number, version_of
from tests.operations.migrate.world import NAMESPACE

KINDS = (DEPLOYMENT, CLONESET, NATIVE_STATEFULSET, STATEFULSET, POD)
READ_SECONDS = 8.0


class Extremes(NamedTuple):
    """Over all versions: the fewest ready pods, the most pods that were not ending, the most pods wanted.

    `generations` is of how many kinds of owners there were pods at the same time, ending ones too.
    """

    fewest_ready: int
    most_pods: int
    most_wanted: int
    generations: int


class Ledger:
    """Remembers where the server stands when it is made; `extremes` tells what has been since.

    A server whose time is real keeps its history for about a minute: `kept` takes in every now and then what there is so
    far, and listens for `seconds`. Those are more than 2, for so long before the end of a watch the last bookmark comes,
    and where nothing happens only that tells how far one has read. Without `seconds` the server says by itself that there
    is no more.
    """

    def __init__(
        self, cluster: Cluster, namespace: str = NAMESPACE, *, labels: str = "", seconds: float | None = None
    ) -> None:
        self._cluster, self._namespace, self._labels, self._seconds = cluster, namespace, labels, seconds
        self._since: dict[str, str] = {}
        self._began: dict[str, Raw] = {}
        self._changes: list[Change] = []
        for kind in KINDS:
            listed = cluster.list(kind.path(namespace), labels=labels)
            self._since[kind.resource] = version_of(listed)
            self._began |= {uid_of(each): {**each, "kind": kind.kind} for each in listed["items"]}

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Read on meanwhile where the history may be forgotten."""
        ended = Event()

        def read_on() -> None:
            while not ended.wait(READ_SECONDS):
                self.read()

        with ThreadPoolExecutor(1) as pool:
            reading = pool.submit(read_on) if self._seconds is not None else None
            try:
                yield
            finally:
                ended.set()
        if reading is not None:
            reading.result()

    def read(self) -> None:
        """Take in what has happened since the last time."""
        if self._seconds is None:
            for kind in KINDS:
                self._read(kind)
            return
        with ThreadPoolExecutor(len(KINDS)) as pool:
            list(pool.map(self._read, KINDS))

    def _read(self, kind: Kind) -> None:
        for change in self._cluster.watch(
            kind.path(self._namespace),
            self._since[kind.resource],
            labels=self._labels,
            timeout=self._seconds,
            follow=self._seconds is not None,
        ):
            self._since[kind.resource] = version_of(change.object)
            if change.type != "BOOKMARK":
                self._changes.append(change)

    def extremes(self) -> Extremes:
        self.read()
        objects = dict(self._began)
        found = [_extremes(objects)]
        for change in sorted(self._changes, key=lambda change: version_number(change.object)):
            if change.type == "DELETED":
                objects.pop(uid_of(change.object))
            else:
                objects[uid_of(change.object)] = change.object
            found.append(_extremes(objects))
        return Extremes(
            min(each.fewest_ready for each in found),
            max(each.most_pods for each in found),
            max(each.most_wanted for each in found),
            max(each.generations for each in found),
        )


def _extremes(objects: dict[str, Raw]) -> Extremes:
    pods = [each for each in objects.values() if each["kind"] == POD.kind]
    working = [pod for pod in pods if active(pod)]
    owners = [each for each in objects.values() if each["kind"] != POD.kind]
    return Extremes(
        sum(1 for pod in working if ready(pod)),
        len(working),
        sum(dig(each, ("spec", "replicas"), 1) for each in owners),
        len({owner["apiVersion"] + owner["kind"] for pod in pods if (owner := owner_of(pod))}),
    )

"""Namespaces of a real cluster in which points are walked side by side, one after the other in each."""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import TimeoutExpired
from typing import NamedTuple

from kubectl_kruise.cluster.connection import ConnectionFlags, connect
from kubectl_kruise.errors import KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from tests.killwalk.killer import Killer
from tests.killwalk.proxy import Point, Proxy
from tests.killwalk.walk import MISSED, begin, kill_at, points, scene
from tests.killwalk.ways import Way

OLD_ENOUGH = 31.0
"""Seconds until a ReplicaSet may be deleted: waited for once, by all of a lane together."""
LISTENS = 4.0

Say = Callable[[str], None]


class Asked(NamedTuple):
    """How to walk: pods of each workload, every so many requests besides the writes, so many lanes."""

    namespace: str
    pods: int
    every: int
    lanes: int


@contextmanager
def lane(namespace: str) -> Iterator[Killer]:
    """Make a namespace for as long as it is used, of the cluster of the kubeconfig in use."""
    client = connect(ConnectionFlags(namespace=namespace))
    proxy = Proxy(connect(ConnectionFlags(namespace=namespace))._transport)
    client.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    try:
        with tempfile.TemporaryDirectory() as folder:
            yield Killer(proxy, client, Path(folder), lasts=LISTENS)
    finally:
        with suppress(NotFoundError):
            client.delete(f"/api/v1/namespaces/{namespace}")
        proxy.close()
        client.close()


def walk(way: Way, asked: Asked, say: Say) -> int:
    """Walk all points of one way; gives how many went wrong."""
    chosen = _all_points(way, asked)
    shares = [share for at in range(asked.lanes) if (share := chosen[at :: asked.lanes])]
    with ThreadPoolExecutor(len(shares)) as pool:
        names = (f"{asked.namespace}-{at}" for at in range(len(shares)))
        wrong = sum(
            pool.map(lambda name, share: _walk_share(way, name, share, asked.pods, say), names, shares)
        )
    say(f"{len(chosen) - wrong} of {len(chosen)} points without loss")
    return wrong


def _all_points(way: Way, asked: Asked) -> list[Point]:
    """Let one run through undisturbed, and count its requests."""
    with lane(f"{asked.namespace}-probe") as killer:
        _prepare(killer, way, ["web"], asked.pods)
        code, said = killer.run(way.command, "web")
        if code:
            raise RuntimeError(said)
        log = list(killer.proxy.log)
    return list(points(sum(line.startswith("W ") for line in log), len(log), every=asked.every))


def _walk_share(way: Way, namespace: str, share: Sequence[Point], pods: int, say: Say) -> int:
    wrong = 0
    names = [f"web-{at}" for at in range(len(share))]
    with lane(namespace) as killer:
        _prepare(killer, way, names, pods)
        marks = {}
        for name, point in zip(names, share, strict=True):
            difference = _tried(killer, way, name, point)
            missed = difference.endswith(MISSED)
            wrong += bool(difference) and not missed
            say(difference if missed else f"FAILED {difference}" if difference else f"ok {point}")
            marks[name] = scene(killer, way, name).marks
        for name, point in zip(names, share, strict=True):
            if (now := scene(killer, way, name).marks) != marks[name]:
                wrong += 1
                say(f"FAILED {point}: pods were {sorted(marks[name])} at first, are {sorted(now)} later")
    return wrong


def _tried(killer: Killer, way: Way, name: str, point: Point) -> str:
    try:
        return kill_at(killer, way, name, point)
    except (KruiseError, TimeoutExpired) as error:
        return f"{point}: {error}"


def _prepare(killer: Killer, way: Way, names: Sequence[str], pods: int) -> None:
    killer.create(way.kind, names, pods)
    if way.kind is not CLONESET:
        time.sleep(OLD_ENOUGH)
    for name in names:
        if failure := begin(killer, way, name):
            raise RuntimeError(failure)
    if way.begin and way.target is not DEPLOYMENT:
        time.sleep(OLD_ENOUGH)

"""Random Deployments go there and back on a real cluster, killed at random moments, each in a namespace of its own."""

import random
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from subprocess import TimeoutExpired
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, Kind
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.objects.workload import Workload
from tests.killwalk.killer import KILLED, Killer
from tests.killwalk.lanes import Say, lane
from tests.killwalk.proxy import Point
from tests.killwalk.scene import Scene
from tests.killwalk.ways import Words
from tests.operations.migrate.ledger import Ledger
from tests.operations.migrate.specs import deployments

NAMES = ("web", "a", "web.v2", "0", "x" * 52)
FARTHEST = 130
"""The last request at which a command may die: about as many as it sends."""
DEATHS = 3
LEGS: tuple[tuple[Words, Kind], ...] = (
    (("deployment/{name}",), CLONESET),
    (("cloneset/{name}", "--to=deployment"), DEPLOYMENT),
)


class Trip(NamedTuple):
    """One Deployment, and when its commands die: for each leg the requests at which they do, one after the other."""

    name: str
    spec: Raw
    updated: bool
    deaths: tuple[tuple[Point, ...], ...]


def wander(runs: int, chance: int, namespace: str, lanes: int, say: Say) -> int:
    """Make so many trips; gives how many went wrong."""

    def go(numbered: tuple[int, Trip]) -> bool:
        number, trip = numbered
        try:
            with lane(f"{namespace}-{number}") as killer:
                wrong = "; ".join(travel(killer, trip))
        except (KruiseError, TimeoutError, TimeoutExpired) as error:
            wrong = f"{type(error).__name__}: {error}"
        say(f"{number} {'FAILED ' + wrong + ' ' + str(trip) if wrong else told(trip)}")
        return bool(wrong)

    with ThreadPoolExecutor(lanes) as pool:
        wrong = sum(pool.map(go, enumerate(trips(runs, chance))))
    say(f"{runs - wrong} of {runs} Deployments there and back without loss")
    return wrong


def trips(runs: int, chance: int) -> list[Trip]:
    """Draw trips, the same ones for the same `chance`."""
    draw, found = random.Random(chance), list[Raw]()

    @seed(chance)
    @settings(
        max_examples=runs * 2, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(spec=deployments())
    def collect(spec: dict[str, Any]) -> None:
        found.append(spec)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collect()
    chosen = draw.sample(found, runs)
    return [
        Trip(draw.choice(NAMES), spec, draw.random() < 1 / 3, (_deaths(draw), _deaths(draw)))
        for spec in chosen
    ]


def travel(killer: Killer, trip: Trip) -> Iterator[str]:
    """Take one Deployment there and back; gives all that is not as it was."""
    create(killer, trip)
    began = Scene.of(killer.client, trip.name, "")
    replicas = trip.spec["replicas"]
    ledger = Ledger(killer.client, seconds=killer.lasts, namespace=killer.namespace)
    with ledger.kept():
        for (words, target), deaths in zip(LEGS, trip.deaths, strict=True):
            if failure := go(killer, trip.name, words, deaths):
                yield failure
                return
            now = Scene.of(killer.client, trip.name, "")
            yield from now.remains()
            yield from now.strays(target)
            yield from now.short(target, replicas)
            if now.marks != began.marks:
                yield f"{words}: pods were {sorted(began.marks)}, are {sorted(now.marks)}"
    seen = ledger.extremes()
    if (seen.fewest_ready, seen.most_pods) != (replicas, replicas):
        yield f"of {replicas} pods {seen.fewest_ready} were ready and there were {seen.most_pods} at one time"
    ended = Scene.of(killer.client, trip.name, "")
    if dig(ended.native, ("spec",)) != dig(began.native, ("spec",)):
        yield f"the spec was {dig(began.native, ('spec',))}, is {dig(ended.native, ('spec',))}"


def go(killer: Killer, name: str, words: Words, deaths: Iterable[Point]) -> str:
    """Run a command until it has died often enough, then to its end; gives "" or why it failed."""
    for point in (*deaths, None):
        code, said = killer.run(words, name, point)
        if code not in (0, KILLED):
            return f"{words} ended by itself with {code}: {said}"
    return ""


def create(killer: Killer, trip: Trip) -> None:
    """Create the Deployment, with an older revision where it has been updated, and wait until it is well."""
    path = DEPLOYMENT.path(killer.namespace, trip.name)
    manifest = {
        "apiVersion": "apps/v1",
        "kind": DEPLOYMENT.kind,
        "metadata": {"name": trip.name},
        "spec": trip.spec,
    }
    killer.client.create(DEPLOYMENT.path(killer.namespace), manifest)
    await_well(killer, trip)
    if trip.updated:
        body = {"spec": {"template": {"metadata": {"annotations": {"example.com/second": "yes"}}}}}
        killer.client.patch(path, Patch(PatchType.MERGE, body))
        await_well(killer, trip)


def await_well(killer: Killer, trip: Trip) -> None:
    """Wait until the rollout is over and no old pod is left."""
    path = DEPLOYMENT.path(killer.namespace, trip.name)

    def well() -> bool:
        live = Workload(killer.client.get(path), DEPLOYMENT)
        status = live.raw.get("status") or {}
        counts = {status.get(key, 0) for key in ("replicas", "updatedReplicas", "availableReplicas")}
        listed = killer.client.list(f"/api/v1/namespaces/{killer.namespace}/pods")["items"]
        return live.observed and counts == {trip.spec["replicas"]} and len(listed) == trip.spec["replicas"]

    killer.wait(well, f"{trip.name} is not well")


def told(trip: Trip) -> str:
    died = ", ".join(str(point) for deaths in trip.deaths for point in deaths)
    return f"ok {trip.spec['replicas']} pods of {trip.name}, died {died or 'never'}"


def _deaths(draw: random.Random) -> tuple[Point, ...]:
    def point() -> Point:
        writes = draw.random() < 1 / 2
        return Point(draw.randint(1, 16 if writes else FARTHEST), writes=writes, after=draw.random() < 1 / 2)

    return tuple(point() for _ in range(draw.randint(1, DEATHS)))

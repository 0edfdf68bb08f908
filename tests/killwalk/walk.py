"""Kill the command line itself at every request, run it again, and look after the pods."""

from collections.abc import Iterator

from kubectl_kruise.engine.migration.pairs import pair_of
from kubectl_kruise.engine.migration.sets import same_template
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import dig
from tests.killwalk.killer import KILLED, Killer, labels_of
from tests.killwalk.proxy import Point
from tests.killwalk.scene import Scene, bounds
from tests.killwalk.ways import Way
from tests.operations.migrate.ledger import Extremes, Ledger

TEMPLATE = ("spec", "template")
MISSED = "the command was done before"
NOTHING_LEFT = 4
"""The exit code of a rollback for which there is no journal: it was over, or had not begun."""


def begin(killer: Killer, way: Way, name: str) -> str:
    """Bring a workload to where the way starts; gives "" or why that failed."""
    for words in way.begin:
        code, said = killer.run(words, name)
        if code:
            return f"could not begin: {said}"
    return ""


def kill_at(killer: Killer, way: Way, name: str, point: Point) -> str:
    """Let the command die at one point, and run it again; gives "" where all is as promised, else what is not."""
    before = scene(killer, way, name)
    ledger = Ledger(killer.client, killer.namespace, labels=labels_of(name), seconds=killer.lasts)
    with ledger.kept():
        code, said = killer.run(way.command, name, point)
        if code == 0:
            return f"{point}: {MISSED}"
        if code != KILLED:
            return f"{point}: ended by itself with {code}: {said}"
        code, said = killer.run(way.rerun, name)
        if code not in (0, NOTHING_LEFT if way.undone else 0):
            return f"{point}: run again, it ended with {code}: {said}"
    wrong = [*differences(way, before, scene(killer, way, name))]
    wrong += excesses(way, len(before.pods), ledger.extremes())
    return f"{point}: {'; '.join(wrong)}" if wrong else ""


def scene(killer: Killer, way: Way, name: str) -> Scene:
    return Scene.of(killer.client, name, labels_of(name), pair_of(way.kind))


def differences(way: Way, before: Scene, after: Scene) -> Iterator[str]:
    """Give what is not as it has to be in the end."""
    yield from after.remains()
    yield from after.strays(way.target)
    yield from after.short(way.target, len(before.pods))
    if way.undone and after.journals:
        yield "the journal is left"
    if way.keeps and after.marks != before.marks:
        yield f"pods were {sorted(before.marks)}, are {sorted(after.marks)}"
    if before.claims != after.claims:
        yield f"claims were {sorted(before.claims)}, are {sorted(after.claims)}"
    if bounds(before) != bounds(after):
        yield f"the autoscaler may {bounds(after)}, not {bounds(before)}"
    had, has = before.workload(_kind_before(before, way)), after.workload(way.target)
    if not same_template(had or {}, has or {}):
        yield f"the template was {dig(had, TEMPLATE)}, is {dig(has, TEMPLATE)}"


def excesses(way: Way, pods: int, seen: Extremes) -> Iterator[str]:
    """Give the limits that did not hold at some version of the server."""
    if way.missing is not None and seen.fewest_ready < pods - way.missing:
        yield f"only {seen.fewest_ready} of {pods} pods were ready at one time"
    if seen.most_pods > pods + way.more:
        yield f"there were {seen.most_pods} pods at one time"
    if way.missing is None and seen.generations > 1:
        yield "old and new pods ran together"


def points(writes: int, requests: int, *, every: int) -> Iterator[Point]:
    """Give both sides of every write, and every so many of all requests."""
    for number in range(1, writes + 1):
        yield Point(number)
        yield Point(number, after=True)
    for number in range(1, requests + 1, every):
        yield Point(number, writes=False)


def _kind_before(found: Scene, way: Way) -> Kind:
    pair = pair_of(way.kind)
    return pair.native if found.native is not None else pair.kruise

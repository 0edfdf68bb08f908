"""What two workloads and their pods were at every version of the server, read from its watches afterwards."""

from typing import NamedTuple

from kubectl_kruise.cluster.port import Change
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, POD
from kubectl_kruise.objects.pod import active, ready
from kubectl_kruise.objects.raw import Raw, dig, uid_of, version_number, version_of
from tests.operations.migrate.world import NAMESPACE, World

KINDS = (DEPLOYMENT, CLONESET, POD)


class Extremes(NamedTuple):
    """Over all versions: the fewest ready pods, the most pods that were not ending, the most pods wanted."""

    fewest_ready: int
    most_pods: int
    most_wanted: int


class Ledger:
    """Remembers where the server stands when it is made; `extremes` tells what has been since."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._since: dict[str, str] = {}
        self._objects: dict[str, Raw] = {}
        for kind in KINDS:
            listed = world.cluster.list(kind.path(NAMESPACE))
            self._since[kind.kind] = version_of(listed)
            self._objects |= {uid_of(each): each for each in listed["items"]}

    def extremes(self) -> Extremes:
        found = [self._now()]
        for change in self._changes():
            if change.type == "DELETED":
                self._objects.pop(uid_of(change.object))
            else:
                self._objects[uid_of(change.object)] = change.object
            found.append(self._now())
        return Extremes(
            min(each.fewest_ready for each in found),
            max(each.most_pods for each in found),
            max(each.most_wanted for each in found),
        )

    def _changes(self) -> list[Change]:
        changes = [
            change
            for kind in KINDS
            for change in self._world.cluster.watch(
                kind.path(NAMESPACE), self._since[kind.kind], follow=False
            )
            if change.type != "BOOKMARK"
        ]
        return sorted(changes, key=lambda change: version_number(change.object))

    def _now(self) -> Extremes:
        pods = [each for each in self._objects.values() if each["kind"] == POD.kind and active(each)]
        owners = [each for each in self._objects.values() if each["kind"] != POD.kind]
        wanted = sum(dig(each, ("spec", "replicas"), 1) for each in owners)
        return Extremes(sum(1 for pod in pods if ready(pod)), len(pods), wanted)

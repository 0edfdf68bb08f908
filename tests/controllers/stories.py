"""What users do to a workload, and what must hold at every moment of it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from kubectl_kruise.facts.kinds import POD, PVC
from kubectl_kruise.objects.pod import active, available
from kubectl_kruise.objects.raw import Raw, labels_of, metadata, name_of, owner_of
from kubectl_kruise.sandbox.store import Event
from tests.controllers.world import World

Run = Callable[[float], None]


class Act(NamedTuple):
    """One thing a user does, and the replicas wanted from then on."""

    do: Callable[[Any], Any]
    replicas: int
    seconds: float = 12


class Story(NamedTuple):
    """`surge` and `unavailable` are what the workload allows throughout.

    `counted`: restarts and revisions do not depend on how quickly the controller gets on.
    """

    name: str
    acts: tuple[Act, ...]
    unavailable: int = 1
    surge: int = 0
    counted: bool = True


class Guard:
    """Looks at every change of a pod in the store: no pod too many is made, none too many is taken down."""

    def __init__(self, world: World) -> None:
        self.most = self.least = 0
        self._reached = False
        self.broken: list[str] = []
        self._store, self._clock = world.sandbox.server.store, world.sandbox.clock
        self._store.listen(self._look)

    def allow(self, story: Story, before: int, after: int) -> None:
        """Set the limits of one act: until a controller has seen it, it may go by what was before."""
        self.most = max(before, after) + story.surge
        self.least = min(before, after) - story.unavailable
        self._reached = False

    def _look(self, event: Event) -> None:
        if event.new.resource != POD.plural:
            return
        pods = [found.object for found in self._store.items(POD.plural) if owner_of(found.object)]
        count = sum(map(active, pods))
        if event.old is None and count > self.most:
            self.broken.append(f"{count} pods, {self.most} allowed")
        serving = sum(map(self._serves, pods))
        # Pods that were never all up may be updated as they come up: who takes down a pod that is down breaks nothing.
        self._reached = self._reached or serving >= self.least
        was = event.old is not None and self._serves(event.old.object)
        gone = was and (event.type == "DELETED" or not self._serves(event.new.object))
        if gone and self._reached and serving < self.least:
            self.broken.append(f"{serving} pods available, {self.least} promised")

    def _serves(self, pod: Raw) -> bool:
        return active(pod) and available(pod, 0, self._clock.time())


def play(world: World, story: Story, run: Run | None = None) -> Guard:
    """Let the user act and `run` time; then nothing is to happen any more for a while."""
    guard, before = Guard(world), 0
    for act in story.acts:
        guard.allow(story, before, act.replicas)
        act.do(world)
        (run or world.run)(act.seconds)
        before = act.replicas
    return guard


def outcome(world: World, story: Story) -> Raw:
    """Give what is left of a story, but for names, nodes, times and versions."""
    live = world.live()
    status = {
        key: value for key, value in live["status"].items() if key not in ("conditions", "observedGeneration")
    }
    pods = [
        {
            "ordinal": pod["spec"].get("hostname"),
            "image": pod["spec"]["containers"][0]["image"],
            "resources": pod["status"]["containerStatuses"][0].get("resources"),
            "restarts": pod["status"]["containerStatuses"][0]["restartCount"] if story.counted else None,
            "labels": {
                key: value
                for key, value in labels_of(pod).items()
                if not key.startswith(("topology.", "apps.kruise.io/cloneset-instance-id"))
            },
            "serves": available(pod, 0, world.sandbox.clock.time()),
        }
        for pod in world.pods()
    ]
    return {
        "status": status,
        "pods": sorted(pods, key=str),
        "revisions": world.revisions() if story.counted else None,
        "claims": {name_of(claim): _owners(claim) for claim in world.all(PVC)},
        "podsToDelete": live["spec"].get("scaleStrategy", {}).get("podsToDelete"),
    }


def _owners(claim: Raw) -> list[str]:
    """Name the owners without their uids."""
    return sorted(
        f"{owner['kind']}/{owner['name']}" for owner in metadata(claim).get("ownerReferences") or []
    )


def scale(replicas: int) -> Callable[[World], None]:
    return lambda world: world.change({"replicas": replicas})


def image(name: str) -> Callable[[World], None]:
    return lambda world: world.set_image(name)

"""What a rollout will do, told before it happens (advanced-statefulset.md §18)."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, takewhile
from typing import NamedTuple

from kubectl_kruise.engine.statefulset.member import Member
from kubectl_kruise.engine.statefulset.order import update_order
from kubectl_kruise.engine.statefulset.plan import plan_pass
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.engine.statefulset.steps import Hold, Stop
from kubectl_kruise.engine.statefulset.update import unavailability
from kubectl_kruise.engine.statefulset.verdicts import Verdicts
from kubectl_kruise.facts.policies import IN_PLACE_ONLY


class Method(StrEnum):
    """How a pod gets the update revision."""

    IN_PLACE = "in place"
    RECREATE = "recreate"
    IMPOSSIBLE = "impossible"


class Target(NamedTuple):
    """A pod that is to be updated; `reason` says why by this method."""

    name: str
    ordinal: int
    method: Method
    reason: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """`targets` in their order, those updated already left out; `kept` are the ordinals that a partition protects.

    `waves` are ordinals that change at the same time, the first of them at once where nothing in `blockers` holds it
    back; a wave begins when the one before it is available. `waiting` are the ordinals of targets that no wave reaches
    unless something is done about a blocker. `chosen` are ordinals that are replaced because somebody chose them.
    """

    targets: tuple[Target, ...]
    updated: tuple[int, ...]
    kept: tuple[int, ...]
    chosen: tuple[int, ...]
    waves: tuple[tuple[int, ...], ...]
    waiting: tuple[int, ...]
    blockers: tuple[Stop, ...]


def forecast(situation: Situation) -> Forecast:
    """Tell a rollout from the pods as they are now: every pod that is touched counts as available in the next wave."""
    view, replicas, revision = situation.view, situation.slots.replicas, situation.target
    order = replicas[::-1] if view.on_delete else update_order(view, replicas, revision)
    outdated = [
        member for member in order if member.revision != revision or not situation.claims_compatible(member)
    ]
    verdicts = Verdicts(situation)
    targets = tuple(_target(situation, verdicts, member) for member in outdated)
    chosen = [member for member in reversed(replicas) if member.specified]
    possible = sum(1 for _ in takewhile(lambda target: target.method is not Method.IMPOSSIBLE, targets))
    stuck = view.on_delete or _blocked(situation)
    waves = () if stuck else tuple(_waves(situation, chosen, outdated[:possible]))
    among, reached = {member.ordinal for member in order}, set(chain.from_iterable(waves))
    old = (member for member in replicas if member.revision != revision)
    return Forecast(
        targets=targets,
        updated=tuple(member.ordinal for member in replicas if member.revision == revision),
        kept=tuple(member.ordinal for member in old if member.ordinal not in among),
        chosen=tuple(member.ordinal for member in chosen),
        waves=waves,
        waiting=tuple(target.ordinal for target in targets if target.ordinal not in reached),
        blockers=tuple({stop.reason: stop for stop in _blockers(situation, targets)}.values()),
    )


def _target(situation: Situation, verdicts: Verdicts, member: Member) -> Target:
    change, reason = verdicts.of(member.revision)
    method = Method.RECREATE
    if change is not None and not situation.view.on_delete:
        method = Method.IN_PLACE
    elif situation.view.policy == IN_PLACE_ONLY:
        method = Method.IMPOSSIBLE
    return Target(member.name, member.ordinal, method, reason)


def _blocked(situation: Situation) -> bool:
    """Say whether an OrderedReady set does not get to updates at all: a pod is not available, or one is too many."""
    slots = situation.slots
    return situation.view.monotonic and (
        bool(slots.condemned) or any(not member.available for member in slots.replicas)
    )


class _Budget:
    """What may be unavailable in one wave: `down` are names of pods that are so already and take nothing more."""

    def __init__(self, most: int, down: set[str]) -> None:
        self._most, self._down, self._used = most, down, len(down)

    def wave(self, queues: Iterable[deque[Member]]) -> list[Member]:
        """Take pods from the front of each queue until one does not fit any more."""
        taken = []
        for queue in queues:
            while queue and (queue[0].name in self._down or self._used < self._most):
                self._used += queue[0].name not in self._down
                taken.append(queue.popleft())
        return taken

    def settle(self, names: Iterable[str]) -> None:
        """Begin the next wave, for which these pods are available."""
        self._down.difference_update(names)
        self._used = len(self._down)


def _waves(
    situation: Situation, chosen: Sequence[Member], targets: Sequence[Member]
) -> Iterator[tuple[int, ...]]:
    """Part chosen pods and targets into waves, each as large as the budget lets it be.

    Pods that are new or end already come back by themselves after the first wave; old ones that are down stay so until
    they are updated.
    """
    replicas, revision = situation.slots.replicas, situation.target
    down = {member.name for member in replicas if unavailability(situation, member)}
    back = [
        member.name
        for member in replicas
        if not member.created or member.terminating or member.revision == revision
    ]
    budget = _Budget(situation.view.unavailable, down)
    names = {member.name for member in chosen}
    queues = (
        deque(sorted(chosen, key=lambda member: member.name not in down)),
        deque(member for member in targets if member.name not in names),
    )
    wave = budget.wave(queues)
    if wave:
        yield tuple(member.ordinal for member in wave)
    budget.settle(back)
    budget.settle(member.name for member in wave)
    while wave := budget.wave(queues):
        yield tuple(member.ordinal for member in wave)
        budget.settle(member.name for member in wave)


def _blockers(situation: Situation, targets: Sequence[Target]) -> Iterator[Stop]:
    """List what holds the update back now, as the next pass meets it, and what will (§18 no. 6)."""
    view = situation.view
    phases = list(plan_pass(situation))
    yield from (held for phase in phases for held in phase.held)
    yield from (
        Stop(step.reason, step.member) for phase in phases for step in phase.steps if isinstance(step, Hold)
    )
    if phases[-1].stop is not None:
        yield phases[-1].stop
    if view.partition >= len(situation.slots.replicas) and not view.on_delete:
        yield Stop(f"partition {view.partition} keeps all pods as they are")
    impossible = next((target for target in targets if target.method is Method.IMPOSSIBLE), None)
    if impossible is not None:
        yield Stop(f"pod {impossible.name} can only be updated in place, and cannot: {impossible.reason}")

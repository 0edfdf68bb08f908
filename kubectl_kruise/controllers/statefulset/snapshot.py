"""What one pass over an Advanced StatefulSet works on: read once at its start, never refreshed within it."""

from collections import Counter
from dataclasses import dataclass, field

from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.engine.statefulset.steps import Counter as Lowered
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet
from kubectl_kruise.objects.raw import Raw


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`live` is the set as it stands on the server, without the defaults of the situation's view.

    `lowered` is what steps that were carried out take off the counters of the status, `conditions` the failures that it
    tells of by condition type and text, `waits` the seconds after which somebody asked for another look.
    """

    key: Key
    live: Raw
    situation: Situation
    collisions: int
    lowered: Counter[Lowered] = field(default_factory=Counter)
    conditions: list[tuple[str, str]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    @property
    def view(self) -> AdvancedStatefulSet:
        return self.situation.view

    @property
    def now(self) -> float:
        return self.situation.now

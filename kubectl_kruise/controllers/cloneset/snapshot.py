"""What one pass over a CloneSet works on: read once at its start, never refreshed within it."""

from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.engine.cloneset.calculator import Difference, calculate
from kubectl_kruise.engine.cloneset.member import Member
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.objects.raw import Raw, name_of


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`live` is the CloneSet as it stands on the server, without the defaults of `view`.

    `pods` are the claimed active ones, `inactive` those that end or have ended; revisions are sorted.
    """

    key: Key
    live: Raw
    view: CloneSet
    pods: Sequence[Raw]
    inactive: Sequence[Raw]
    claims: Sequence[Raw]
    revisions: Sequence[Raw]
    current: Raw
    update: Raw
    collisions: int
    now: float

    def difference(self, members: Sequence[Member]) -> Difference:
        return calculate(
            self.view,
            members,
            current_revision=name_of(self.current),
            update_revision=name_of(self.update),
        )

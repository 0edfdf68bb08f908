"""What a pass over a set does, one step after the other (advanced-statefulset.md §12).

A plan takes for granted that every step succeeds; whoever carries it out ends the pass at the first one that fails.
"""

from dataclasses import dataclass
from enum import StrEnum

from kubectl_kruise.engine.inplace.change import Change
from kubectl_kruise.engine.inplace.execution import Refresh as InPlaceRefresh
from kubectl_kruise.engine.statefulset.member import Member


class Counter(StrEnum):
    """A counter of the status that a step lowers by one within the pass ([ST-3])."""

    CURRENT = "currentReplicas"
    UPDATED = "updatedReplicas"


@dataclass(frozen=True, slots=True)
class Create:
    """Create the claims of the member, then its pod, then see to it who owns the claims."""

    member: Member


@dataclass(frozen=True, slots=True)
class EnsureClaims:
    """Create those claims of a pending pod that are missing, and see to it who owns them."""

    member: Member


@dataclass(frozen=True, slots=True)
class OwnClaims:
    """See to it who owns the claims of a pod that is to go (§16.3)."""

    member: Member


@dataclass(frozen=True, slots=True)
class Refresh:
    """Bring an in-place update and the lifecycle a step forward; `state` is the new one, "" where it stays."""

    member: Member
    in_place: InPlaceRefresh
    state: str


@dataclass(frozen=True, slots=True)
class Repair:
    """Give the pod the labels, volumes and owners of claims that its place asks for ([I-7])."""

    member: Member


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete the pod through the API."""

    member: Member
    reason: str
    lowers: Counter | None = None


@dataclass(frozen=True, slots=True)
class PrepareDelete:
    """Move to PreparingDelete, because a preDelete hook holds the pod; `enters` is False where it is there already."""

    member: Member
    reason: str

    @property
    def enters(self) -> bool:
        return self.member.state != "PreparingDelete"


@dataclass(frozen=True, slots=True)
class PrepareUpdate:
    """Move to PreparingUpdate; `rehook` puts the hook's labels and finalizers back."""

    member: Member
    rehook: bool
    lowers: Counter | None = None


@dataclass(frozen=True, slots=True)
class InPlace:
    """Change the pod as it is, and expect to see it with its new revision before anything else is updated."""

    member: Member
    change: Change
    lowers: Counter | None = None


@dataclass(frozen=True, slots=True)
class ResizeClaims:
    """Let the claims of the pod grow to the size of their templates ([V-33])."""

    member: Member


@dataclass(frozen=True, slots=True)
class Hold:
    """Leave the pod as it is, and count it as one that is being updated."""

    member: Member
    reason: str
    lowers: Counter | None = None


@dataclass(frozen=True, slots=True)
class Fail:
    """End the pass with an error."""

    message: str
    member: Member | None = None


Step = (
    Create
    | EnsureClaims
    | OwnClaims
    | Refresh
    | Repair
    | Delete
    | PrepareDelete
    | PrepareUpdate
    | InPlace
    | ResizeClaims
    | Hold
    | Fail
)


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a pass ends before its last phase, in words for a user; `member` is the pod that it waits for."""

    reason: str
    member: Member | None = None


@dataclass(frozen=True, slots=True)
class Phase:
    """Steps in order; `stop` ends the pass behind them.

    `together`: the steps are independent, and go out in batches of 1, 2, 4, … until one fails. `wait` is the seconds
    after which time alone may change the outcome, 0 where it cannot. `held` says what was left undone although the
    pass goes on.
    """

    steps: tuple[Step, ...] = ()
    stop: Stop | None = None
    wait: float = 0.0
    together: bool = False
    held: tuple[Stop, ...] = ()

"""What a pass over a set is decided from (advanced-statefulset.md §12)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kubectl_kruise.engine.statefulset.claims import (
    Lookup,
    all_claims,
    claim_ready,
    compatible,
    completed,
    owners_match,
)
from kubectl_kruise.engine.statefulset.member import Member
from kubectl_kruise.engine.statefulset.ordinals import claim_name
from kubectl_kruise.engine.statefulset.slots import Slots
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet
from kubectl_kruise.objects.raw import Raw, deleting, name_of


@dataclass(frozen=True, slots=True)
class Situation:
    """One set at one moment; `revisions` are the listed ControllerRevisions, `now` is seconds since the epoch.

    `claims` finds a volume claim by its name. `expecting` is the name of a pod whose in-place update to the update
    revision has not been seen yet, "" for none.
    """

    view: AdvancedStatefulSet
    slots: Slots
    current: Raw
    update: Raw
    revisions: Sequence[Raw]
    claims: Lookup
    now: float
    expecting: str = ""

    @property
    def target(self) -> str:
        """Name of the update revision."""
        return name_of(self.update)

    def claims_owned(self, member: Member) -> bool:
        """Say whether the claims of a pod in its place have the owners that the retention policy asks for ([P-26])."""
        return not self.view.claim_templates or owners_match(self.view, member.pod, self.claims)

    def claims_missing(self, member: Member) -> bool:
        """Say whether a claim of the pod is not there, or will not be for long ([V-2], [V-3])."""
        names = (claim_name(name, self.view.name, member.ordinal) for name in self.view.claim_names)
        return any(claim is None or deleting(claim) for claim in map(self.claims, names))

    def volumes_ready(self, member: Member) -> bool:
        """Say whether no claim of the pod waits for its size, where claims grow at all ([P-55] d)."""
        return self._all(member, claim_ready)

    def claims_compatible(self, member: Member) -> bool:
        """Say whether no claim of the pod is to grow or cannot, where claims grow at all ([P-57] a)."""
        return self._all(member, compatible)

    def claims_completed(self, member: Member) -> bool:
        """Say whether all claims of the pod have grown as far as they can while it runs ([V-34])."""
        return self._all(member, completed)

    def _all(self, member: Member, holds: Callable[[Raw, Raw], bool]) -> bool:
        return not self.view.resizes or all_claims(self.view, member.ordinal, self.claims, holds)

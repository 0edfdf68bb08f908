"""How pods of one revision get to the update revision (advanced-statefulset.md §14.1, §14.2)."""

from typing import Final

from kubectl_kruise.engine.inplace.eligibility import Verdict, pick_change
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.facts.policies import IN_PLACE_ONLY, RECREATE
from kubectl_kruise.objects.raw import name_of

_RECREATES: Final = Verdict(None, "the strategy recreates pods")


class Verdicts:
    """Decides once per revision of origin; a pod's revision may no longer be among those that are known."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        self._known: dict[str, Verdict] = {}

    def of(self, revision: str) -> Verdict:
        """Decide for the pods whose label names `revision`."""
        if revision not in self._known:
            self._known[revision] = self._decide(revision)
        return self._known[revision]

    def _decide(self, revision: str) -> Verdict:
        view = self._situation.view
        if view.policy == RECREATE:
            return _RECREATES
        return pick_change(
            next((found for found in self._situation.revisions if name_of(found) == revision), None),
            self._situation.update,
            view.gates,
            grace_seconds=view.grace_seconds,
            in_place_only=view.policy == IN_PLACE_ONLY,
        )

"""One pass over the pods of a native StatefulSet: slots, then those beyond the ordinals, then the update (SS4)."""

from collections.abc import Callable, Sequence

from kubectl_kruise.controllers.writing.slow_start import slow_start
from kubectl_kruise.objects.pod import phase
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.simulation.statefulset.decisions import (
    Members,
    Step,
    condemned_step,
    outdated,
    slot_step,
)
from kubectl_kruise.sandbox.simulation.statefulset.view import NativeSet
from kubectl_kruise.sandbox.simulation.statefulset.writer import SetWriter


class Course:
    """What is due for one set at one instant."""

    def __init__(self, view: NativeSet, members: Members, writer: SetWriter, now: float) -> None:
        self._view, self._members, self._writer, self._now = view, members, writer, now

    def run(self, update: str) -> int:
        """Do it; give how many pods were deleted to be replaced by ones of the revision `update`.

        Scaling goes before updating. Raises the KruiseError of what could not be done, which ends the pass.
        """
        condemned = self._members.condemned
        for pods, act in (
            (self._members.slots, self._slot),
            (condemned, self._claims_of_condemned),
            (condemned, self._condemned),
        ):
            if self._each(pods, act):
                return 0
        pod = outdated(self._view, self._members.slots, update, self._now)
        if pod is None:
            return 0
        self._writer.delete(pod)
        return 1

    def _each(self, pods: Sequence[Raw], act: Callable[[Raw], bool]) -> bool:
        """Act on the pods: of an ordered set until one act says that the pass ends here, of a parallel one on all.

        Say whether it ended.
        """
        if self._view.ordered:
            return any(act(pod) for pod in pods)

        def done(pod: Raw) -> None:
            act(pod)

        outcome = slow_start(pods, done, parallel=1)
        if outcome.failure is not None:
            raise outcome.failure
        return False

    def _slot(self, pod: Raw) -> bool:
        step = slot_step(self._view, pod, self._now)
        if step is Step.DELETE:
            self._writer.delete(pod)
        elif step is Step.CREATE:
            self._writer.create(pod)
        else:
            if phase(pod) == "Pending":
                self._writer.complete_claims(pod)
            if step is Step.KEEP:
                self._writer.correct(pod)
        return step is not Step.KEEP

    def _claims_of_condemned(self, pod: Raw) -> bool:
        self._writer.correct_claims(pod)
        return False

    def _condemned(self, pod: Raw) -> bool:
        step = condemned_step(self._view, pod, self._members.ailing, self._now)
        if step is Step.DELETE:
            self._writer.delete(pod)
        return step is not Step.KEEP

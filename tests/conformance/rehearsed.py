"""What has to have happened before some recordings begin: a StatefulSet that has been handed over to an Advanced one."""

import threading

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.convert.statefulset import statefulset_to_asts
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET, STATEFULSET
from kubectl_kruise.facts.names import MIGRATE_SOURCE
from kubectl_kruise.operations.migrate.flow import adopt
from kubectl_kruise.operations.migrate.journal.beginning import begin_between_sets
from kubectl_kruise.operations.migrate.run import Run
from tests.conformance.comparing.normalise import NAMESPACE
from tests.conformance.stage import Stage


class _Waiting(VirtualClock):
    """The clock of a stage; waiting on it lets everybody there work."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def time(self) -> float:
        return self._stage.sandbox.clock.time()

    def monotonic(self) -> float:
        return self._stage.sandbox.clock.monotonic()

    def wait(self, condition: threading.Condition, seconds: float | None) -> None:
        del condition
        self._stage.sandbox.run(1.0 if seconds is None else seconds)


def hand_over(stage: Stage, name: str) -> None:
    """Give the pods of a StatefulSet to an Advanced one, and leave nothing else behind."""
    run = Run(stage.user, _Waiting(stage), NAMESPACE, parallel=1, settle=0)
    live = stage.user.get(NATIVE_STATEFULSET.path(NAMESPACE, name))
    keeper = begin_between_sets(run, live, statefulset_to_asts(live).obj, {})
    adopt(run, keeper)
    keeper.remove()
    origin = {"metadata": {"annotations": {MIGRATE_SOURCE: None}}}
    stage.user.patch(STATEFULSET.path(NAMESPACE, name), Patch(PatchType.MERGE, origin))
    stage.run_until_quiet()

"""The steps of a migration as its user sees them: fewer than those of the machine, and numbered (cli.md §4.3)."""

from enum import StrEnum
from typing import Final, NamedTuple

from kubectl_kruise.engine.migration.journal import Journal, Mode
from kubectl_kruise.engine.migration.pairs import DEPLOYMENTS, SETS, Pair
from kubectl_kruise.engine.migration.sets import Handing, Sets
from kubectl_kruise.engine.migration.situation import Adopting, Releasing, Situation
from kubectl_kruise.objects.pod import active, ready
from kubectl_kruise.objects.raw import deleting


class Stage(StrEnum):
    """One numbered step; its value is what programs call it."""

    KEEP_CLAIMS = "keep-claims"
    CREATE_TARGET = "create-target"
    LOCK_SOURCE = "lock-source"
    STOP_SOURCE = "stop-source"
    FREE_PODS = "free-pods"
    MOVE_PODS = "move-pods"
    UNLOCK_TARGET = "unlock-target"
    START_TARGET = "start-target"
    REFERENCES = "point-references"
    DELETE_SOURCE = "delete-source"


class Counts(NamedTuple):
    """Pods with the new workload, pods in all, those ready now."""

    moved: int
    total: int
    ready: int


_TOWARDS_CLONESET: Final = (
    Stage.CREATE_TARGET, Stage.FREE_PODS, Stage.MOVE_PODS, Stage.UNLOCK_TARGET, Stage.REFERENCES,
)  # fmt: skip
_TOWARDS_DEPLOYMENT: Final = (
    Stage.LOCK_SOURCE, Stage.FREE_PODS, Stage.MOVE_PODS, Stage.CREATE_TARGET, Stage.DELETE_SOURCE, Stage.REFERENCES,
)  # fmt: skip
_BETWEEN_SETS: Final = (
    Stage.KEEP_CLAIMS, Stage.CREATE_TARGET, Stage.FREE_PODS, Stage.MOVE_PODS, Stage.UNLOCK_TARGET, Stage.REFERENCES,
)  # fmt: skip
_TARGET_LAST: Final = (
    Stage.KEEP_CLAIMS, Stage.FREE_PODS, Stage.CREATE_TARGET, Stage.MOVE_PODS, Stage.UNLOCK_TARGET, Stage.REFERENCES,
)  # fmt: skip
_GRADUALLY: Final = (Stage.CREATE_TARGET, Stage.MOVE_PODS, Stage.REFERENCES, Stage.DELETE_SOURCE)
_BY_ORDINALS: Final = (
    Stage.KEEP_CLAIMS, Stage.CREATE_TARGET, Stage.MOVE_PODS, Stage.REFERENCES, Stage.DELETE_SOURCE,
)  # fmt: skip
_AT_ONCE: Final = (Stage.STOP_SOURCE, Stage.START_TARGET, Stage.REFERENCES, Stage.DELETE_SOURCE)

_STAGES: Final = {
    Adopting.CREATE_TARGET: Stage.CREATE_TARGET,
    Adopting.RELOCK: Stage.CREATE_TARGET,
    Adopting.AWAIT_TARGET: Stage.CREATE_TARGET,
    Adopting.DELETE_DEPLOYMENT: Stage.FREE_PODS,
    Adopting.AWAIT_DEPLOYMENT_GONE: Stage.FREE_PODS,
    Adopting.DELETE_REPLICASET: Stage.FREE_PODS,
    Adopting.MOVE_PODS: Stage.MOVE_PODS,
    Adopting.AWAIT_REPLICASET_GONE: Stage.MOVE_PODS,
    Adopting.UNLOCK: Stage.UNLOCK_TARGET,
    Adopting.SETTLE: Stage.UNLOCK_TARGET,
    Releasing.AWAIT_DEPLOYMENT_GONE: Stage.LOCK_SOURCE,
    Releasing.DROP_HOLD: Stage.FREE_PODS,
    Releasing.LOCK: Stage.LOCK_SOURCE,
    Releasing.AWAIT_LOCK: Stage.LOCK_SOURCE,
    Releasing.RELEASE_PODS: Stage.FREE_PODS,
    Releasing.AWAIT_REPLICASET_GONE: Stage.MOVE_PODS,
    Releasing.CREATE_REPLICASET: Stage.MOVE_PODS,
    Releasing.AWAIT_PODS_OWNED: Stage.MOVE_PODS,
    Releasing.CREATE_DEPLOYMENT: Stage.CREATE_TARGET,
    Releasing.AWAIT_DEPLOYMENT_OWNS: Stage.CREATE_TARGET,
    Releasing.UNPAUSE: Stage.CREATE_TARGET,
    Releasing.DELETE_CLONESET: Stage.DELETE_SOURCE,
    Releasing.DONE: Stage.DELETE_SOURCE,
    Handing.KEEP_CLAIMS: Stage.KEEP_CLAIMS,
    Handing.CREATE_TARGET: Stage.CREATE_TARGET,
    Handing.AWAIT_TARGET_GONE: Stage.CREATE_TARGET,
    Handing.HOLD_TARGET: Stage.CREATE_TARGET,
    Handing.AWAIT_TARGET: Stage.CREATE_TARGET,
    Handing.DELETE_SOURCE: Stage.FREE_PODS,
    Handing.MOVE_PODS: Stage.MOVE_PODS,
    Handing.AWAIT_SOURCE_GONE: Stage.MOVE_PODS,
    Handing.RELABEL: Stage.MOVE_PODS,
    Handing.UNLOCK: Stage.UNLOCK_TARGET,
    Handing.SETTLE: Stage.UNLOCK_TARGET,
}


def stages_of(
    mode: Mode, *, forward: bool, pair: Pair = DEPLOYMENTS, last: bool = False
) -> tuple[Stage, ...]:
    """Give the stages of a migration in their order; one that is undone has those of the other direction.

    `last` says that the new set is created when the old one is gone.
    """
    if mode is Mode.SURGE:
        return _GRADUALLY
    if mode is Mode.HANDOVER:
        return _BY_ORDINALS
    if mode is Mode.RECREATE:
        return (Stage.KEEP_CLAIMS, *_AT_ONCE) if pair is SETS else _AT_ONCE
    if pair is SETS:
        return _TARGET_LAST if last else _BETWEEN_SETS
    return _TOWARDS_CLONESET if forward else _TOWARDS_DEPLOYMENT


def stage_of(step: StrEnum) -> Stage:
    """Give the stage that a step of the machine is part of."""
    return _STAGES[step]


def counts_of(step: StrEnum, now: Situation, journal: Journal) -> Counts:
    """Count the pods that have moved and those that are ready, in the direction in which `step` leads."""
    getting = now.cloneset if isinstance(step, Adopting) else now.replicaset
    there = getting is not None and not (isinstance(step, Releasing) and deleting(getting))
    moved = len(now.owned_by(getting)) if there else 0
    total = max(moved, len(journal.pods) or journal.replicas)
    return Counts(moved, total, sum(1 for pod in now.pods if active(pod) and ready(pod)))


def counts_of_sets(now: Sets, journal: Journal) -> Counts:
    """Count the pods that the new set has, and those that are ready."""
    moved = len(now.owned_by(now.getting))
    total = max(moved, len(journal.pods) or journal.replicas)
    return Counts(moved, total, sum(1 for pod in now.pods if active(pod) and ready(pod)))

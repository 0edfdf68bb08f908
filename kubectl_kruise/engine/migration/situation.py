"""What of a migration is there at the moment, and the step that follows from it (migration.md §5.1.3).

The live state alone decides: a run that was killed goes on as one that never stopped.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from kubectl_kruise.engine.migration.handover import owners_of
from kubectl_kruise.engine.migration.lock import locked
from kubectl_kruise.engine.migration.marks import PodMark
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from kubectl_kruise.facts.names import MIGRATE_HOLD, TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, metadata, owner_uid, uid_of
from kubectl_kruise.objects.workload import Workload


class Situation(NamedTuple):
    """The objects of one migration as they are; None for one that does not exist.

    `replicaset` is the one that has, or had, the pods; `pods` are all that the selector matches.
    """

    deployment: Raw | None
    replicaset: Raw | None
    cloneset: Raw | None
    pods: Sequence[Raw]

    def owned_by(self, owner: Raw | None) -> list[Raw]:
        """Give the active pods whose controller is `owner`."""
        if owner is None:
            return []
        return [pod for pod in self.pods if owner_uid(pod) == uid_of(owner) and active(pod)]

    def naming(self, uid: str) -> list[Raw]:
        """Give the pods that name an owner, as controller or not."""
        return [pod for pod in self.pods if uid in owners_of(pod)]

    @property
    def ownerless(self) -> list[Raw]:
        return [pod for pod in self.pods if not owner_uid(pod) and active(pod)]

    def of(self, marks: Sequence[PodMark]) -> list[Raw]:
        """Give the pods of a snapshot that are still there."""
        uids = {mark.uid for mark in marks}
        return [pod for pod in self.pods if uid_of(pod) in uids]


class Adopting(StrEnum):
    """Steps towards a CloneSet, in their order; each names what it does, and the steps of §5.1.1 it stands for."""

    CREATE_TARGET = "create the CloneSet, locked"  # D2, D3
    RELOCK = "lock the CloneSet again"
    AWAIT_TARGET = "wait until the CloneSet has a revision"  # D4
    DELETE_DEPLOYMENT = "delete the Deployment, its ReplicaSet stays"  # D5, D6
    AWAIT_DEPLOYMENT_GONE = "wait until the Deployment is gone"  # D7
    DELETE_REPLICASET = "delete the ReplicaSet, its pods stay"  # D8
    MOVE_PODS = "give the pods to the CloneSet"  # D9
    AWAIT_REPLICASET_GONE = "wait until the ReplicaSet is gone"  # D10
    UNLOCK = "check every pod, then unlock the CloneSet"  # D11, D12, D13
    SETTLE = "watch that every pod stays"  # D14


class Heirs(NamedTuple):
    """By what the pods that have to come along are known: `marks`, () before the snapshot, and their ReplicaSet.

    `old` is its uid, `template_hash` the label of its pods: those that it made after the snapshot come along too.
    """

    marks: Sequence[PodMark] = ()
    old: str = ""
    template_hash: str = ""


def next_adopting(now: Situation, heirs: Heirs) -> Adopting:
    """Give the step towards the CloneSet."""
    cloneset = now.cloneset
    if cloneset is None:
        return Adopting.CREATE_TARGET
    if now.deployment is not None and not deleting(now.deployment):
        if not locked(cloneset):
            return Adopting.RELOCK
        return Adopting.DELETE_DEPLOYMENT if knows_revision(cloneset) else Adopting.AWAIT_TARGET
    if now.deployment is not None:
        return Adopting.AWAIT_DEPLOYMENT_GONE
    if now.replicaset is not None and not deleting(now.replicaset):
        if not locked(cloneset):
            return Adopting.RELOCK
        return Adopting.DELETE_REPLICASET if knows_revision(cloneset) else Adopting.AWAIT_TARGET
    if to_move(now, heirs):
        if not locked(cloneset):
            return Adopting.RELOCK
        return Adopting.MOVE_PODS if knows_revision(cloneset) else Adopting.AWAIT_TARGET
    if now.replicaset is not None:
        return Adopting.AWAIT_REPLICASET_GONE
    return Adopting.UNLOCK if locked(cloneset) else Adopting.SETTLE


def to_move(now: Situation, heirs: Heirs) -> list[Raw]:
    """Give the pods that are not the CloneSet's yet, or that still name the ReplicaSet besides."""
    target = uid_of(now.cloneset) if now.cloneset else ""
    known = {mark.uid for mark in heirs.marks}

    def comes_along(pod: Raw) -> bool:
        left_behind = not owner_uid(pod) and labels_of(pod).get(TEMPLATE_HASH_LABEL) == heirs.template_hash
        return uid_of(pod) in known or heirs.old in owners_of(pod) or (bool(known) and left_behind)

    return [
        pod
        for pod in now.pods
        if active(pod) and comes_along(pod) and (owner_uid(pod) != target or heirs.old in owners_of(pod))
    ]


def knows_revision(cloneset: Raw) -> bool:
    """Say whether a controller has seen the CloneSet as it stands, and named its revision (§5.1.1 D4)."""
    workload = Workload(cloneset, CLONESET)
    return workload.observed and bool(workload.update_revision)


class Releasing(StrEnum):
    """Steps towards a Deployment, in their order (§5.1.2, §5.3)."""

    AWAIT_DEPLOYMENT_GONE = "wait until the Deployment that is being deleted is gone"
    DROP_HOLD = "let go of the ReplicaSet"
    LOCK = "lock the CloneSet"
    AWAIT_LOCK = "wait until the CloneSet is locked"
    RELEASE_PODS = "take the pods from the CloneSet"
    AWAIT_REPLICASET_GONE = "wait until the ReplicaSet that is being deleted is gone"
    CREATE_REPLICASET = "create a ReplicaSet for the pods"
    AWAIT_PODS_OWNED = "wait until the ReplicaSet has every pod"
    CREATE_DEPLOYMENT = "create the Deployment, paused"
    AWAIT_DEPLOYMENT_OWNS = "wait until the Deployment has the ReplicaSet"
    UNPAUSE = "let the Deployment work"
    DELETE_CLONESET = "delete the CloneSet, which has no pod any more"
    DONE = "done"


def crowded(now: Situation, template_hash: str) -> bool:
    """Say whether a Deployment is there that cannot be this migration's: its own is made when the pods have an owner.

    It would take the pods that are to be released, or those that it has made itself in their place would be too many.
    """
    if now.deployment is None or deleting(now.deployment):
        return False
    homeless = now.replicaset is None or deleting(now.replicaset) or bool(now.ownerless)
    return homeless or bool(to_release(now, template_hash))


def held(replicaset: Raw) -> bool:
    """Say whether our hold finalizer keeps an object."""
    return MIGRATE_HOLD in (metadata(replicaset).get("finalizers") or [])


def to_release(now: Situation, template_hash: str) -> list[Raw]:
    """Give the pods that still name the CloneSet, or a ReplicaSet that is being deleted.

    Those without owner belong to them where the ReplicaSet of `template_hash` would not take them.
    """
    old = {uid_of(each) for each in (now.cloneset, _going(now.replicaset)) if each is not None}
    return [
        pod
        for pod in now.pods
        if active(pod)
        and (
            old & owners_of(pod)
            or (not owner_uid(pod) and labels_of(pod).get(TEMPLATE_HASH_LABEL) != template_hash)
        )
    ]


def next_releasing(now: Situation, template_hash: str, *, paused: bool) -> Releasing:
    """Give the step towards the Deployment; `paused` is what its spec shall say in the end."""
    deployment, replicaset, cloneset, _ = now
    if deployment is not None and deleting(deployment):
        return Releasing.AWAIT_DEPLOYMENT_GONE
    if replicaset is not None and not deleting(replicaset) and held(replicaset):
        return Releasing.DROP_HOLD
    if to_release(now, template_hash):
        if cloneset is not None and not deleting(cloneset):
            if not locked(cloneset):
                return Releasing.LOCK
            if not Workload(cloneset, CLONESET).observed:
                return Releasing.AWAIT_LOCK
        return Releasing.RELEASE_PODS
    if replicaset is not None and deleting(replicaset):
        return Releasing.DROP_HOLD if held(replicaset) else Releasing.AWAIT_REPLICASET_GONE
    return _rebuilt(now, paused=paused)


def _rebuilt(now: Situation, *, paused: bool) -> Releasing:
    deployment, replicaset, cloneset, _ = now
    if replicaset is None:
        return Releasing.CREATE_REPLICASET
    if now.ownerless:
        return Releasing.AWAIT_PODS_OWNED
    if deployment is None:
        return Releasing.CREATE_DEPLOYMENT
    if not recognised(deployment, replicaset):
        return Releasing.AWAIT_DEPLOYMENT_OWNS
    if bool(dig(deployment, ("spec", "paused"))) != paused:
        return Releasing.UNPAUSE
    return Releasing.DELETE_CLONESET if cloneset is not None else Releasing.DONE


def recognised(deployment: Raw, replicaset: Raw) -> bool:
    """Say whether a Deployment has taken a ReplicaSet as the one of its template, and has counted its pods."""
    status = deployment.get("status") or {}
    observed = Workload(deployment, DEPLOYMENT).observed
    return (
        owner_uid(replicaset) == uid_of(deployment)
        and observed
        and status.get("updatedReplicas", 0) == dig(replicaset, ("spec", "replicas"), 1)
    )


def _going(replicaset: Raw | None) -> Raw | None:
    return replicaset if replicaset is not None and deleting(replicaset) else None

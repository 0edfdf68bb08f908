"""The Deployment controller: rolls a template out over ReplicaSets (DR1 to DR7)."""

from collections.abc import Sequence

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.informer import controlled_or_free
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.facts.kinds import DEPLOYMENT, REPLICASET
from kubectl_kruise.objects.pod import finished
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, namespace_of, owner_of, uid_of
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.sandbox.simulation.caches import BY_OWNER, Caches
from kubectl_kruise.sandbox.simulation.deployment import sizes
from kubectl_kruise.sandbox.simulation.deployment.annotations import desired_of
from kubectl_kruise.sandbox.simulation.deployment.rollout import Rollout, Writer, by_age
from kubectl_kruise.sandbox.simulation.deployment.status import (
    TIMED_OUT_REASON,
    complete,
    deployment_status,
    has_deadline,
    judge_progress,
    next_check,
    progressing,
)
from kubectl_kruise.sandbox.simulation.ownership import Claims


class Deployments:
    """Keyed by Deployment."""

    name = "deployment-controller"
    workers = 2

    def __init__(self, cluster: Cluster, clock: Clock, caches: Caches) -> None:
        self._clock = clock
        self._deployments, self._sets, self._pods = caches.deployments, caches.replicasets, caches.pods
        self._writer = Writer(cluster, clock, self.name)
        self._claims = Claims(cluster, DEPLOYMENT, REPLICASET)
        self.queue = Queue(clock)
        self.informers = (self._deployments, self._sets, self._pods)
        self._deployments.on_change(lambda old, new: self.queue.add(key_of(new or old or {})))
        self._sets.on_change(self._set_changed)
        self._pods.on_change(self._pod_changed)

    def reconcile(self, key: Key) -> float | None:
        deployment = self._deployments.get(key)
        if deployment is None:
            return None
        candidates = controlled_or_free(self._sets, BY_OWNER, uid_of(deployment), key.namespace)
        sets = by_age(self._claims.claim(deployment, candidates))
        rollout = Rollout(self._writer, deployment, sets)
        if deleting(deployment):
            self._write_counters(rollout)
            return None
        self._note_pause(rollout)
        if dig(deployment, ("spec", "paused")) or _resized(deployment, sets):
            rollout.find_new()
            rollout.scale()
            if dig(deployment, ("spec", "paused")):
                rollout.trim_history()
            self._write_counters(rollout)
            return None
        self._roll(rollout)
        return self._write_progress(rollout)

    def _set_changed(self, old: Raw | None, new: Raw | None) -> None:
        replicaset = new or old or {}
        owners = [owner for each in (old, new) if each is not None and (owner := owner_of(each)) is not None]
        for owner in owners:
            if owner.get("kind") == DEPLOYMENT.kind:
                self.queue.add(Key(namespace_of(replicaset), owner["name"]))
        if new is not None and owner_of(new) is None and not deleting(new):
            for deployment in self._deployments.all(namespace_of(new)):
                if selector_of(dig(deployment, ("spec", "selector"))).matches(labels_of(new)):
                    self.queue.add(key_of(deployment))

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        """Only Recreate waits for pods to be gone; all else comes through the status of the ReplicaSets."""
        if new is not None or old is None:
            return
        owner = owner_of(old)
        replicaset = self._sets.get(Key(namespace_of(old), owner["name"])) if owner is not None else None
        deployment = owner_of(replicaset) if replicaset is not None else None
        if deployment is not None:
            self.queue.add(Key(namespace_of(old), deployment["name"]))

    def _note_pause(self, rollout: Rollout) -> None:
        """Mark in Progressing that the clock stands still, and that it runs again."""
        found = progressing(rollout.deployment)
        if not has_deadline(rollout.deployment) or (
            found is not None and found.get("reason") == TIMED_OUT_REASON
        ):
            return
        paused = bool(dig(rollout.deployment, ("spec", "paused")))
        noted = found is not None and found.get("reason") == "DeploymentPaused"
        if paused and not noted:
            rollout.set_progressing("Unknown", "DeploymentPaused", "Deployment is paused")
        elif not paused and noted:
            rollout.set_progressing("Unknown", "DeploymentResumed", "Deployment is resumed")

    def _roll(self, rollout: Rollout) -> None:
        if sizes.recreates(rollout.deployment):
            rollout.find_new()
            if rollout.shrink_to_nothing() or self._old_pods_left(rollout):
                return
            rollout.find_new(create=True)
            rollout.grow_new()
        else:
            rollout.find_new(create=True)
            if rollout.grow_new() or rollout.shrink_old():
                return
        if complete(rollout.deployment, dig(rollout.deployment, ("status",), {})):
            rollout.trim_history()

    def _old_pods_left(self, rollout: Rollout) -> bool:
        return any(dig(each, ("status", "replicas"), 0) for each in rollout.old) or any(
            not finished(pod) for each in rollout.old for pod in self._pods.indexed(BY_OWNER, uid_of(each))
        )

    def _write_counters(self, rollout: Rollout) -> None:
        rollout.find_new()
        status = deployment_status(rollout.deployment, rollout.all, rollout.new, self._clock.time())
        rollout.write_status(status)

    def _write_progress(self, rollout: Rollout) -> float | None:
        now = self._clock.time()
        status = deployment_status(rollout.deployment, rollout.all, rollout.new, now)
        judge_progress(rollout.deployment, status, rollout.all, rollout.new, now)
        # A written status brings the key back; only one that stands still has to be watched by the clock.
        return None if rollout.write_status(status) else next_check(rollout.deployment, status, now)


def _resized(deployment: Raw, sets: Sequence[Raw]) -> bool:
    """Say whether the number of replicas has changed since an active ReplicaSet was last touched."""
    wanted = sizes.limits_of(deployment).replicas
    return any(
        sizes.size_of(each) and (desired := desired_of(each)) is not None and desired != wanted
        for each in sets
    )

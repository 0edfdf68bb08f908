"""Give the pods of a CloneSet to a Deployment, the undo of an adoption as well as the way back (migration.md §5.1.2, §5.3).

Each function does one step; which one comes next is decided from the live state alone (`engine.migration.situation`).
"""

import copy
from collections.abc import Callable, Mapping
from typing import Final

from kubectl_kruise.cluster.manager import manager_holder
from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.handover import release_patch
from kubectl_kruise.engine.migration.lock import lock_patch
from kubectl_kruise.engine.migration.situation import Releasing, Situation, recognised, to_release
from kubectl_kruise.errors import KruiseError, NotAllowedError, NotFoundError, TimedOutError
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.names import TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, name_of, owner_uid, uid_of, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.guards import delete_alone, let_go
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, await_gone, await_that, fetch, list_pods
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import NoManagerError

LOCK_SECONDS: Final = 60.0

SETTLE_SECONDS: Final = 5.0
"""Until every cache of the ReplicaSet controller has seen the pods without owner: it would create more otherwise."""


class Release:
    """The steps of one migration towards a Deployment; `deployment` is its manifest as it shall be in the end."""

    def __init__(self, run: Run, keeper: Keeper, deployment: Raw) -> None:
        self.run = run
        self.keeper = keeper
        self.deployment = deployment
        self.unwatched = False
        """Whether nobody works on CloneSets, so that no lock is ever seen."""
        self.freed_at: list[float] = []
        self.ownerless: list[float] = []
        """Seconds from each pod's release by this run until all pods were seen with their new owner."""

    @property
    def steps(self) -> Mapping[Releasing, Callable[[Situation], None]]:
        return {
            Releasing.AWAIT_DEPLOYMENT_GONE: self.await_deployment_gone,
            Releasing.DROP_HOLD: self.drop_hold,
            Releasing.LOCK: self.lock,
            Releasing.AWAIT_LOCK: self.await_lock,
            Releasing.RELEASE_PODS: self.release_pods,
            Releasing.AWAIT_REPLICASET_GONE: self.await_replicaset_gone,
            Releasing.CREATE_REPLICASET: self.create_replicaset,
            Releasing.AWAIT_PODS_OWNED: self.await_pods_owned,
            Releasing.CREATE_DEPLOYMENT: self.create_deployment,
            Releasing.AWAIT_DEPLOYMENT_OWNS: self.await_deployment_owns,
            Releasing.UNPAUSE: self.unpause,
            Releasing.DELETE_CLONESET: self.delete_cloneset,
        }

    @property
    def paths(self) -> Paths:
        return Paths(self.run.namespace, self.keeper.journal)

    @property
    def template_hash(self) -> str:
        """The `pod-template-hash` that all pods shall carry, that of their ReplicaSet."""
        return labels_of(self.keeper.journal.replicaset)[TEMPLATE_HASH_LABEL]

    @property
    def paused(self) -> bool:
        return bool(dig(self.deployment, ("spec", "paused")))

    def await_deployment_gone(self, now: Situation) -> None:
        del now
        await_gone(self.run, self.paths.native, "the Deployment")

    def drop_hold(self, now: Situation) -> None:
        let_go(self.run, self.paths.replicaset, now.replicaset)

    def lock(self, now: Situation) -> None:
        assert now.cloneset is not None  # noqa: S101 - decided so
        self.run.cluster.patch(self.paths.kruise, Patch(PatchType.MERGE, lock_patch(now.cloneset)))

    def await_lock(self, now: Situation) -> None:
        """Wait until whoever works on the CloneSet has seen the lock.

        Where nobody has, and no manager is alive as its lease tells, nobody will: the way back is open without one
        (§5.3, §5.4), for whoever comes up later finds the CloneSet locked.
        """
        assert now.cloneset is not None  # noqa: S101 - decided so
        try:
            await_that(
                self.run,
                self.paths.kruise,
                lambda live: Workload(live, CLONESET).observed,
                "the CloneSet to be locked",
                seconds=LOCK_SECONDS,
            )
        except TimedOutError:
            if self.nobody_works():
                self.unwatched = True
                self.run.tell("nobody works on CloneSets: goes on without being seen")
                return
            raise NoManagerError(
                f'no controller has seen the lock of CloneSet "{name_of(now.cloneset)}" within {LOCK_SECONDS:g}s',
                hint="run: kubectl kruise controller run",
            ) from None

    def nobody_works(self) -> bool:
        try:
            return not manager_holder(self.run.cluster, self.run.clock.time())
        except NotAllowedError:
            return False

    def release_pods(self, now: Situation) -> None:
        """Take the owner from every pod by one patch each, and give it the label of its ReplicaSet."""
        old = [
            uid_of(each) for each in (now.cloneset, self.keeper.journal.replicaset) if each and uid_of(each)
        ]
        failures: list[KruiseError] = []

        def release(pod: Raw) -> None:
            patch = Patch(PatchType.STRATEGIC, release_patch(pod, old, self.template_hash))
            try:
                self.run.cluster.patch(self.paths.pod(name_of(pod)), patch)
            except NotFoundError:
                return  # gone by itself: the ReplicaSet makes another one
            except KruiseError as error:
                failures.append(error)
            else:
                self.freed_at.append(self.run.clock.monotonic())

        self.run.each(to_release(now, self.template_hash), release)
        if failures:
            raise failures[0]

    def await_replicaset_gone(self, now: Situation) -> None:
        del now
        await_gone(self.run, self.paths.replicaset, "the ReplicaSet that is being deleted")

    def create_replicaset(self, now: Situation) -> None:
        """Create the ReplicaSet that takes the pods, under the name its Deployment will look for."""
        self.run.wait(SETTLE_SECONDS)
        body = copy.deepcopy(self.keeper.journal.replicaset)
        body["metadata"].pop("uid", None)
        body["spec"]["replicas"] = self.replicas(now)
        self.run.cluster.create(self.paths.replicasets, body)

    def replicas(self, now: Situation) -> int:
        """Give how many pods there shall be: what the CloneSet says as long as there is one."""
        if now.cloneset is not None:
            return int(dig(now.cloneset, ("spec", "replicas"), 1))
        noted = int(dig(self.deployment, ("spec", "replicas"), 1))
        return noted if now.replicaset is None else int(dig(now.replicaset, ("spec", "replicas"), 1))

    def await_pods_owned(self, now: Situation) -> None:
        """Wait until the ReplicaSet has taken every pod."""
        assert now.replicaset is not None  # noqa: S101 - decided so

        def owned() -> bool | None:
            pods = [pod for pod in list_pods(self.run, self.keeper.journal) if active(pod)]
            return True if all(owner_uid(pod) for pod in pods) else None

        self.run.until(owned, "the ReplicaSet to take every pod")
        now_owned = self.run.clock.monotonic()
        self.ownerless += [now_owned - freed for freed in self.freed_at]
        self.freed_at = []

    def create_deployment(self, now: Situation) -> None:
        """Create the Deployment paused: it takes the ReplicaSet, and makes none of its own."""
        body = copy.deepcopy(self.deployment)
        body["spec"]["paused"] = True
        body["spec"]["replicas"] = self.replicas(now)
        self.run.cluster.create(self.paths.natives, body)

    def await_deployment_owns(self, now: Situation) -> None:
        """Wait until the Deployment has taken the ReplicaSet as that of its template; paused, it does no harm."""
        del now

        def taken() -> bool | None:
            deployment = fetch(self.run, self.paths.native)
            replicaset = fetch(self.run, self.paths.replicaset)
            found = deployment is not None and replicaset is not None and recognised(deployment, replicaset)
            return True if found else None

        self.run.until(taken, "the Deployment to take the ReplicaSet")

    def unpause(self, now: Situation) -> None:
        assert now.deployment is not None  # noqa: S101 - decided so
        body = {
            "metadata": {"resourceVersion": version_of(now.deployment)},
            "spec": {"paused": self.paused or None},
        }
        self.run.cluster.patch(self.paths.native, Patch(PatchType.MERGE, body))

    def delete_cloneset(self, now: Situation) -> None:
        """Delete the CloneSet, which has no pod any more, and wait until it is gone."""
        assert now.cloneset is not None  # noqa: S101 - decided so
        if not deleting(now.cloneset):
            delete_alone(self.run, self.paths.kruise, now.cloneset, any_version=True)
        await_gone(self.run, self.paths.kruise, "the CloneSet")

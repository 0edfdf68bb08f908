"""Hand the pods of a Deployment to a CloneSet, none of them deleted, created or restarted (migration.md §5.1.1).

Each function does one step; which one comes next is decided from the live state alone (`engine.migration.situation`).
"""

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.cloneset.creation import ID_LENGTH
from kubectl_kruise.engine.migration.handover import adoption_patch, instance_ids
from kubectl_kruise.engine.migration.journal import Phase
from kubectl_kruise.engine.migration.lock import lock_patch, unlock_patch, with_lock
from kubectl_kruise.engine.migration.manifests import bookkeeping, manifest_of, same_template
from kubectl_kruise.engine.migration.marks import PodMark, compare_marks, mark_of
from kubectl_kruise.engine.migration.situation import (
    Adopting,
    Heirs,
    Situation,
    held,
    knows_revision,
    to_move,
)
from kubectl_kruise.engine.migration.stages import Stage, counts_of
from kubectl_kruise.errors import KruiseError, TimedOutError
from kubectl_kruise.facts.kinds import CLONESET, REPLICASET
from kubectl_kruise.facts.names import (
    INSTANCE_ID_LABEL,
    MIGRATE_HOLD,
    RANDOM_LETTERS,
)
from kubectl_kruise.objects.pod import active, short_hash
from kubectl_kruise.objects.raw import (
    Raw,
    dig,
    labels_of,
    metadata,
    name_of,
    owner_uid,
    uid_of,
    version_of,
)
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.probing import probe_target
from kubectl_kruise.operations.migrate.guards import await_age, delete_alone, let_go, unprotect
from kubectl_kruise.operations.migrate.handover.giving import give_pods
from kubectl_kruise.operations.migrate.handover.targets import MANAGER_SECONDS, refusal
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import (
    Paths,
    await_gone,
    await_that,
    fetch,
    heirs_of,
    list_pods,
)
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import ChangedError, NoManagerError

RECOUNT_SECONDS: Final = 3.0
"""Between two looks at all pods while a controller counts them: a list of many costs more than the wait."""

SEEN_SECONDS: Final = 3.0
"""Where nobody works on ReplicaSets, nobody makes pods either; meanwhile the pods have no owner."""

LABEL_MAX: Final = 63


class Adoption:
    """The steps of one migration towards a CloneSet."""

    def __init__(self, run: Run, keeper: Keeper) -> None:
        self.run = run
        self.keeper = keeper
        self.freed_at: float | None = None
        self.ownerless: list[float] = []
        """Seconds that each pod moved by this run was without owner; () where another run had freed them."""

    @property
    def old(self) -> str:
        """The uid of the ReplicaSet that has, or had, the pods."""
        return uid_of(self.keeper.journal.replicaset)

    @property
    def heirs(self) -> Heirs:
        return heirs_of(self.keeper.journal)

    @property
    def steps(self) -> Mapping[Adopting, Callable[[Situation], None]]:
        return {
            Adopting.CREATE_TARGET: self.create_target,
            Adopting.RELOCK: self.relock,
            Adopting.AWAIT_TARGET: self.await_target,
            Adopting.DELETE_DEPLOYMENT: self.delete_deployment,
            Adopting.AWAIT_DEPLOYMENT_GONE: self.await_deployment_gone,
            Adopting.DELETE_REPLICASET: self.delete_replicaset,
            Adopting.MOVE_PODS: self.move_pods,
            Adopting.AWAIT_REPLICASET_GONE: self.await_replicaset_gone,
            Adopting.UNLOCK: self.unlock,
        }

    @property
    def paths(self) -> Paths:
        return Paths(self.run.namespace, self.keeper.journal)

    def create_target(self, now: Situation) -> None:
        """Create the CloneSet with as many replicas as the source has, locked: D2 and D3.

        While the source lives the server is asked first, and what it would lose; later nothing may stop it.
        """
        journal = self.keeper.journal
        body = with_lock(journal.kruise_manifest)
        body["spec"]["replicas"] = _replicas(now, journal.replicas)
        if journal.forward:
            body["metadata"].setdefault("annotations", {}).update(bookkeeping(journal))
        if now.deployment is not None:
            self.probe(body)
        self.run.cluster.create(self.paths.kruises, body)

    def probe(self, body: Raw) -> None:
        """Let the server judge the CloneSet: D2. Where it refuses, nothing has been done, and no journal is left."""
        try:
            probe_target(self.run.cluster, self.paths.kruises, body)
        except KruiseError as error:
            if refusal(error) and self.keeper.journal.forward:
                self.keeper.remove()
            raise

    def relock(self, now: Situation) -> None:
        """Lock a CloneSet that somebody has unlocked."""
        assert now.cloneset is not None  # noqa: S101 - decided so
        self.run.cluster.patch(self.paths.kruise, Patch(PatchType.MERGE, lock_patch(now.cloneset)))

    def await_target(self, now: Situation) -> None:
        """Wait until a controller has named the revision: D4. Where none does, everything is as before."""
        try:
            await_that(
                self.run,
                self.paths.kruise,
                knows_revision,
                "a controller to look at the CloneSet",
                seconds=MANAGER_SECONDS,
            )
        except TimedOutError:
            name = name_of(self.keeper.journal.kruise_manifest)
            if self.abandon(now):
                raise NoManagerError(
                    f'no controller has looked at CloneSet "{name}" within {MANAGER_SECONDS:g}s: it is deleted again,'
                    " and the Deployment is as it was",
                    hint="install Kruise, or run: kubectl kruise controller run",
                ) from None
            raise NoManagerError(
                f'no controller has looked at CloneSet "{name}" within {MANAGER_SECONDS:g}s',
                hint="run it again when one does; --rollback gives the pods back to a Deployment",
            ) from None

    def abandon(self, now: Situation) -> bool:
        """Delete a target that was made in vain, and the journal; says whether everything is as before now."""
        made_here = self.keeper.journal.forward and now.deployment is not None and now.cloneset is not None
        if not made_here or now.cloneset is None or now.owned_by(now.cloneset):
            return False
        delete_alone(self.run, self.paths.kruise, now.cloneset, any_version=True)
        self.keeper.remove()
        return True

    def delete_deployment(self, now: Situation) -> None:
        """Check once more, note every pod, delete the Deployment alone: D5 and D6."""
        deployment, journal = now.deployment, self.keeper.journal
        assert deployment is not None  # noqa: S101 - decided so
        stale = now.replicaset is not None and not same_template(deployment, now.replicaset)
        noted = journal.source_manifest
        if stale or (journal.forward and _but_replicas(deployment) != _but_replicas(noted)):
            self.abandon(now)
            raise ChangedError(
                f'deployment "{name_of(deployment)}" was changed meanwhile: nothing was done',
                hint="run it again, when its rollout has ended",
            )
        if self.raise_replicas(now, dig(deployment, ("spec", "replicas"), 1)):
            return
        if self.old:
            replicaset = self.await_complete(deployment)
            await_age(self.run, [deployment, replicaset], "the ReplicaSet")
            self.keeper.write(replicaset=manifest_of(replicaset, uid=True))
        pods = [pod for pod in list_pods(self.run, journal) if owner_uid(pod) == self.old and active(pod)]
        self.keeper.write(pods=[mark_of(pod) for pod in pods], phase=Phase.ARMED)
        delete_alone(self.run, self.paths.native, unprotect(self.run, journal, self.paths.native, deployment))

    def raise_replicas(self, now: Situation, replicas: int) -> bool:
        """Let the still empty CloneSet have as many replicas as the source, which somebody has scaled."""
        assert now.cloneset is not None  # noqa: S101 - decided so
        if dig(now.cloneset, ("spec", "replicas"), 1) == replicas:
            return False
        body = {"metadata": {"resourceVersion": version_of(now.cloneset)}, "spec": {"replicas": replicas}}
        self.run.cluster.patch(self.paths.kruise, Patch(PatchType.MERGE, body))
        return True

    def keep_room(self, now: Situation, pods: int) -> bool:
        """Let the CloneSet stand for this many pods at least: what it has above its replicas it deletes, locked or not."""
        assert now.cloneset is not None  # noqa: S101 - decided so
        wanted = dig(now.cloneset, ("spec", "replicas"), 1)
        return wanted < pods and self.raise_replicas(now, pods)

    def await_complete(self, deployment: Raw) -> Raw:
        """Wait until the ReplicaSet has as many ready pods as it shall; gives it."""
        wanted = dig(deployment, ("spec", "replicas"), 1)
        unready = bool(self.keeper.journal.options.get("allow_unready"))

        def complete(replicaset: Raw) -> bool:
            status = replicaset.get("status") or {}
            count = status.get("replicas", 0) if unready else status.get("readyReplicas", 0)
            return bool(
                dig(replicaset, ("spec", "replicas"), 1) == wanted == status.get("replicas", 0) == count
            )

        return await_that(self.run, self.paths.replicaset, complete, f"{wanted} ready pods of the Deployment")

    def await_deployment_gone(self, now: Situation) -> None:
        """Wait for the collector: D7. Until then, and after it, the ReplicaSet keeps its pods alive."""
        del now
        await_gone(self.run, self.paths.native, "the Deployment")

    def delete_replicaset(self, now: Situation) -> None:
        """Hold the ReplicaSet by a finalizer, delete it alone, and give its pods away at once: D8 and D9."""
        replicaset = now.replicaset
        assert replicaset is not None  # noqa: S101 - decided so
        if owner_uid(replicaset):
            await_that(
                self.run,
                self.paths.replicaset,
                lambda live: not owner_uid(live),
                "the ReplicaSet to be released",
            )
            return
        if uid_of(replicaset) != self.old:
            # A Deployment that somebody made again, and took away again, has left one of the same name to our pods.
            self.keeper.write(replicaset=manifest_of(replicaset, uid=True))
        present = len(now.owned_by(replicaset)) + len(now.owned_by(now.cloneset))
        if self.raise_replicas(now, max(dig(replicaset, ("spec", "replicas"), 1), present)):
            return
        self.keeper.write(pods=self.snapshot(now))
        if not held(replicaset):
            body = {
                "metadata": {
                    "resourceVersion": version_of(replicaset),
                    "finalizers": [*(metadata(replicaset).get("finalizers") or []), MIGRATE_HOLD],
                }
            }
            replicaset = self.run.cluster.patch(self.paths.replicaset, Patch(PatchType.MERGE, body))
        replicaset = unprotect(self.run, self.keeper.journal, self.paths.replicaset, replicaset)
        pods = to_move(now, self.heirs)
        bodies = self.bodies(now, pods)
        delete_alone(self.run, self.paths.replicaset, replicaset)
        self.freed_at = self.run.clock.monotonic()
        self.await_seen_going()
        self.run.tell(str(Adopting.MOVE_PODS))
        self.run.seen(Stage.MOVE_PODS, counts_of(Adopting.MOVE_PODS, now, self.keeper.journal))
        self.hand_over(pods, bodies)

    def snapshot(self, now: Situation) -> list[PodMark]:
        """Give the marks of all pods that have to come along: known ones as first seen, and those made since."""
        known = {mark.uid: mark for mark in self.keeper.journal.pods}
        for pod in now.owned_by(now.replicaset):
            known.setdefault(uid_of(pod), mark_of(pod))
        return list(known.values())

    def move_pods(self, now: Situation) -> None:
        """Give the pods to the CloneSet that an earlier attempt has left: D9."""
        self.await_seen_going()
        pods = to_move(now, self.heirs)
        if not self.keep_room(now, len(now.owned_by(now.cloneset)) + len(pods)):
            self.hand_over(pods, self.bodies(now, pods))

    def await_seen_going(self) -> None:
        """Wait, not for long, until the controller of ReplicaSets has seen that this one is being deleted.

        One that still reads it from a stale cache would make another pod for each that is given away.
        """

        def seen() -> bool | None:
            live = fetch(self.run, self.paths.replicaset)
            return True if live is None or Workload(live, REPLICASET).observed else None

        with suppress(TimedOutError):
            self.run.until(seen, "the ReplicaSet to be seen going", seconds=SEEN_SECONDS)

    def hand_over(self, pods: list[Raw], bodies: Mapping[str, Raw]) -> None:
        """Send one patch for each pod; `bodies` has them by uid."""
        give_pods(self.run, self.paths, pods, bodies, "the CloneSet", self.note_given)

    def note_given(self) -> None:
        if self.freed_at is not None:
            self.ownerless.append(self.run.clock.monotonic() - self.freed_at)

    def bodies(self, now: Situation, pods: list[Raw]) -> dict[str, Raw]:
        """Give the patch of each pod, by its uid; all are made before the first is sent."""
        cloneset = now.cloneset
        assert cloneset is not None  # noqa: S101 - decided so
        workload = Workload(cloneset, CLONESET)
        revision = workload.update_revision
        if len(revision) > LABEL_MAX:
            revision = short_hash(revision)
        taken = [labels_of(pod).get(INSTANCE_ID_LABEL, "") for pod in now.owned_by(cloneset)]
        ids, left = instance_ids(pods, taken)
        for pod in left:
            ids[uid_of(pod)] = _fresh_id({*taken, *ids.values()})
        block = bool(self.keeper.journal.options.get("block_owner_deletion", True))
        return {
            uid_of(pod): adoption_patch(pod, [self.old], cloneset, revision, ids[uid_of(pod)], block=block)
            for pod in pods
        }

    def await_replicaset_gone(self, now: Situation) -> None:
        """Let go of the ReplicaSet, whose pods are all moved: D10."""
        let_go(self.run, self.paths.replicaset, now.replicaset)
        await_gone(self.run, self.paths.replicaset, "the ReplicaSet")

    def unlock(self, now: Situation) -> None:
        """Check that the CloneSet counts every pod as updated, then unlock it: D11 to D13."""
        journal = self.keeper.journal
        self.keeper.write(phase=Phase.MOVED)
        adopted = len(now.owned_by(now.cloneset))

        recount = self.run.clock.monotonic() + RECOUNT_SECONDS

        def counted(live: Raw) -> bool:
            """Compare with the pods of the start, now and then with those of now: some may have been evicted."""
            nonlocal recount
            status = live.get("status") or {}
            found = int(status.get("replicas", 0))
            if found != status.get("updatedReplicas", 0):
                return False
            if found == adopted or self.run.clock.monotonic() < recount:
                return found == adopted
            recount = self.run.clock.monotonic() + RECOUNT_SECONDS
            return len(Situation(None, None, live, list_pods(self.run, journal)).owned_by(live)) == found

        waiting_for = f"the CloneSet to count {adopted} pods, all of them updated"
        live = await_that(self.run, self.paths.kruise, counted, waiting_for, seconds=MANAGER_SECONDS)
        losses = compare_marks(journal.pods, now.pods)
        for name in losses.gone:
            self.run.tell(
                f"pod {name} was deleted by somebody else meanwhile: the CloneSet makes another one"
            )
        for name in losses.restarted:
            self.run.tell(f"a container of pod {name} restarted meanwhile, by itself")
        patch = Patch(PatchType.MERGE, unlock_patch(live, journal.kruise_manifest))
        self.run.cluster.patch(self.paths.kruise, patch)


def _replicas(now: Situation, noted: int) -> int:
    """Give the number of pods that the CloneSet has to stand for, never fewer than there are."""
    owner = now.deployment or now.replicaset
    wanted = noted if owner is None else int(dig(owner, ("spec", "replicas"), 1))
    return max(wanted, len(now.owned_by(now.replicaset)))


def _but_replicas(deployment: Raw) -> Raw:
    """Give the spec without what an autoscaler changes, which the CloneSet follows."""
    return {key: value for key, value in deployment["spec"].items() if key != "replicas"}


def _fresh_id(taken: set[str]) -> str:
    while True:
        drawn = "".join(secrets.choice(RANDOM_LETTERS) for _ in range(ID_LENGTH))
        if drawn not in taken:
            return drawn

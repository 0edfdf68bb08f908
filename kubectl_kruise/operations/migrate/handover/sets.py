"""Hand the pods of a StatefulSet to an Advanced StatefulSet of the same name, or back: one way is the other's mirror (migration.md §5.2).

Each function does one step; which one comes next is decided from the live state alone (`engine.migration.sets`).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.handover import relabel_patch, transfer_patch
from kubectl_kruise.engine.migration.journal import Journal, Phase
from kubectl_kruise.engine.migration.manifests import bookkeeping
from kubectl_kruise.engine.migration.marks import PodMark, compare_marks, mark_of
from kubectl_kruise.engine.migration.ordinals import replicas_for
from kubectl_kruise.engine.migration.sets import (
    Aim,
    Handing,
    Sets,
    but_ours,
    former_owners,
    knows_revision,
    next_handing,
    replicas_of,
    revision_of,
    same_template,
    to_move,
    to_relabel,
    whole,
)
from kubectl_kruise.engine.migration.stages import Counts, Stage, counts_of_sets
from kubectl_kruise.engine.migration.stillness import keeping_patch, made_still, still_patch, work_patch
from kubectl_kruise.errors import KruiseError, TimedOutError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import Raw, deleting, name_of, uid_of, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.probing import probe_target
from kubectl_kruise.operations.migrate.guards import await_age, delete_alone, unprotect
from kubectl_kruise.operations.migrate.handover.agreeing import agreed
from kubectl_kruise.operations.migrate.handover.claims import await_unowned, restore_policy
from kubectl_kruise.operations.migrate.handover.driving import Course
from kubectl_kruise.operations.migrate.handover.giving import give_pods
from kubectl_kruise.operations.migrate.handover.ownership import check_changed, check_ours
from kubectl_kruise.operations.migrate.handover.targets import MANAGER_SECONDS, check_manager, refusal
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, await_gone, await_that, fetch, list_pods
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import ChangedError, NoManagerError


class SetHandover:
    """The steps of one migration towards the set of Kruise, or towards the native one."""

    def __init__(self, run: Run, keeper: Keeper, *, to_kruise: bool) -> None:
        self.run = run
        self.keeper = keeper
        self.to_kruise = to_kruise
        self.freed_at: float | None = None
        self.ownerless: list[float] = []
        """Seconds that each pod moved by this run was without owner; () where another run had freed them."""
        self.verified = False
        """Whether this run has compared every pod with what the new set counts."""

    @property
    def course(self) -> Course[Sets, Handing]:
        return Course(self.look, self.decide, self.count, self.steps, Handing.SETTLE)

    @property
    def steps(self) -> Mapping[Handing, Callable[[Sets], None]]:
        return {
            Handing.KEEP_CLAIMS: self.keep_claims,
            Handing.CREATE_TARGET: self.create_target,
            Handing.AWAIT_TARGET_GONE: self.await_target_gone,
            Handing.HOLD_TARGET: self.hold_target,
            Handing.AWAIT_TARGET: self.await_target,
            Handing.DELETE_SOURCE: self.delete_source,
            Handing.MOVE_PODS: self.move_pods,
            Handing.AWAIT_SOURCE_GONE: self.await_source_gone,
            Handing.RELABEL: self.relabel,
            Handing.UNLOCK: self.unlock,
        }

    @property
    def journal(self) -> Journal:
        return self.keeper.journal

    @property
    def kind(self) -> Kind:
        """The kind of the set that gets the pods."""
        return self.journal.pair.kruise if self.to_kruise else self.journal.pair.native

    @property
    def undoing(self) -> bool:
        return self.to_kruise is not self.journal.forward

    @property
    def paths(self) -> Paths:
        return Paths(self.run.namespace, self.journal)

    @property
    def giving(self) -> str:
        return self.paths.native if self.to_kruise else self.paths.kruise

    @property
    def getting(self) -> str:
        return self.paths.kruise if self.to_kruise else self.paths.native

    @property
    def aim(self) -> Aim:
        journal = self.journal
        return Aim(
            self.kind,
            journal.source.name,
            journal.kruise_manifest if self.to_kruise else journal.native_manifest,
            journal.pods,
            bool(journal.options.get("target_last")) and not self.undoing,
            journal.source.uid if self.undoing else "",
        )

    def look(self) -> Sets:
        """Read the set that gives, the one that gets, and the pods last: what follows is right if one moves on meanwhile."""
        giving, getting = fetch(self.run, self.giving), fetch(self.run, self.getting)
        return Sets(giving, getting, list_pods(self.run, self.journal))

    def decide(self, now: Sets) -> Handing:
        check_ours(now, self.journal, to_kruise=self.to_kruise)
        step = next_handing(now, self.aim)
        if step is not Handing.MOVE_PODS:  # pods without owner come first
            check_changed(now, self.aim)
        return step

    def count(self, _: Handing, now: Sets) -> Counts:
        return counts_of_sets(now, self.journal)

    def keep_claims(self, now: Sets) -> None:
        """Let the old set keep every claim, so that nobody owns one while the sets change: T2."""
        assert now.giving is not None  # noqa: S101 - decided so
        self.run.cluster.patch(self.giving, Patch(PatchType.MERGE, keeping_patch(now.giving)))

    def create_target(self, now: Sets) -> None:
        """Create the new set, held, with as many replicas as the old one has: T3 and T4.

        While the old one lives the server is asked first, and what it would lose; later nothing may stop it.
        """
        body = self.target(now)
        self.judge(now, body)
        self.run.cluster.create(self.collection, body)

    def judge(self, now: Sets, body: Raw) -> None:
        """Let the server judge the new set. Where it refuses, everything is as before, and no journal is left."""
        if self.undoing or not now.giver_lives:
            return
        try:
            probe_target(self.run.cluster, self.collection, body)
        except KruiseError as error:
            if refusal(error):
                restore_policy(self.run, self.giving, self.journal.source_manifest)
                self.keeper.remove()
            raise

    @property
    def collection(self) -> str:
        return self.paths.kruises if self.to_kruise else self.paths.natives

    def target(self, now: Sets) -> Raw:
        """Give the new set as it is created: a place for every pod, for it deletes those that have none."""
        aim = self.aim
        body = made_still(aim.wanted, self.kind)
        wanted = self.journal.replicas if now.giving is None else replicas_of(now.giving)
        pods = [pod for pod in now.pods if active(pod)]
        room = replicas_for(body, self.kind, to_move(now._replace(pods=pods), aim))
        body["spec"]["replicas"] = max(wanted, room or 0)
        if self.to_kruise and self.journal.forward:
            body["metadata"].setdefault("annotations", {}).update(bookkeeping(self.journal))
        return body

    def await_target_gone(self, _: Sets) -> None:
        await_gone(self.run, self.getting, "the set that is being deleted")

    def hold_target(self, now: Sets) -> None:
        """Hold a set that somebody has let work, or made himself."""
        assert now.getting is not None  # noqa: S101 - decided so
        self.run.cluster.patch(self.getting, Patch(PatchType.MERGE, still_patch(now.getting, self.kind)))

    def await_target(self, now: Sets) -> None:
        """Wait until a controller has named the revision: T5. Where none does, everything is as before."""
        known = partial(knows_revision, kind=self.kind)
        called = self.kind.called
        waiting_for = f"a controller to look at the {called}"
        try:
            await_that(self.run, self.getting, known, waiting_for, seconds=MANAGER_SECONDS)
        except TimedOutError:
            text = f'no controller has looked at {called} "{name_of(self.aim.wanted)}" within {MANAGER_SECONDS:g}s'
            if self.abandon(now):
                raise NoManagerError(
                    f"{text}: it is deleted again, and the old one is as it was",
                    hint="install Kruise, or run: kubectl kruise controller run",
                ) from None
            raise NoManagerError(text, hint="run it again when one does") from None

    def abandon(self, now: Sets) -> bool:
        """Delete a target that was made in vain, and the journal; says whether everything is as before now."""
        if self.undoing or not now.giver_lives or now.owned_by(now.getting):
            return False
        if now.getting is not None:
            delete_alone(self.run, self.getting, now.getting, any_version=True)
        restore_policy(self.run, self.giving, self.journal.source_manifest)
        self.keeper.remove()
        return True

    def delete_source(self, now: Sets) -> None:
        """Check once more, note every pod, delete the old set alone, and give its pods away at once: T7 and T8."""
        assert now.giving is not None  # noqa: S101 - decided so
        if now.getting is not None and self.aim.never_left(now.getting):
            delete_alone(self.run, self.giving, now.giving)
            return
        if self.resized(now):
            return
        if now.getting is None:
            check_manager(self.run, self.kind)
            self.judge(now, self.target(now))
        live, pods = self.await_ready(now)
        self.keeper.write(pods=self.snapshot(pods), phase=self.phase(Phase.ARMED))
        ready = Sets(live, now.getting, pods)
        bodies = self.bodies(ready, pods) if now.getting is not None else {}
        delete_alone(self.run, self.giving, unprotect(self.run, self.journal, self.giving, live))
        self.freed_at = self.run.clock.monotonic()
        # Another run may have undone everything meanwhile: pods of a set that is gone would be collected.
        if now.getting is not None and self.still_there(now.getting):
            self.run.tell(str(Handing.MOVE_PODS))
            self.run.seen(Stage.MOVE_PODS, self.count(Handing.MOVE_PODS, ready))
            self.give(pods, bodies)

    def still_there(self, getting: Raw) -> bool:
        live = fetch(self.run, self.getting)
        return live is not None and uid_of(live) == uid_of(getting) and not deleting(live)

    def resized(self, now: Sets) -> bool:
        """Let the new set, which owns nothing yet, have as many replicas as the old one, which somebody has scaled."""
        if now.getting is None or now.giving is None:
            return False
        wanted = replicas_of(now.giving)
        room = replicas_for(now.getting, self.kind, now.owned_by(now.giving))
        if room is None:
            raise ChangedError(
                f"the {self.kind.called} has no place for every pod: it would delete the others",
                hint="give it the ordinals of the old set again, and run it again",
            )
        if replicas_of(now.getting) == max(wanted, room):
            return False
        self.scale_target(now.getting, max(wanted, room))
        return True

    def scale_target(self, getting: Raw, replicas: int) -> None:
        body = {"metadata": {"resourceVersion": version_of(getting)}, "spec": {"replicas": replicas}}
        self.run.cluster.patch(self.getting, Patch(PatchType.MERGE, body))

    def await_ready(self, now: Sets) -> tuple[Raw, list[Raw]]:
        """Wait until the old set is whole, old enough, and owns no claim; gives it and its pods as they are then.

        An undo takes it as it is: whatever is wrong with it, the other set mends it.
        """
        live, pods = self.run.until(self.find_whole, "all pods of the old set to be ready")
        await_age(self.run, [live, *pods], "a pod or the old set", since=self.adopted_at())
        await_unowned(self.run, live, pods)
        found = self.find_whole()
        if found is None:
            return self.await_ready(now)
        noted = self.journal.source_manifest
        if not self.undoing and but_ours(found[0]) != but_ours(noted):
            self.abandon(now)
            raise ChangedError(
                f"{Workload(found[0], self.journal.kind).title} was changed meanwhile: nothing was done",
                hint="run it again, when its rollout has ended",
            )
        return found

    def find_whole(self) -> tuple[Raw, list[Raw]] | None:
        """Give the old set and its pods, None where it has not yet as many as it wants."""
        live = self.run.cluster.get(self.giving)
        pods = Sets(live, None, list_pods(self.run, self.journal)).owned_by(live)
        unready = bool(self.journal.options.get("allow_unready"))
        if not self.undoing and not (whole(live, unready=unready) and len(pods) == replicas_of(live)):
            return None
        return live, pods

    def adopted_at(self) -> float:
        """Give when pods last came to the set that is to be deleted, in epoch seconds, 0 where that is long ago."""
        phases = self.journal.phases
        if not self.undoing or Phase.ARMED not in phases:
            return 0.0
        return parse_rfc3339(phases.get(Phase.MOVED, phases.get(Phase.UNDOING))) or 0.0

    def phase(self, reached: Phase) -> Phase:
        """Give the phase to note: an undo stays one."""
        return Phase.UNDOING if self.undoing else reached

    def snapshot(self, pods: Sequence[Raw]) -> list[PodMark]:
        """Give the marks of all pods that have to come along, known ones as first seen; an undo forgets none."""
        known = {mark.uid: mark for mark in self.journal.pods}
        present = {uid_of(pod): known.get(uid_of(pod), mark_of(pod)) for pod in pods}
        return list((known | present if self.undoing else present).values())

    def move_pods(self, now: Sets) -> None:
        """Give the pods to the new set that an earlier attempt has left: T8."""
        assert now.getting is not None  # noqa: S101 - decided so
        pods = to_move(now, self.aim)
        room = replicas_for(now.getting, self.kind, [*pods, *now.owned_by(now.getting)])
        if room is not None and room > replicas_of(now.getting):
            self.scale_target(now.getting, room)
            return
        self.give(pods, self.bodies(now, pods))

    def give(self, pods: Sequence[Raw], bodies: Mapping[str, Raw]) -> None:
        give_pods(self.run, self.paths, pods, bodies, f"the {self.kind.called}", self.note_given)

    def note_given(self) -> None:
        if self.freed_at is not None:
            self.ownerless.append(self.run.clock.monotonic() - self.freed_at)

    def bodies(self, now: Sets, pods: Sequence[Raw]) -> dict[str, Raw]:
        """Give the patch of each pod, by its uid; all are made before the first is sent.

        A set whose template somebody has changed gets them with the label they have: they are not of its revision.
        """
        getting = now.getting
        assert getting is not None  # noqa: S101 - decided so
        revision = revision_of(getting) if same_template(getting, self.aim.wanted) else ""
        block = bool(self.journal.options.get("block_owner_deletion", True))
        given = [uid_of(now.giving)] if now.giving is not None else []
        return {
            uid_of(pod): transfer_patch(
                pod,
                sorted({*given, *former_owners(pod, self.aim.name, uid_of(getting))}),
                getting,
                revision,
                block=block,
            )
            for pod in pods
        }

    def await_source_gone(self, now: Sets) -> None:
        """Wait until the old set does not exist any more: T9; one that somebody makes in its place is another one."""
        old = uid_of(now.giving or {})

        def gone() -> bool | None:
            live = fetch(self.run, self.giving)
            return True if live is None or uid_of(live) != old else None

        self.run.until(gone, "the old set to be gone")

    def relabel(self, now: Sets) -> None:
        """Give the pods that are left the name of the revision, each as it was read: T10."""
        failures: list[KruiseError] = []
        revision = revision_of(now.getting)

        def label(pod: Raw) -> None:
            try:
                patch = Patch(PatchType.STRATEGIC, relabel_patch(pod, revision))
                self.run.cluster.patch(self.paths.pod(name_of(pod)), patch)
            except KruiseError as error:
                failures.append(error)

        self.run.each(to_relabel(now), label)
        if failures:
            raise failures[0]

    def unlock(self, now: Sets) -> None:
        """Let the new set work, when two readings agree that every pod is of its revision: T11 and T12."""
        assert now.getting is not None  # noqa: S101 - decided so
        self.keeper.write(phase=self.phase(Phase.MOVED))
        if not self.aim.never_left(now.getting):
            if not self.agreed():
                return
            self.tell_losses(now)
        live = self.run.cluster.get(self.getting)
        patch = work_patch(live, self.aim.wanted, self.kind)
        self.run.cluster.patch(self.getting, Patch(PatchType.MERGE, patch))

    def agreed(self) -> bool:
        """Compare what the new set counts with its pods, twice; False where its revision has moved meanwhile."""
        self.verified = agreed(self.run, self.journal, self.getting, self.kind)
        return self.verified

    def tell_losses(self, now: Sets) -> None:
        """Say what others have done to the pods meanwhile."""
        losses = compare_marks(self.journal.pods, now.pods)
        for name in losses.gone:
            self.run.tell(f"pod {name} was deleted by somebody else meanwhile: the new set makes it again")
        for name in losses.restarted:
            self.run.tell(f"a container of pod {name} restarted meanwhile, by itself")

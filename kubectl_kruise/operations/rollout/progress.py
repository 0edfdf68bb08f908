"""One rollout as it is followed: object and pods in, verdict and snapshot out. No I/O; the caller tells the time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from kubectl_kruise.cluster.port import Change
from kubectl_kruise.engine.changes.stewards import migration_of, way_on
from kubectl_kruise.engine.counts import Counts, counts_of_status
from kubectl_kruise.engine.pace import estimate
from kubectl_kruise.engine.phases import Phase, PodProgress, Rules
from kubectl_kruise.engine.problems import FailFast, Problem
from kubectl_kruise.engine.verdict import (
    Outcome,
    Pin,
    Until,
    Verdict,
    deadline_exceeded,
    deleted,
    judge,
    timed_out,
)
from kubectl_kruise.facts.kinds import DEPLOYMENT, Kind
from kubectl_kruise.facts.names import (
    DEPLOYMENT_REVISION,
    RELATED_BUDGET,
    REVISION_LABEL,
    TEMPLATE_HASH_LABEL,
)
from kubectl_kruise.objects.pod import same_revision
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, name_of, owner_uid, uid_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.snapshot import Snapshot
from kubectl_kruise.operations.rollout.tally import Tally

ROWS: Final = 100


class Aim(NamedTuple):
    """What the caller waits for. `revision` pins one, by number, name or hash; `limits` None never fails early."""

    until: Until | None = None
    revision: str = ""
    limits: FailFast | None = None


class Known(NamedTuple):
    """What a revision's object tells: its number, and when it was made (epoch seconds)."""

    number: int
    created: float | None = None


Lookup = Callable[[str], Known | None]
"""Reads a revision by name, None where that cannot be done."""


class BudgetLookup(Protocol):
    """Says why a budget lets no pod be updated in place or deleted, "" where it does."""

    def __call__(self, name: str, *, deletes: bool) -> str: ...


StallLookup = Callable[[Workload, Sequence[Raw]], Sequence[str]]
"""Says what holds up the workload with these pods, () where nothing does."""

_ON_THE_WAY: Final = (
    Phase.GRACE, Phase.BATCH, Phase.RESTARTING, Phase.RESIZING, Phase.STARTING, Phase.SETTLING, Phase.TERMINATING,
)  # fmt: skip
_MOST_REASONS: Final = 2


class Progress:
    """The rollout of one object."""

    def __init__(
        self,
        kind: Kind,
        raw: Raw,
        aim: Aim,
        now: float,
        *,
        lookup: Lookup,
        budget: BudgetLookup | None = None,
        stall: StallLookup | None = None,
        context: str = "",
        qualified: bool = False,
    ) -> None:
        self.workload = Workload(raw, kind)
        self.aim = aim
        self.started = now
        self.final: Verdict | None = None
        self.replica_sets: Mapping[str, Raw] = {}
        self._context = context
        self.silence = ""
        self._silent_since = now
        self._qualified = qualified
        self._lookup, self._budget, self._stall = lookup, budget, stall
        self._budgets: set[str] = set()
        self._known: dict[str, Known | None] = {}
        self._seen_unobserved = not self.workload.observed
        self._tally = Tally(_rules(self.workload, ""))
        self._pods_seen = False
        self._last_progress: float | None = None
        self._last_sums: tuple[int, ...] = ()
        self._old_images: dict[str, str] = {}
        self.came_from = ""
        self._remember_origin()

    @property
    def name(self) -> str:
        return self.workload.reference

    @property
    def revision(self) -> str:
        """Name of the update revision; of a Deployment, its newest ReplicaSet."""
        if self.workload.kind is not DEPLOYMENT:
            return self.workload.update_revision
        wanted = annotations_of(self.workload.raw).get(DEPLOYMENT_REVISION, "")
        newest = max(self.replica_sets.values(), key=_replica_set_order(wanted), default=None)
        return name_of(newest) if newest else ""

    def owns(self, pod: Raw) -> bool:
        owner = owner_uid(pod)
        return owner in self.replica_sets if self.replica_sets else owner == self.workload.uid

    def take_replica_sets(self, listed: Iterable[Raw], now: float) -> None:
        """Take a Deployment's ReplicaSets, by which its pods and its newest revision are known."""
        self.replica_sets = {uid_of(each): each for each in listed if owner_uid(each) == self.workload.uid}
        self._tally.adopt(_rules(self.workload, self.revision), now)

    def take_pods(self, pods: Iterable[Raw], now: float) -> None:
        """Take a whole list of pods in place of what was known."""
        own = [pod for pod in pods if self.owns(pod)]
        self._tally.adopt(_rules(self.workload, self.revision), now)
        self._tally.keep_only({uid_of(pod) for pod in own})
        self._budgets = set(map(_budget_of, own)) - {""}
        for pod in own:
            self._tally.put(pod, now)
        self._pods_seen = self._pods_seen or bool(own)

    def take_pod(self, change: Change, now: float) -> None:
        pod = change.object
        if change.type == "DELETED" or not self.owns(pod):
            self._tally.drop(uid_of(pod))
        else:
            self._tally.put(pod, now)
            self._budgets |= {_budget_of(pod)} - {""}
            self._pods_seen = True

    def take_object(self, change: Change, now: float) -> None:
        """Take the object as it is now; one with another uid is the successor of one that was deleted."""
        if self.final is not None:
            return
        if change.type == "DELETED":
            self.final = deleted()
        elif uid_of(change.object) != self.workload.uid:
            self.final = deleted(uid_of(change.object))
        else:
            self.workload = Workload(change.object, self.workload.kind)
            self._tally.adopt(_rules(self.workload, self.revision), now)
            self._remember_origin()

    def came_back(self, uid: str) -> None:
        """Note that the deleted object's name is taken again."""
        self.final = deleted(uid)

    def counts(self) -> Counts:
        """Count from the pods; from the status where there is none to be seen, terminating ones included."""
        if not len(self._tally) and not self._pods_seen:
            return counts_of_status(self.workload)
        return self._tally.counts(self.workload)

    def phases(self) -> dict[str, int]:
        return self._tally.phases(self.counts())

    def problems(self) -> list[Problem]:
        """Give the troubles of updated pods, the oldest first."""
        return self._tally.problems()

    def state(self) -> tuple[object, ...]:
        """Give what a line of progress tells: equal states need no new line."""
        counts = self.counts()
        return counts, tuple(self._tally.phases(counts).items())

    def judge(self, now: float) -> Verdict:
        """Give the verdict at this moment; once final it stays."""
        if self.final is not None:
            return self.final
        self._tally.tick(now)
        limits = self.aim.limits
        gives_up = self._gives_up()
        verdict = judge(
            self.workload,
            self.counts(),
            until=self.aim.until,
            hopeless=self._tally.hopeless(limits, now) if limits else None,
            revision=self.revision,
            pin=self._pin(),
            in_time=gives_up is not None and now < gives_up,
        )
        if verdict.final:
            self.final = verdict
        self._note_progress(now)
        return verdict

    def time_out(self, seconds: float, now: float) -> None:
        """Make the deadline the verdict, unless there is one already."""
        last = self.judge(now)
        if self.final is None:
            counts = self.counts()
            self.final = timed_out(counts, self._tally.phases(counts), self._tally.problems(), seconds, last)

    def next_due(self) -> float | None:
        """Give when time alone may change verdict or phases."""
        if self.final:
            return None
        times = [
            time for time in (self._tally.next_due(self.aim.limits), self._gives_up()) if time is not None
        ]
        return min(times, default=None)

    def take_silence(self, reason: str, now: float) -> None:
        """Note why the server does not answer, or with "" that it does again."""
        self._silent_since = self._silent_since if self.silence else now
        self.silence = reason

    def held_by(self) -> str:
        """Say which migration holds the workload, which PodUnavailableBudget lets no pod go, or what else a set waits for.

        "" for none of them. The latter two are asked where pods wait for their update, are missing, or are too many,
        while none is under way.
        """
        if holder := migration_of(self.workload.raw):
            command = way_on(self.workload.raw)
            return f"held by {holder}" + (f" ({command})" if command else "")
        if self.final is not None and self.final.outcome is not Outcome.TIMED_OUT:
            return ""
        return self._held_by_budget() or self._stalled()

    def _held_by_budget(self) -> str:
        counts = self.counts()
        surplus = counts.total > counts.desired
        moving = counts.updated > counts.updated_available
        if self._budget is None or moving or not (counts.waiting or surplus):
            return ""
        deletes = surplus or not self.workload.in_place
        answers = (self._budget(name, deletes=deletes) for name in sorted(self._budgets))
        return next(filter(None, answers), "")

    def _stalled(self) -> str:
        counts = self.counts()
        phases = self._tally.phases(counts)
        lacking = counts.waiting or counts.hooked_old or counts.total != counts.desired
        if self._stall is None or not lacking or any(phases.get(phase.value) for phase in _ON_THE_WAY):
            return ""
        return "; ".join(self._stall(self.workload, self._tally.raw())[:_MOST_REASONS])

    def snapshot(self, now: float, *, most: int | None = ROWS, every_pod: bool = False) -> Snapshot:
        """Give everything at this moment: `most` unfinished pods (None: all), or with `every_pod` all pods."""
        verdict = self.judge(now)
        counts, limits = self.counts(), self.aim.limits or FailFast()
        remaining = max(0, counts.target - counts.updated_available)
        at_once = self.workload.max_unavailable + self.workload.max_surge
        unfinished = self._tally.unfinished()
        self._old_images = self._tally.old_images() or self._old_images
        return Snapshot(
            self.workload, verdict, counts, now, self.started, self.revision,
            phases=self._tally.phases(counts),
            pods=self._tally.pods() if every_pod else unfinished[:most],
            unfinished=len(unfinished),
            troubles=self._tally.troubles(limits, now),
            estimate=None if verdict.final else estimate(self._tally.durations(), remaining, at_once),
            last_progress=self._last_progress,
            numbers={name: known.number for name, known in self._known.items() if known},
            old_images=self._old_images,
            context=self._context,
            came_from=self.came_from,
            qualified=self._qualified,
            silence=self.silence,
            silent_since=self._silent_since,
            held_by=self.held_by(),
        )  # fmt: skip

    def number(self, revision: str) -> int | None:
        """Give the number of a revision, asked for once."""
        known = self._revision(revision)
        return known.number if known else None

    def _revision(self, name: str) -> Known | None:
        if name and name not in self._known:
            self._known[name] = self._lookup(name)
        return self._known.get(name)

    def _gives_up(self) -> float | None:
        """Give the time until which an exceeded progress deadline is not believed, None where it is.

        The manager measures from the last change of the condition, be it of an earlier rollout, so that a new one can
        be marked in its first pass (cloneset.md §22.4). The deadline cannot have passed before the rollout was that old:
        it began no earlier than its revision was made, nor than a spec that nobody had seen when we came.
        """
        deadline = dig(self.workload.raw, ("spec", "progressDeadlineSeconds"))
        if self.workload.kind is DEPLOYMENT or not deadline or not deadline_exceeded(self.workload):
            return None
        known = self._revision(self.revision)
        begins = [known.created] if known and known.created is not None else []
        begins += [self.started] if self._seen_unobserved else []
        return max(begins) + float(deadline) if begins else None

    def _remember_origin(self) -> None:
        current = self.workload.current_revision
        if current and current != self.workload.update_revision:
            self.came_from = current

    def _pin(self) -> Pin | None:
        text, revision = self.aim.revision, self.revision
        if not text:
            return None
        if not revision or not self.workload.observed:
            return Pin(text, matched=True)
        return Pin(
            text, same_revision(text, revision) or (text.isdecimal() and self.number(revision) == int(text))
        )

    def _note_progress(self, now: float) -> None:
        counts = self.counts()
        sums = (counts.updated, counts.updated_ready, counts.updated_available, counts.total)
        if sums != self._last_sums:
            if self._last_sums:
                self._last_progress = now
            self._last_sums = sums


def _budget_of(pod: Raw) -> str:
    return annotations_of(pod).get(RELATED_BUDGET, "")


def _rules(workload: Workload, revision: str) -> Rules:
    native = workload.kind is DEPLOYMENT
    return Rules(
        update_revision=revision or workload.update_revision,
        min_ready=workload.min_ready_seconds,
        hook=workload.hook("inPlaceUpdate"),
        pre_normal=workload.hook("preNormal"),
        to_delete=frozenset(dig(workload.raw, ("spec", "scaleStrategy", "podsToDelete"), [])),
        # Until the controller has seen the template, its images are not those of the update revision.
        images=workload.images if workload.observed and workload.in_place else {},
        revision_label=TEMPLATE_HASH_LABEL if native else REVISION_LABEL,
    )


def _replica_set_order(wanted: str) -> Callable[[Raw], tuple[bool, int]]:
    def order(replica_set: Raw) -> tuple[bool, int]:
        number = annotations_of(replica_set).get(DEPLOYMENT_REVISION, "")
        return number == wanted, int(number) if number.isdecimal() else 0

    return order


def assess_pods(
    workload: Workload, revisions: Iterable[Raw], pods: Iterable[Raw], now: float
) -> tuple[str, list[PodProgress]]:
    """Give the update revision and where each of the workload's pods stands, the worst first.

    `revisions` are a Deployment's ReplicaSets; of no other kind are they read.
    """
    progress = Progress(workload.kind, workload.raw, Aim(), now, lookup=lambda _: None)
    if workload.kind is DEPLOYMENT:
        progress.take_replica_sets(revisions, now)
    progress.take_pods(pods, now)
    return progress.revision, list(progress.snapshot(now, every_pod=True).pods)

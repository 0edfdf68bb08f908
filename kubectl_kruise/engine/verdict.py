"""The verdict on a rollout: one pure function behind `rollout status` and every `--wait`.

Sources: rollout-operations.md §3 (CloneSet), §4 (Advanced StatefulSet), §9 (native kinds); cli.md §3.5, §4.1. The counters of a CloneSet's status lag
behind by up to a minute on large sets, so progress is counted from the pods, and the status must agree before a
rollout is called done.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from kubectl_kruise.engine.counts import Counts
from kubectl_kruise.engine.lacking import creation_refused, lacks, pods_word, replicas_text, update_refused
from kubectl_kruise.engine.problems import Problem
from kubectl_kruise.facts.kinds import DEPLOYMENT, STATEFULSET
from kubectl_kruise.objects.workload import Workload


class Outcome(StrEnum):
    DONE = "done"
    PROGRESSING = "progressing"
    PAUSED = "paused"
    HELD = "held"
    FAILED = "failed"
    TIMED_OUT = "timedOut"
    SUPERSEDED = "superseded"
    DELETED = "deleted"


class Until(StrEnum):
    """What the caller waits for. `PARTITION` is met by the partition's target, `DONE` only by the whole rollout."""

    DONE = "done"
    PAUSED = "paused"
    PARTITION = "partition"


EXIT_CODES = {
    Outcome.DONE: 0,
    Outcome.PROGRESSING: 0,
    Outcome.PAUSED: 8,
    Outcome.HELD: 8,
    Outcome.FAILED: 1,
    Outcome.TIMED_OUT: 124,
    Outcome.SUPERSEDED: 6,
    Outcome.DELETED: 4,
}


class Pin(NamedTuple):
    """The revision a caller asked for, and whether it is the one being rolled out."""

    text: str
    matched: bool


class Verdict(NamedTuple):
    """`reason` is one CamelCase word for machines, `message` a sentence for people."""

    outcome: Outcome
    reason: str
    message: str
    met: bool = False

    @property
    def final(self) -> bool:
        return self.outcome is not Outcome.PROGRESSING

    @property
    def exit_code(self) -> int:
        """Exit code of a command that waited for this; 0 where the caller had asked for just that (`met`)."""
        return 0 if self.met else EXIT_CODES[self.outcome]


def judge(
    workload: Workload,
    counts: Counts,
    *,
    until: Until | None = None,
    hopeless: Problem | None = None,
    revision: str = "",
    pin: Pin | None = None,
    in_time: bool = False,
) -> Verdict:
    """Give the verdict on a rollout as object and pods stand.

    `revision` names the update revision where the status does not (Deployments), `hopeless` is a problem beyond the
    caller's limits, `pin` the revision that the caller means, `in_time` tells that the progress deadline cannot have
    passed yet, whatever the status says.
    """
    revision = revision or workload.update_revision
    if workload.deleting:
        return Verdict(Outcome.DELETED, "BeingDeleted", "is being deleted")
    if not workload.observed:
        return Verdict(Outcome.PROGRESSING, "WaitingForObservation", _unobserved(workload))
    if pin and revision and not pin.matched:
        return superseded(pin.text, revision)
    lacking = lacks(workload, counts)
    if lacking is None:
        return _finished(workload, counts, revision, until)
    if workload.paused:
        message = f"paused with {_progress(counts)}"
        return Verdict(Outcome.PAUSED, "Paused", message, met=until is Until.PAUSED)
    if not in_time and (exceeded := deadline_exceeded(workload)):
        return Verdict(Outcome.FAILED, "ProgressDeadlineExceeded", exceeded)
    if hopeless is not None:
        return Verdict(Outcome.FAILED, hopeless.reason, _hopeless(hopeless, counts))
    if _waits_for_deletion(workload, counts):
        old = counts.total - counts.updated
        message = f"{_progress(counts)}; {old} {pods_word(old)} old until deleted (update type OnDelete)"
        return Verdict(Outcome.HELD, "OnDelete", message)
    if counts.total < counts.desired and (refusal := creation_refused(workload)):
        return _progressing("CreationFails", f"{replicas_text(counts)}; creating one failed: {refusal}")
    stopped = counts.updated < counts.target or workload.kind is STATEFULSET
    if stopped and (refusal := update_refused(workload)):
        return _progressing("UpdateFails", f"{_progress(counts)}; updating one failed: {refusal}")
    return _progressing(*lacking)


def superseded(pinned: str, revision: str) -> Verdict:
    return Verdict(
        Outcome.SUPERSEDED, "Superseded", f"revision {pinned} is not what is rolled out: {revision} is"
    )


def timed_out(
    counts: Counts,
    phases: Mapping[str, int],
    problems: Sequence[Problem],
    seconds: float,
    last: Verdict | None = None,
) -> Verdict:
    """Give the verdict of a deadline that passed, with what was still missing (cli.md §4.1)."""
    named = ""
    if problems:
        worst = problems[0]
        named = f" ({' '.join(part for part in (worst.pod, worst.container, worst.reason) if part)})"
    missing = [
        f"{count} {_UNFINISHED[phase]}" + (named if phase in ("failing", "unschedulable") else "")
        for phase, count in phases.items()
        if count and phase in _UNFINISHED
    ]
    rest = f"; not yet: {', '.join(missing)}" if missing else ""
    if last is not None and last.reason != "WaitingForPods":
        rest = f"; {last.message}"
    message = f"timed out after {round(seconds, 1):g}s: {counts.updated_available} of {counts.target} available{rest}"
    return Verdict(Outcome.TIMED_OUT, "TimedOut", message)


_UNFINISHED = {
    "waiting": "waiting", "hook": "held by hooks", "grace": "in grace", "batch": "between batches",
    "restarting": "restarting", "resizing": "resizing", "starting": "starting", "settling": "settling",
    "unschedulable": "unschedulable", "failing": "failing", "terminating": "terminating",
}  # fmt: skip


def deleted(new_uid: str = "") -> Verdict:
    """Give the verdict on an object that went away while it was watched."""
    again = f" and was recreated as UID {new_uid}" if new_uid else ""
    return Verdict(Outcome.DELETED, "Recreated" if new_uid else "Deleted", f"was deleted{again}")


def _finished(workload: Workload, counts: Counts, revision: str, until: Until | None) -> Verdict:
    wanted, held = max(counts.target, counts.updated), counts.held
    message = f"{counts.updated_available} of {wanted} available"
    if not wanted and held:
        message = f"0 of {counts.total} pods updated"
    elif revision:
        message += f" on {revision}"
    if not held:
        return Verdict(Outcome.DONE, "Available", message)
    message += f"; {held} held by partition {workload.partition_value}"
    if workload.ordered and held == workload.partition:
        message += _kept(workload, held)
    if counts.strays:
        # After an undo the partition is met by pods that never left, while the pods of the bad revision stay.
        message += "; " + ", ".join(f"{count} of them on {name}" for name, count in counts.strays)
    if until is Until.DONE:
        return Verdict(Outcome.HELD, "HeldByPartition", message)
    return Verdict(Outcome.DONE, "PartitionReached", message)


def deadline_exceeded(workload: Workload) -> str:
    """Give what the status says of an exceeded progress deadline, "" where it says nothing."""
    found = workload.condition("Progressing")
    if found is None or found.get("reason") != "ProgressDeadlineExceeded":
        return ""
    return str(found.get("message") or "the progress deadline has passed")


def _kept(workload: Workload, held: int) -> str:
    from kubectl_kruise.engine.statefulset.places import kept_pods  # of sets only

    names = kept_pods(workload, held)
    return f" ({names})" if names else ""


def _waits_for_deletion(workload: Workload, counts: Counts) -> bool:
    """Say whether nothing moves unless somebody deletes pods; a surge replaces old pods by itself (cloneset.md Q26)."""
    settled = counts.total == counts.desired and counts.updated_available == counts.updated
    unmoved = settled and counts.updated < counts.target
    return unmoved and workload.awaits_deletion and workload.kind is not DEPLOYMENT


def _unobserved(workload: Workload) -> str:
    if not workload.observed_generation:
        return f"generation {workload.generation} not observed by a controller yet"
    return f"generation {workload.generation} not observed yet (status is at {workload.observed_generation})"


def _progressing(reason: str, message: str) -> Verdict:
    return Verdict(Outcome.PROGRESSING, reason, message)


def _progress(counts: Counts) -> str:
    return f"{counts.updated} of {counts.target} pods updated, {counts.updated_available} available"


def _hopeless(problem: Problem, counts: Counts) -> str:
    where = f"{problem.pod} {problem.container}".strip()
    code = f"exit {problem.exit_code}" if problem.exit_code is not None else ""
    details = ", ".join(part for part in (problem.crashes, code) if part)
    restarts = f" ({details})" if details else ""
    why = f": {problem.message.strip()}" if problem.message else ""
    return f"{where} {problem.reason}{restarts}{why}; {_progress(counts)}"

"""The verdict on a rollout: one pure function behind `rollout status` and every `--wait`.

Sources: rollout-operations.md §3 (CloneSet), §4 (Advanced StatefulSet), §9 (native kinds); cli.md §3.5, §4.1. The counters of a CloneSet's status lag
behind by up to a minute on large sets, so progress is counted from the pods, and the status must agree before a
rollout is called done.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from kubectl_kruise.engine.problems import Problem
from kubectl_kruise.engine.standstill import no_removal, no_update
from kubectl_kruise.engine.statefulset.places import kept_pods
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, NATIVE_STATEFULSET, STATEFULSET, Kind
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


class Counts(NamedTuple):
    """Pods of a workload by what they mean for its rollout.

    `target` is how many shall carry the update revision, `held` how many old ones the partition keeps, `strays` old
    pods of neither the current nor the update revision, `chosen` pods that were picked for deletion. `from_pods` tells whether pods were counted or the status read.
    """

    desired: int
    target: int
    total: int = 0
    updated: int = 0
    updated_ready: int = 0
    updated_available: int = 0
    ready: int = 0
    available: int = 0
    failing: int = 0
    hooked_old: int = 0
    chosen: int = 0
    strays: tuple[tuple[str, int], ...] = ()
    from_pods: bool = False

    @property
    def waiting(self) -> int:
        """Old pods whose turn is still to come and that no hook holds."""
        return max(0, min(self.target - self.updated, self.total - self.updated) - self.hooked_old)

    @property
    def unwell(self) -> int:
        """Old pods that are not available."""
        return max(0, self.total - self.updated - (self.available - self.updated_available))

    @property
    def held(self) -> int:
        return max(0, self.total - self.updated - self.waiting - self.hooked_old)


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


def target_of(workload: Workload, updated: int) -> int:
    """Count the pods that shall carry the update revision; partitions of OnDelete are none (cloneset.md §6.4).

    Pods beyond the partition that are `updated` already stay so, as all do that are created while there is no old
    revision: they have to be available, too. Until the spec is observed, pods are measured by the revision before.
    """
    beyond = min(updated, workload.replicas) if workload.observed else 0
    return max(workload.replicas - workload.partition, beyond)


def counts_of_status(workload: Workload) -> Counts:
    """Read the counters of the status, for lists and where pods cannot be seen."""

    def counter(key: str) -> int:
        return workload.counter(key) or 0

    available = counter("availableReplicas")
    if workload.kind is STATEFULSET and workload.counter("availableReplicas") is None:
        available = counter("readyReplicas")  # older managers do not count them
    updated = counter("updatedReplicas")
    native = workload.kind.native
    # Native kinds do not count their new pods apart, and Advanced StatefulSets do not store it when nothing else
    # changes (advanced-statefulset.md §4 [ST-6]): what all have beyond the old ones is certainly theirs.
    old = max(0, counter("replicas") - updated)
    return Counts(
        desired=workload.replicas,
        target=target_of(workload, updated),
        total=counter("replicas"),
        updated=updated,
        updated_ready=max(0, min(updated, counter("readyReplicas") - old))
        if native
        else counter("updatedReadyReplicas"),
        updated_available=max(
            0 if native else _updated_available(workload),
            min(updated, available - old) if native or workload.kind is STATEFULSET else 0,
        ),
        ready=counter("readyReplicas"),
        available=available,
    )


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
    lacking = _lacks(workload, counts)
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
        message = f"{_progress(counts)}; {old} {_pods(old)} old until deleted (update type OnDelete)"
        return Verdict(Outcome.HELD, "OnDelete", message)
    if counts.total < counts.desired and (refusal := _creation_refused(workload)):
        return _progressing("CreationFails", f"{_replicas(counts)}; creating one failed: {refusal}")
    stopped = counts.updated < counts.target or workload.kind is STATEFULSET
    if stopped and (refusal := _update_refused(workload)):
        return _progressing("UpdateFails", f"{_progress(counts)}; updating one failed: {refusal}")
    return lacking


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


_CREATION: Mapping[Kind, str] = {DEPLOYMENT: "ReplicaFailure", STATEFULSET: "FailedCreatePod"}
_UPDATE: Mapping[Kind, str] = {CLONESET: "FailedUpdate", STATEFULSET: "FailedUpdatePod"}
"""The condition that tells of a refused pod, and of a pod that could not be updated, per kind."""
_LOST_RACE = "object has been modified"
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
    if held == workload.partition and (names := kept_pods(workload, held)):
        message += f" ({names})"
    if counts.strays:
        # After an undo the partition is met by pods that never left, while the pods of the bad revision stay.
        message += "; " + ", ".join(f"{count} of them on {name}" for name, count in counts.strays)
    if until is Until.DONE:
        return Verdict(Outcome.HELD, "HeldByPartition", message)
    return Verdict(Outcome.DONE, "PartitionReached", message)


def _lacks(workload: Workload, counts: Counts) -> Verdict | None:
    """Give what keeps a rollout from being done, None where nothing does."""
    if workload.kind is DEPLOYMENT:
        return _deployment_lacks(workload)
    lacking = _pods_lack(workload, counts) if counts.from_pods else None
    if lacking is not None:
        return lacking
    if workload.kind in (STATEFULSET, NATIVE_STATEFULSET):
        return _set_lacks(workload, counts)
    return _cloneset_lacks(workload, counts)


def _pods_lack(workload: Workload, counts: Counts) -> Verdict | None:
    """Give what the pods themselves lack."""
    target = counts.target
    if counts.updated < target:
        why = no_update(
            workload, total=counts.total, available=counts.available, hooked=counts.hooked_old,
            waiting=counts.waiting, unwell=counts.unwell,
        )  # fmt: skip
        message = f"{counts.updated} of {target} pods updated"
        return _progressing("WaitingForPods", f"{message}; {why}" if why else message)
    if counts.updated_available < target:
        return _progressing(
            "WaitingForPods", f"{counts.updated_available} of {target} updated pods are available"
        )
    return _progressing("WaitingForReplicas", _replicas(counts)) if counts.total != counts.desired else None


def _set_lacks(workload: Workload, counts: Counts) -> Verdict | None:
    """Give what the status of a StatefulSet lacks, of Kruise's or a native one (rollout-operations.md §4, §9).

    Ready are all pods to be, those that a partition keeps as well.
    """
    target, wanted = counts.target, workload.replicas
    updated, ready = workload.counter("updatedReplicas") or 0, workload.counter("readyReplicas") or 0
    if updated < target:
        return _progressing("WaitingForPods", f"{updated} of {target} pods updated")
    if ready < wanted or (workload.counter("replicas") or 0) != wanted:
        kept = f"; {counts.unwell} old {_pods(counts.unwell)} not available" if counts.unwell else ""
        return _progressing("WaitingForReplicas", f"{ready} of {wanted} pods are ready{kept}")
    if workload.kind is STATEFULSET and counts.updated_available < target:
        return _progressing(
            "WaitingForPods", f"{counts.updated_available} of {target} updated pods are available"
        )
    available = workload.counter("availableReplicas") or 0
    if workload.kind is NATIVE_STATEFULSET and available < wanted:
        return _progressing("WaitingForPods", f"{available} of {wanted} pods are available")
    if (
        not workload.partition
        and not workload.on_delete
        and workload.current_revision != workload.update_revision
    ):
        return _progressing(
            "WaitingForStatus", "pods are ready; the status does not say yet that all are updated"
        )
    return None


def _cloneset_lacks(workload: Workload, counts: Counts) -> Verdict | None:
    """Give what the status of a CloneSet lacks (rollout-operations.md §3)."""
    target = counts.target
    replicas = workload.counter("replicas") or 0
    expected = workload.counter("expectedUpdatedReplicas")
    expected = target if expected is None else expected
    updated, available = workload.counter("updatedReplicas") or 0, _updated_available(workload)
    agrees = replicas == workload.replicas and updated >= expected and available >= expected
    if not agrees and counts.from_pods:
        return _progressing(
            "WaitingForStatus", f"pods are ready; the status says {available} of {expected} available"
        )
    if updated < expected:
        return _progressing("WaitingForPods", f"{updated} of {expected} pods updated")
    if available < expected:
        return _progressing("WaitingForPods", f"{available} of {expected} updated pods are available")
    if replicas != workload.replicas:
        return _progressing("WaitingForReplicas", _replicas(counts))
    return None


def _updated_available(workload: Workload) -> int:
    """Read updatedAvailableReplicas; managers before 1.8 knew only updatedReadyReplicas.

    The key is left out at zero, so the manager's age shows in whether either of the two newer keys is there.
    """
    newer = workload.counter("updatedAvailableReplicas")
    if newer is not None or workload.counter("expectedUpdatedReplicas") is not None:
        return newer or 0
    return workload.counter("updatedReadyReplicas") or 0


def _deployment_lacks(workload: Workload) -> Verdict | None:
    """Give what keeps a Deployment's rollout from being done, None where nothing does (rollout-operations.md §9)."""
    updated = workload.counter("updatedReplicas") or 0
    total, available = workload.counter("replicas") or 0, workload.counter("availableReplicas") or 0
    if updated < workload.replicas:
        return _progressing("WaitingForPods", f"{updated} of {workload.replicas} pods updated")
    if total > updated:
        return _progressing(
            "WaitingForReplicas", f"{total - updated} old {_pods(total - updated)} still to go"
        )
    if available < updated:
        return _progressing("WaitingForPods", f"{available} of {updated} updated pods are available")
    return None


def _creation_refused(workload: Workload) -> str:
    """Give why the server refused a pod, "" for no such trouble; a CloneSet's condition stays when it is over."""
    found = workload.condition(_CREATION.get(workload.kind, "FailedScale"))
    return str(found.get("message") or "").strip() if found and found.get("status") == "True" else ""


def _update_refused(workload: Workload) -> str:
    """Give why the manager could not update a pod, "" where it tells of no more than a lost race.

    Of a set it is the repair of a pod, which stops everything else as well (cloneset.md §22.3, advanced-statefulset.md
    §5 [E-4], §22 no. 7).

    The text may be that of an earlier failure: later ones do not take its place.
    """
    found = workload.condition(_UPDATE.get(workload.kind, ""))
    message = str((found or {}).get("message") or "").strip()
    return "" if found is None or found.get("status") != "True" or _LOST_RACE in message else message


def deadline_exceeded(workload: Workload) -> str:
    """Give what the status says of an exceeded progress deadline, "" where it says nothing."""
    found = workload.condition("Progressing")
    if found is None or found.get("reason") != "ProgressDeadlineExceeded":
        return ""
    return str(found.get("message") or "the progress deadline has passed")


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


def _replicas(counts: Counts) -> str:
    more = counts.total - counts.desired
    if more > 0:
        told = f"{more} surplus {_pods(more)} still to go"
    else:
        told = f"{counts.total} of {counts.desired} pods exist"
    why = no_removal(desired=counts.desired, total=counts.total, chosen=counts.chosen)
    return f"{told}; {why}" if why else told


def _hopeless(problem: Problem, counts: Counts) -> str:
    where = f"{problem.pod} {problem.container}".strip()
    code = f"exit {problem.exit_code}" if problem.exit_code is not None else ""
    details = ", ".join(part for part in (problem.crashes, code) if part)
    restarts = f" ({details})" if details else ""
    why = f": {problem.message.strip()}" if problem.message else ""
    return f"{where} {problem.reason}{restarts}{why}; {_progress(counts)}"


def _pods(count: int) -> str:
    return "pod" if count == 1 else "pods"

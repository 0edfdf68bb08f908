"""What keeps a rollout from being done, per kind; what the server refused meanwhile.

Sources: rollout-operations.md §3 (CloneSet), §4 (Advanced StatefulSet), §9 (native kinds).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from kubectl_kruise.engine.counts import Counts, updated_available
from kubectl_kruise.engine.standstill import no_removal, no_update
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, NATIVE_STATEFULSET, STATEFULSET, Kind
from kubectl_kruise.objects.workload import Workload

_CREATION: Final[Mapping[Kind, str]] = {DEPLOYMENT: "ReplicaFailure", STATEFULSET: "FailedCreatePod"}
_UPDATE: Final[Mapping[Kind, str]] = {CLONESET: "FailedUpdate", STATEFULSET: "FailedUpdatePod"}
"""The condition that tells of a refused pod, and of a pod that could not be updated, per kind."""
_LOST_RACE: Final = "object has been modified"


class Lack(NamedTuple):
    """`reason` is one CamelCase word for machines, `message` a sentence for people."""

    reason: str
    message: str


def lacks(workload: Workload, counts: Counts) -> Lack | None:
    """Give what keeps a rollout from being done, None where nothing does."""
    if workload.kind is DEPLOYMENT:
        return _deployment_lacks(workload)
    lacking = _pods_lack(workload, counts) if counts.from_pods else None
    if lacking is not None:
        return lacking
    if workload.kind in (STATEFULSET, NATIVE_STATEFULSET):
        return _set_lacks(workload, counts)
    return _cloneset_lacks(workload, counts)


def _pods_lack(workload: Workload, counts: Counts) -> Lack | None:
    """Give what the pods themselves lack."""
    target = counts.target
    if counts.updated < target:
        why = no_update(
            workload, total=counts.total, available=counts.available, hooked=counts.hooked_old,
            waiting=counts.waiting, unwell=counts.unwell,
        )  # fmt: skip
        message = f"{counts.updated} of {target} pods updated"
        return Lack("WaitingForPods", f"{message}; {why}" if why else message)
    if counts.updated_available < target:
        return Lack("WaitingForPods", f"{counts.updated_available} of {target} updated pods are available")
    return Lack("WaitingForReplicas", replicas_text(counts)) if counts.total != counts.desired else None


def _set_lacks(workload: Workload, counts: Counts) -> Lack | None:
    """Give what the status of a StatefulSet lacks, of Kruise's or a native one (rollout-operations.md §4, §9).

    Ready are all pods to be, those that a partition keeps as well.
    """
    target, wanted = counts.target, workload.replicas
    updated, ready = workload.counter("updatedReplicas") or 0, workload.counter("readyReplicas") or 0
    if updated < target:
        return Lack("WaitingForPods", f"{updated} of {target} pods updated")
    if ready < wanted or (workload.counter("replicas") or 0) != wanted:
        kept = f"; {counts.unwell} old {pods_word(counts.unwell)} not available" if counts.unwell else ""
        return Lack("WaitingForReplicas", f"{ready} of {wanted} pods are ready{kept}")
    if workload.kind is STATEFULSET and counts.updated_available < target:
        return Lack("WaitingForPods", f"{counts.updated_available} of {target} updated pods are available")
    available = workload.counter("availableReplicas") or 0
    if workload.kind is NATIVE_STATEFULSET and available < wanted:
        return Lack("WaitingForPods", f"{available} of {wanted} pods are available")
    if (
        not workload.partition
        and not workload.on_delete
        and workload.current_revision != workload.update_revision
    ):
        return Lack("WaitingForStatus", "pods are ready; the status does not say yet that all are updated")
    return None


def _cloneset_lacks(workload: Workload, counts: Counts) -> Lack | None:
    """Give what the status of a CloneSet lacks (rollout-operations.md §3)."""
    target = counts.target
    replicas = workload.counter("replicas") or 0
    expected = workload.counter("expectedUpdatedReplicas")
    expected = target if expected is None else expected
    updated, available = workload.counter("updatedReplicas") or 0, updated_available(workload)
    agrees = replicas == workload.replicas and updated >= expected and available >= expected
    if not agrees and counts.from_pods:
        return Lack(
            "WaitingForStatus", f"pods are ready; the status says {available} of {expected} available"
        )
    if updated < expected:
        return Lack("WaitingForPods", f"{updated} of {expected} pods updated")
    if available < expected:
        return Lack("WaitingForPods", f"{available} of {expected} updated pods are available")
    if replicas != workload.replicas:
        return Lack("WaitingForReplicas", replicas_text(counts))
    return None


def _deployment_lacks(workload: Workload) -> Lack | None:
    """Give what keeps a Deployment's rollout from being done, None where nothing does (rollout-operations.md §9)."""
    updated = workload.counter("updatedReplicas") or 0
    total, available = workload.counter("replicas") or 0, workload.counter("availableReplicas") or 0
    if updated < workload.replicas:
        return Lack("WaitingForPods", f"{updated} of {workload.replicas} pods updated")
    if total > updated:
        return Lack("WaitingForReplicas", f"{total - updated} old {pods_word(total - updated)} still to go")
    if available < updated:
        return Lack("WaitingForPods", f"{available} of {updated} updated pods are available")
    return None


def creation_refused(workload: Workload) -> str:
    """Give why the server refused a pod, "" for no such trouble; a CloneSet's condition stays when it is over."""
    found = workload.condition(_CREATION.get(workload.kind, "FailedScale"))
    return str(found.get("message") or "").strip() if found and found.get("status") == "True" else ""


def update_refused(workload: Workload) -> str:
    """Give why the manager could not update a pod, "" where it tells of no more than a lost race.

    Of a set it is the repair of a pod, which stops everything else as well (cloneset.md §22.3, advanced-statefulset.md
    §5 [E-4], §22 no. 7).

    The text may be that of an earlier failure: later ones do not take its place.
    """
    found = workload.condition(_UPDATE.get(workload.kind, ""))
    message = str((found or {}).get("message") or "").strip()
    return "" if found is None or found.get("status") != "True" or _LOST_RACE in message else message


def replicas_text(counts: Counts) -> str:
    more = counts.total - counts.desired
    if more > 0:
        told = f"{more} surplus {pods_word(more)} still to go"
    else:
        told = f"{counts.total} of {counts.desired} pods exist"
    why = no_removal(desired=counts.desired, total=counts.total, chosen=counts.chosen)
    return f"{told}; {why}" if why else told


def pods_word(count: int) -> str:
    return "pod" if count == 1 else "pods"

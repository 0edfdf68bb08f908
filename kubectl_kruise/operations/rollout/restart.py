"""Carry out a restart pod by pod: mark a few, wait for their replacements, go on (rollout-operations.md §11).

Every step is decided from what the cluster shows, so that a second run takes up where the first was stopped.
"""

from collections.abc import Callable
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.engine.changes.change import same_object, set_field
from kubectl_kruise.engine.changes.restarting import Step, plan_restart_end, plan_restart_step
from kubectl_kruise.errors import NotFoundError, RefusedError, TimedOutError
from kubectl_kruise.facts.kinds import POD, Kind
from kubectl_kruise.facts.names import RESTARTING_SINCE, SPECIFIED_DELETE_LABEL
from kubectl_kruise.objects.raw import Raw, annotations_of, name_of, owner_uid, uid_of, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.changes import await_change

_LABEL: Final = ("metadata", "labels", SPECIFIED_DELETE_LABEL)


def restart_pods(
    cluster: Cluster,
    clock: Clock,
    path: str,
    kind: Kind,
    *,
    deadline: float | None,
    tell: Callable[[str], None],
) -> None:
    """Replace every pod of the workload at `path` that is older than its restart mark, then take the mark away.

    `deadline` is in seconds since the epoch. Raises TimedOutError when it has passed, RefusedError where the workload
    is paused or loses its mark on the way; a second run goes on from there.
    """
    left = -1
    while True:
        workload = Workload(cluster.get(path), kind)
        since = annotations_of(workload.raw).get(RESTARTING_SINCE)
        if since is None or workload.paused or workload.deleting:
            raise RefusedError(f"the restart of {workload.title} was stopped: {_why(workload)}")
        listed = list_pods(cluster, workload)
        pods = [pod for pod in listed["items"] if owner_uid(pod) == workload.uid]
        step = plan_restart_step(workload, pods, since, clock.time())
        if step.settled:
            cluster.patch(path, Patch(PatchType.JSON, plan_restart_end(workload)))
            return
        if step.left not in (0, left):
            left = step.left
            tell(f"{workload.title}: {left} of its pods still to be replaced")
        _mark(cluster, workload, pods, step)
        if deadline is not None and clock.time() >= deadline:
            raise TimedOutError(
                f"{workload.title} still has {step.left} pods to be replaced, and the time is over",
                hint=f"kubectl kruise rollout restart {workload.arguments} goes on from here",
            )
        _await_pods(cluster, clock, workload, version_of(listed), deadline)


def await_gone(
    cluster: Cluster, clock: Clock, workload: Workload, uids: set[str], *, deadline: float | None
) -> None:
    """Return when no pod of these uids is left. Raises TimedOutError when the deadline has passed."""
    while True:
        listed = list_pods(cluster, workload)
        left = [name_of(pod) for pod in listed["items"] if uid_of(pod) in uids]
        if not left:
            return
        if deadline is not None and clock.time() >= deadline:
            raise TimedOutError(f"the time is over, and still there: pod {', '.join(left)}")
        _await_pods(cluster, clock, workload, version_of(listed), deadline)


def list_pods(cluster: Cluster, workload: Workload) -> Raw:
    """Give the pod list that the workload's selector matches."""
    return cluster.list(POD.path(workload.namespace), labels=workload.selector)


def _mark(cluster: Cluster, workload: Workload, pods: list[Raw], step: Step) -> None:
    by_name = {name_of(pod): pod for pod in pods}
    for name in step.chosen:
        pod = by_name[name]
        operations = [*same_object(pod), *set_field(pod, _LABEL, "true")]
        try:
            cluster.patch(POD.path(workload.namespace, name), Patch(PatchType.JSON, operations))
        except NotFoundError:
            continue  # gone by itself: its replacement counts


def _await_pods(
    cluster: Cluster, clock: Clock, workload: Workload, since: str, deadline: float | None
) -> None:
    await_change(
        cluster,
        clock,
        POD.path(workload.namespace),
        since,
        labels=workload.selector,
        deadline=deadline,
        concerns=lambda pod: owner_uid(pod) == workload.uid,
    )


def _why(workload: Workload) -> str:
    if workload.deleting:
        return "it is being deleted"
    return "it is paused" if workload.paused else "somebody took its mark away"

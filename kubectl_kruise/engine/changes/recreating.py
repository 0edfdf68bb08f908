"""Restart in place: containers restarted by ContainerRecreateRequests, a few pods at a time (rollout-operations.md §11).

The state of a run is in the cluster, so that a run that was killed is finished by the next and no container restarted
twice. An annotation of the workload names the run, its containers, and the latest start among them when it began: what
was started later is done. Each request is named after pod and run, so that a second one for the same pod cannot be
made. Start times come from the nodes, no clock of ours is compared with them.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from kubectl_kruise.engine.changes.change import (
    Change,
    Decision,
    Unchanged,
    remove_field,
    same_object,
    same_version,
    set_field,
)
from kubectl_kruise.engine.changes.stewards import way_on
from kubectl_kruise.errors import NotFoundError, RefusedError
from kubectl_kruise.facts.kinds import CONTAINER_RECREATE_REQUEST
from kubectl_kruise.facts.recreation import POD_UID_LABEL, RESTART_LABEL, RESTARTING_IN_PLACE, SUCCEEDED
from kubectl_kruise.objects.pod import active, available, has_revision, statuses_of
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, name_of, uid_of, version_of
from kubectl_kruise.objects.workload import Workload

MARK: Final = ("metadata", "annotations", RESTARTING_IN_PLACE)
TIME_TO_LIVE: Final = 600
"""Seconds for which finished requests can be looked at."""
LONGEST: Final = 600
"""Seconds that the containers of one pod may take where the workload sets no progress deadline."""
_LONGEST_NAME: Final = 253


class Run(NamedTuple):
    """One restart: of these containers (all for none), of what was started at `since` or earlier."""

    id: str
    containers: tuple[str, ...]
    since: str


class Order(NamedTuple):
    """The containers of one pod that are to be restarted."""

    pod: str
    uid: str
    containers: tuple[str, ...]


class Wave(NamedTuple):
    """Where a run stands. `chosen` are the pods to ask for now, `done` and `left` count pods.

    `working` are pods with an open request, `recovering` such that are done and not yet available again. `held` says
    that a rollout has begun meanwhile, which comes first.
    """

    chosen: tuple[Order, ...]
    working: tuple[str, ...]
    recovering: tuple[str, ...]
    done: int
    left: int
    held: bool

    @property
    def total(self) -> int:
        return self.done + self.left + len(self.working)

    @property
    def settled(self) -> bool:
        return not (self.left or self.working or self.recovering)

    @property
    def stuck(self) -> bool:
        """Say whether there is no room for another pod, and no pod of ours will make some."""
        return bool(self.left) and not (self.chosen or self.working or self.recovering or self.held)


def read_run(workload: Workload) -> Run | None:
    """Give the run that the workload's annotation tells of, None without one that can be read."""
    try:
        found = json.loads(annotations_of(workload.raw).get(RESTARTING_IN_PLACE) or "null")
        return Run(str(found["run"]), tuple(found["containers"]), str(found["since"])) if found else None
    except (ValueError, KeyError, TypeError):
        return None


def pick_run(workload: Workload, pods: Sequence[Raw], names: Sequence[str], limit: int) -> Run:
    """Give the run that was interrupted, or make up a new one for these containers (all for none).

    `pods` are those the workload owns, `limit` is how many may be on their way at a time. Raises NotFoundError
    for a container that is not there, RefusedError where the workload is not at rest, may not have a pod unavailable, or
    is being restarted otherwise.
    """
    _check(workload, pods, names, limit)
    known = read_run(workload)
    if known is not None and known.containers != tuple(names):
        chosen = "".join(f" -c {name}" for name in known.containers)
        raise RefusedError(
            f"another restart in place of {workload.title} was interrupted",
            hint=f"finish it: kubectl kruise rollout restart {workload.arguments} --in-place{chosen}",
        )
    return known or _new_run(workload, pods, names)


def plan_run(
    workload: Workload, pods: Sequence[Raw], requests: Sequence[Raw], run: Run, limit: int
) -> Decision:
    """Note the run on the workload, so that it can be finished by another; `requests` are those of the run."""
    text = json.dumps(
        {"run": run.id, "containers": run.containers, "since": run.since}, separators=(",", ":")
    )
    done = _done(requests)
    waiting = [pod for pod in pods if active(pod) and uid_of(pod) not in done and _waits(pod, run)]
    known = read_run(workload)
    if known is None and not waiting:
        return Unchanged("no container of its pods runs")
    many = "s" if len(run.containers) > 1 else ""
    what = f"container{many} {', '.join(run.containers)}" if run.containers else "all containers"
    kept = "pods, their addresses and the template stay as they are"
    notes = [f"restarts {what} of {_pods(len(waiting))} in place, {limit} at a time; {kept}"]
    if known is not None:
        before = sum(1 for pod in pods if active(pod) and _chosen(pod, run)) - len(waiting)
        notes.insert(0, f"takes up an interrupted restart: {_pods(before)} restarted already")
    notes += _left_out(pods, run.containers)
    # Without a mark that could be tested, the version shows that nobody else has begun meanwhile.
    guard = [] if RESTARTING_IN_PLACE in annotations_of(workload.raw) else same_version(workload.raw)
    operations = [*same_object(workload.raw), *guard, *set_field(workload.raw, MARK, text)]
    return Change("restarted in place", operations, tuple(notes), mode="restart containers")


def plan_run_end(workload: Workload) -> list[Raw]:
    """Give the patch that takes the mark away."""
    return [*same_object(workload.raw), *remove_field(workload.raw, MARK)]


def plan_wave(
    workload: Workload, pods: Sequence[Raw], requests: Sequence[Raw], run: Run, limit: int, now: float
) -> Wave:
    """Pick the pods to ask for next: never more unavailable at a time than `limit`.

    `requests` are those of the run, one for a pod. A pod with an open request counts as unavailable even while it still serves. Pods
    that are not available already go first, at no further cost.
    """
    living = [pod for pod in pods if active(pod) and _chosen(pod, run)]
    own = {_pod_uid(request) for request in requests}
    open_ones, done = {_pod_uid(each) for each in requests if not finished(each)}, _done(requests)
    asked = [pod for pod in living if uid_of(pod) in own]
    working = [pod for pod in asked if uid_of(pod) in open_ones]
    restarted = [pod for pod in asked if uid_of(pod) in done]
    waiting = [pod for pod in living if uid_of(pod) not in own and _waits(pod, run)]

    def serves(pod: Raw) -> bool:
        return available(pod, workload.min_ready_seconds, now)

    serving = [pod for pod in pods if active(pod) and serves(pod) and uid_of(pod) not in open_ones]
    room = limit - max(0, workload.replicas - len(serving))
    broken = [pod for pod in waiting if not serves(pod)]
    healthy = sorted((pod for pod in waiting if serves(pod)), key=name_of)
    held = not _at_rest(workload, pods)
    chosen = () if held else (*broken, *healthy[: max(0, room)])
    return Wave(
        tuple(Order(name_of(pod), uid_of(pod), _chosen(pod, run)) for pod in chosen),
        tuple(name_of(pod) for pod in working),
        tuple(name_of(pod) for pod in restarted if not serves(pod) and not _held_by_others(pod, run)),
        len(living) - len(waiting) - len(asked) + len(restarted),
        len(waiting),
        held,
    )


def recreate_request(workload: Workload, order: Order, run: Run) -> Raw:
    """Give the request to restart the containers of one pod."""
    deadline = dig(workload.raw, ("spec", "progressDeadlineSeconds"), LONGEST)
    kind = CONTAINER_RECREATE_REQUEST
    return {
        "apiVersion": f"{kind.group}/{kind.versions[0]}",
        "kind": kind.kind,
        "metadata": {
            "name": request_name(order.pod, run),
            "namespace": workload.namespace,
            "labels": {RESTART_LABEL: run.id},
        },
        "spec": {
            "podName": order.pod,
            "containers": [{"name": name} for name in order.containers],
            "activeDeadlineSeconds": deadline,
            "ttlSecondsAfterFinished": TIME_TO_LIVE,
        },
    }


def request_name(pod: str, run: Run) -> str:
    return f"{pod[: _LONGEST_NAME - len(run.id) - 1]}-{run.id}"


def finished(request: Raw) -> bool:
    return bool(dig(request, ("status", "completionTime")))


def succeeded(request: Raw) -> bool:
    """Say whether every container was restarted: a request that is over may have failed (kinds.md §6.5 fact 3)."""
    states = dig(request, ("status", "containerRecreateStates"), [])
    return finished(request) and bool(states) and all(state.get("phase") == SUCCEEDED for state in states)


def _check(workload: Workload, pods: Sequence[Raw], names: Sequence[str], limit: int) -> None:
    again = f"kubectl kruise rollout restart {workload.arguments}"
    if workload.paused:
        raise RefusedError(
            f"cannot restart {workload.title}: it is paused",
            hint=way_on(workload.raw) or f"kubectl kruise rollout resume {workload.arguments}",
        )
    if not _at_rest(workload, pods):
        raise RefusedError(
            f"cannot restart {workload.title} in place: a rollout is under way",
            hint=f"wait for its end: kubectl kruise rollout status {workload.arguments}",
        )
    if workload.replicas and limit < 1:
        raise RefusedError(
            f"{workload.title} allows no unavailable pod (maxUnavailable {workload.max_unavailable_value})",
            hint=f"{again} replaces its pods" if workload.max_surge else "",
        )
    known = {name: None for pod in pods for name in _containers(pod)} or dict.fromkeys(workload.images)
    for name in names:
        if name not in known:
            raise NotFoundError(
                f'{workload.title} has no container "{name}"', hint=f"containers: {', '.join(known)}"
            )


def _at_rest(workload: Workload, pods: Sequence[Raw]) -> bool:
    """Say whether no rollout moves the pods: the controller knows the spec, and what is to be updated is."""
    if not workload.observed:
        return False
    if workload.kind.native:
        updated = workload.counter("updatedReplicas") or 0
        return updated >= min(workload.replicas, workload.counter("replicas") or 0)
    if workload.awaits_deletion:
        return True  # nothing but deletion moves them
    old = [pod for pod in pods if active(pod) and not has_revision(pod, workload.update_revision)]
    return len(old) <= workload.partition


def _new_run(workload: Workload, pods: Sequence[Raw], names: Sequence[str]) -> Run:
    """Make up a run; its name follows from the object as it was, so that two who begin at once begin the same."""
    digest = hashlib.sha256(
        f"{workload.uid}/{version_of(workload.raw)}/{','.join(names)}".encode()
    ).hexdigest()
    run = Run(digest[:8], tuple(names), "")
    starts = [since for pod in pods if active(pod) for since in _starts(pod, run).values()]
    return run._replace(since=max(starts, default=""))


def _waits(pod: Raw, run: Run) -> bool:
    """Say whether a pod has a chosen container that runs since before the run.

    Containers that do not run are about to be started anew anyway. RFC 3339 times in UTC compare as text.
    """
    return any(since <= run.since for since in _starts(pod, run).values())


def _done(requests: Sequence[Raw]) -> frozenset[str]:
    """Give the uids of the pods that a request has restarted: times alone may be too coarse to show it."""
    return frozenset(_pod_uid(request) for request in requests if succeeded(request))


def _starts(pod: Raw, run: Run) -> Mapping[str, str]:
    """Give when the chosen containers of a pod that run were started."""
    statuses, chosen = statuses_of(pod), _chosen(pod, run)
    found = {name: dig(statuses.get(name, {}), ("state", "running", "startedAt")) for name in chosen}
    return {name: since for name, since in found.items() if since}


def _held_by_others(pod: Raw, run: Run) -> bool:
    """Say whether a container that was not restarted keeps the pod from being ready: waiting for it is not our business."""
    statuses = statuses_of(pod)
    return any(not status.get("ready") for name, status in statuses.items() if name not in _chosen(pod, run))


def _chosen(pod: Raw, run: Run) -> tuple[str, ...]:
    names = _containers(pod)
    return tuple(name for name in names if name in run.containers) if run.containers else names


def _containers(pod: Raw) -> tuple[str, ...]:
    return tuple(str(each.get("name")) for each in dig(pod, ("spec", "containers"), []))


def _pod_uid(request: Raw) -> str:
    return str(dig(request, ("metadata", "labels", POD_UID_LABEL), ""))


def _left_out(pods: Sequence[Raw], names: Sequence[str]) -> list[str]:
    """Say which pods have nothing to restart."""
    living = [pod for pod in pods if active(pod)]
    without = sum(1 for pod in living if names and not set(names) & set(_containers(pod)))
    idle = sum(
        1 for pod in living if not any(dig(s, ("state", "running")) for s in statuses_of(pod).values())
    )
    notes = []
    if without:
        notes.append(f"{_pods(without)} without container {', '.join(names)} left as they are")
    if idle:
        notes.append(f"{_pods(idle)} that run nothing yet left as they are")
    return notes


def _pods(count: int) -> str:
    return f"{count} pod{'' if count == 1 else 's'}"

"""Carry out a restart in place: ask for the containers of a few pods, wait for the daemon, go on (rollout-operations.md §11).

Every step is decided from what the cluster shows, so that a second run takes up where the first was stopped.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.engine.changes.recreating import Run, Wave, finished, plan_run_end, plan_wave, read_run
from kubectl_kruise.engine.problems import FailFast, Problem, Sighting, pod_problems, sight
from kubectl_kruise.engine.revisions.listing import history_kind, in_history
from kubectl_kruise.errors import KruiseError, NoDaemonError, RefusedError, TimedOutError
from kubectl_kruise.facts.kinds import DEPLOYMENT, POD, Kind
from kubectl_kruise.facts.recreation import ANSWER_SECONDS, NO_ANSWER, NODE_LABEL
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import Raw, dig, name_of, owner_uid, uid_of, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.changes import await_change
from kubectl_kruise.operations.rollout.requests import Requests, failure_of, no_daemon

ANSWER_LIMIT: Final = ANSWER_SECONDS + 10.0
"""How long to wait for a daemon's answer ourselves: the manager gives up before, where there is one."""
GAP: Final = 0.001
"""Seconds per pod between two looks: reading all pods costs the server the more, the more there are."""


class Terms(NamedTuple):
    """`limit` gives how many pods may be unavailable, `deadline` is in seconds since the epoch, `again` the command to go on."""

    limit: Callable[[Workload], int]
    deadline: float | None
    tell: Callable[[str], None]
    again: str


class Restart:
    """One run of the command on one workload."""

    def __init__(self, cluster: Cluster, clock: Clock, path: str, kind: Kind, terms: Terms) -> None:
        self._cluster, self._clock, self._path, self._kind = cluster, clock, path, kind
        self._terms = terms
        self._asked_at: dict[str, float] = {}
        self._sightings: dict[tuple[str, ...], Sighting] = {}
        self._told = ""

    def run(self) -> None:
        """Restart until every pod is done and back, then take the mark away.

        Raises NoDaemonError where no daemon answers, RefusedError where the workload is paused or loses its mark on the
        way, TimedOutError when the deadline has passed, KruiseError with the cause where a container does not come back.
        A second run goes on from there.
        """
        workload, run = self._look()
        Requests(self._cluster, workload, run).remove_failed()
        while True:
            workload, run = self._look()
            requests = Requests(self._cluster, workload, run)
            pods, pods_version = list_owned(self._cluster, workload)
            wave = plan_wave(
                workload, pods, requests.all, run, self._terms.limit(workload), self._clock.time()
            )
            self._check_answers(workload, requests, wave)
            self._check_health(workload, pods, requests, wave)
            self._tell(workload, wave)
            if wave.settled:
                self._cluster.patch(self._path, Patch(PatchType.JSON, plan_run_end(workload)))
                return
            for order in wave.chosen:
                try:
                    requests.ask(order)
                except NoDaemonError:
                    self._give_up(workload, requests, wave)
                    raise
            self._check_time(workload, wave)
            self._await(workload, requests, wave, pods_version)

    def _look(self) -> tuple[Workload, Run]:
        workload = Workload(self._cluster.get(self._path), self._kind)
        run = read_run(workload)
        if run is None or workload.paused or workload.deleting:
            why = "it is being deleted" if workload.deleting else "it is paused" if workload.paused else ""
            raise RefusedError(
                f"the restart of {workload.title} was stopped: {why or 'somebody took its mark away'}"
            )
        return workload, run

    def _check_answers(self, workload: Workload, requests: Requests, wave: Wave) -> None:
        """Raise NoDaemonError for a request that nobody has taken up in time, and remove those that nobody will."""
        now = self._clock.monotonic()
        for request in requests.unanswered:
            asked_at = self._asked_at.setdefault(uid_of(request), now)
            if not finished(request) and now < asked_at + ANSWER_LIMIT:
                continue
            pod = str(dig(request, ("spec", "podName")))
            node = str(dig(request, ("metadata", "labels", NODE_LABEL), "?"))
            self._give_up(workload, requests, wave)
            raise no_daemon(
                workload, f"nobody on node {node} has taken up the request for pod {pod}: {NO_ANSWER}"
            )

    def _give_up(self, workload: Workload, requests: Requests, wave: Wave) -> None:
        """Take back what nobody has taken up; with nothing restarted also the mark."""
        requests.remove_unanswered()
        if not wave.done and not requests.answered:
            self._cluster.patch(self._path, Patch(PatchType.JSON, plan_run_end(workload)))

    def _check_health(self, workload: Workload, pods: Sequence[Raw], requests: Requests, wave: Wave) -> None:
        """Raise KruiseError where a request failed, or where a container will not come back or makes room."""
        living = {uid_of(pod): pod for pod in pods if active(pod)}
        for uid, request in requests.by_pod.items():
            if uid in living and (cause := failure_of(request)):
                raise KruiseError(
                    f"pod {name_of(living[uid])} of {workload.title} could not be restarted in place{_so_far(wave)}",
                    cause=cause,
                    hint=f"to go on from here: {self._terms.again}",
                )
        moved = {*wave.working, *wave.recovering}
        for pod in living.values():
            if name_of(pod) not in moved and not wave.stuck:
                continue
            for problem in pod_problems(pod):
                if self._hopeless(problem):
                    raise _lost(workload, pod, problem, wave, self._terms.again)

    def _hopeless(self, problem: Problem) -> bool:
        now = self._clock.time()
        sighting = sight(self._sightings, problem, now, updated_in_place=True)
        self._sightings[problem.identity] = sighting
        return now >= FailFast().due(problem, sighting)

    def _check_time(self, workload: Workload, wave: Wave) -> None:
        if self._terms.deadline is not None and self._clock.time() >= self._terms.deadline:
            raise TimedOutError(
                f"{workload.title}: the time is over{_so_far(wave)}",
                hint=f"to go on from here: {self._terms.again}",
            )

    def _tell(self, workload: Workload, wave: Wave) -> None:
        text = f"{workload.title}: {wave.done} of {wave.total} pods restarted"
        if wave.held:
            text += "; a rollout has begun meanwhile, and comes first"
        if text != self._told:
            self._told = text
            self._terms.tell(text)

    def _await(self, workload: Workload, requests: Requests, wave: Wave, pods_version: str) -> None:
        began = self._clock.monotonic()
        working = bool(wave.working or wave.chosen)
        await_change(
            self._cluster,
            self._clock,
            requests.path if working else POD.path(workload.namespace),
            requests.version if working else pods_version,
            labels=requests.labels if working else workload.selector,
            deadline=self._terms.deadline,
            concerns=finished if working else active,
        )
        pause = threading.Condition()
        with pause:
            left = wave.total * GAP - (self._clock.monotonic() - began)
            if left > 0:
                self._clock.wait(pause, left)


def list_owned(cluster: Cluster, workload: Workload) -> tuple[list[Raw], str]:
    """Give the pods that a workload owns, a Deployment through its ReplicaSets, and the version of the list."""
    owners = {workload.uid}
    if workload.kind is DEPLOYMENT:
        sets = cluster.list(history_kind(workload).path(workload.namespace), labels=workload.selector)
        owners = {uid_of(each) for each in sets["items"] if in_history(workload, each)}
    listed = cluster.list(POD.path(workload.namespace), labels=workload.selector)
    return [pod for pod in listed["items"] if owner_uid(pod) in owners], version_of(listed)


def _lost(workload: Workload, pod: Raw, problem: Problem, wave: Wave, again: str) -> KruiseError:
    who = f"container {problem.container}" if problem.container else "the pod"
    cause = f"{problem.reason}: {problem.message}" if problem.message else problem.reason
    if wave.stuck:
        title = f"{workload.title} has as many unavailable pods as it may have, and pod {name_of(pod)} does not recover"
    else:
        title = f"{who} of pod {name_of(pod)} does not come back{_so_far(wave)}"
    return KruiseError(title, cause=cause, hint=f"to go on from here: {again}")


def _so_far(wave: Wave) -> str:
    return f"; {wave.done} of {wave.total} pods restarted"

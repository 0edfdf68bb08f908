"""The ContainerRecreateRequests of one restart: read, asked for, taken back."""

import contextlib
from typing import Final

from kubectl_kruise.cluster.port import Cluster, DryRun
from kubectl_kruise.engine.changes.recreating import (
    Order,
    Run,
    finished,
    recreate_request,
    succeeded,
)
from kubectl_kruise.errors import (
    ConflictError,
    NoDaemonError,
    NotAllowedError,
    NotFoundError,
    ServerError,
    UnknownTypeError,
)
from kubectl_kruise.facts.kinds import CONTAINER_RECREATE_REQUEST, POD
from kubectl_kruise.facts.recreation import (
    ACTIVE_LABEL,
    FAILED,
    NO_ANSWER,
    POD_GONE,
    POD_UID_LABEL,
    RESTART_LABEL,
)
from kubectl_kruise.objects.raw import Raw, dig, labels_of, name_of, uid_of, version_of
from kubectl_kruise.objects.workload import Workload

NO_KIND: Final = "the server has no ContainerRecreateRequests"
_GATE_OFF: Final = "feature-gate KruiseDaemon is not enabled"


class Requests:
    """What the server holds of a run's requests, as read when this was made; NoDaemonError where it knows none."""

    def __init__(self, cluster: Cluster, workload: Workload, run: Run) -> None:
        self._cluster, self._workload, self._run = cluster, workload, run
        self.path = CONTAINER_RECREATE_REQUEST.path(workload.namespace)
        self.labels = f"{RESTART_LABEL}={run.id}"
        try:
            listed = cluster.list(self.path, labels=self.labels)
        except UnknownTypeError as error:
            raise no_daemon(workload, NO_KIND) from error
        self.all: list[Raw] = listed["items"]
        self.version = version_of(listed)

    @property
    def by_pod(self) -> dict[str, Raw]:
        """Give the requests by their pod's uid."""
        return {labels_of(request).get(POD_UID_LABEL, ""): request for request in self.all}

    @property
    def unanswered(self) -> list[Raw]:
        """Give the requests that no daemon has taken up."""
        return [request for request in self.all if _unanswered(request)]

    @property
    def answered(self) -> list[Raw]:
        return [request for request in self.all if not _unanswered(request)]

    def ask(self, order: Order, *, dry_run: DryRun = DryRun.NONE) -> None:
        """Ask for the containers of a pod; one that is gone or no longer runs meanwhile is left for the next look.

        Raises NoDaemonError where the server shows that nobody will carry it out, else what the server says.
        """
        body = recreate_request(self._workload, order, self._run)
        try:
            made = self._cluster.create(self.path, body, dry_run=dry_run)
        except ConflictError:
            return  # asked already, by another run of the command; the next look sees it
        except UnknownTypeError as error:
            raise no_daemon(self._workload, NO_KIND) from error
        except NotAllowedError as error:
            if _GATE_OFF in error.line():
                raise no_daemon(self._workload, _GATE_OFF) from error
            raise NotAllowedError(
                f"cannot restart {self._workload.title}: {error.message}",
                cause=error.cause,
                hint=error.hint,
                status=error.status,
            ) from None
        except ServerError as error:
            if self._same(order):
                raise ServerError(
                    f"cannot restart pod {order.pod} of {self._workload.title} in place",
                    cause=error.cause or error.message,
                    status=error.status,
                ) from None
            return
        if ACTIVE_LABEL not in labels_of(made):
            if dry_run is DryRun.NONE:
                self._remove(made)
            raise no_daemon(self._workload, "no webhook of Kruise has filled in the request")
        if dry_run is DryRun.NONE and labels_of(made).get(POD_UID_LABEL) != order.uid:
            self._remove(made)  # another pod has its name by now

    def remove_failed(self) -> None:
        """Take away requests that ended without success, so that they can be made anew."""
        for request in self.all:
            if finished(request) and not succeeded(request):
                self._remove(request)

    def remove_unanswered(self) -> None:
        """Take back what no daemon has taken up, what was asked for since the last look included."""
        for request in Requests(self._cluster, self._workload, self._run).unanswered:
            self._remove(request)

    def _remove(self, request: Raw) -> None:
        with contextlib.suppress(NotFoundError, ConflictError):
            self._cluster.delete(
                f"{self.path}/{name_of(request)}", options={"preconditions": {"uid": uid_of(request)}}
            )

    def _same(self, order: Order) -> bool:
        """Say whether the pod still is the one that was looked at, so that asking again would not help."""
        try:
            pod = self._cluster.get(POD.path(self._workload.namespace, order.pod))
        except NotFoundError:
            return False
        return uid_of(pod) == order.uid and not dig(pod, ("metadata", "deletionTimestamp"))


def failure_of(request: Raw) -> str:
    """Say why a request ended without success, "" where it did not; a pod that went meanwhile is no failure."""
    message = str(dig(request, ("status", "message"), ""))
    if not finished(request) or succeeded(request) or message in (POD_GONE, NO_ANSWER):
        return ""
    states = dig(request, ("status", "containerRecreateStates"), [])
    failed = [
        f"container {state['name']}: {state.get('message') or 'failed'}"
        for state in states
        if state.get("phase") == FAILED
    ]
    return "; ".join(failed) or message or "it ended before its containers were restarted"


def no_daemon(workload: Workload, cause: str) -> NoDaemonError:
    """Give the error that offers the restart which needs no daemon."""
    return NoDaemonError(
        f"cannot restart {workload.title} in place: no node daemon of Kruise answers",
        cause=cause,
        hint=f"kubectl kruise rollout restart {workload.arguments} recreates the pods instead",
    )


def _unanswered(request: Raw) -> bool:
    return not dig(request, ("status", "phase")) or dig(request, ("status", "message")) == NO_ANSWER

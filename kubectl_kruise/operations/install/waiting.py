"""Waits until definitions are established and served."""

import threading
from collections.abc import Iterable, Sequence

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.errors import ExpiredError, NotFoundError, ServerError, TimedOutError
from kubectl_kruise.facts.kinds import CRD, Kind
from kubectl_kruise.objects.condition import condition, condition_true
from kubectl_kruise.objects.raw import Raw, name_of, version_of
from kubectl_kruise.operations.install.apply import storage_version

ASK_AGAIN_SECONDS = 0.05


def wait_established(cluster: Cluster, kinds: Sequence[Kind], clock: Clock, timeout: float | None) -> None:
    """Wait until every definition is Established and its collection answers (fault B162).

    Raises TimedOutError naming the definitions that are not there after `timeout` seconds (None: never), ServerError for
    one whose names are refused.
    """
    deadline = None if timeout is None else clock.time() + timeout
    waiting = {kind.resource: kind for kind in kinds}
    versions: dict[str, str] = {}
    while waiting:
        listed = cluster.list(CRD.path())
        _settle(waiting, versions, listed["items"])
        if waiting:
            try:
                left = None if deadline is None else max(0.0, deadline - clock.time())
                for change in cluster.watch(CRD.path(), version_of(listed), timeout=left):
                    _settle(waiting, versions, [change.object])
                    if not waiting:
                        break
            except ExpiredError:
                continue
        if waiting and deadline is not None and clock.time() >= deadline:
            raise TimedOutError(
                f"timed out after {timeout:g}s: not established yet: {', '.join(sorted(waiting))}",
                hint=f"kubectl describe crd {next(iter(waiting))}",
            )
    for kind in kinds:
        _wait_served(cluster, kind.path(version=versions[kind.resource]), clock, deadline)


def _settle(waiting: dict[str, Kind], versions: dict[str, str], objects: Iterable[Raw]) -> None:
    """Strike off what is established, and note the version to ask for."""
    for raw in objects:
        name = name_of(raw)
        if name not in waiting:
            continue
        accepted = condition(raw, "NamesAccepted")
        if accepted is not None and accepted.get("status") == "False":
            raise ServerError(
                f'the names of CRD "{name}" are not accepted', cause=accepted.get("message", "")
            )
        if condition_true(raw, "Established"):
            versions[name] = storage_version(raw)
            del waiting[name]


def _wait_served(cluster: Cluster, path: str, clock: Clock, deadline: float | None) -> None:
    """Ask until the collection is there: a server answers 404 for a moment after Established."""
    pause = threading.Condition()
    while True:
        try:
            cluster.get(path, query={"limit": "1"})
        except NotFoundError:
            if deadline is not None and clock.time() >= deadline:
                raise TimedOutError(f"the CRD is established, but {path} is not served yet") from None
            with pause:
                clock.wait(pause, ASK_AGAIN_SECONDS)
        else:
            return

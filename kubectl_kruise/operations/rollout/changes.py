"""Wait for the next change that concerns an operation, or for its time to look again."""

from collections.abc import Callable
from typing import Final

from kubectl_kruise.cluster.clock import Clock, SystemClock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.errors import ExpiredError
from kubectl_kruise.objects.raw import Raw

LOOK_AGAIN: Final = 5.0
"""Seconds after which to look without having been told: minReadySeconds pass without an event."""


def await_change(
    cluster: Cluster,
    clock: Clock,
    path: str,
    since: str,
    *,
    labels: str,
    deadline: float | None,
    concerns: Callable[[Raw], bool],
) -> None:
    """Return after the next change at `path` that `concerns` us, or after a few seconds, at the latest at `deadline`.

    Under an injected clock nobody else runs meanwhile: what is pending is looked at once.
    """
    patience = LOOK_AGAIN if deadline is None else max(0.1, min(LOOK_AGAIN, deadline - clock.time()))
    follow = isinstance(clock, SystemClock)
    try:
        for change in cluster.watch(path, since, labels=labels, timeout=patience, follow=follow):
            if change.type != "BOOKMARK" and concerns(change.object):
                return
    except ExpiredError:
        return

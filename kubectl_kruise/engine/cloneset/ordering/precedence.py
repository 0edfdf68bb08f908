"""Sort keys that deletion and update order share: what is smaller comes first (cloneset.md §13, §15.1)."""

import math
from typing import Final

from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.pod import phase, ready, ready_since
from kubectl_kruise.objects.raw import Raw, dig, metadata

_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}


def phase_rank(pod: Raw) -> int:
    return _PHASES.get(phase(pod), 0)


def readiness_age(pod: Raw) -> float:
    """Order ready pods: no time first, then the most recently ready; pods that are not ready are all equal."""
    if not ready(pod):
        return 0.0
    since = ready_since(pod)
    return -math.inf if since is None else -since


def creation_age(pod: Raw) -> float:
    """Order pods by creation: no time first, then the newest."""
    created = parse_rfc3339(metadata(pod).get("creationTimestamp"))
    return -math.inf if created is None else -created


def most_restarts(pod: Raw, statuses: str = "containerStatuses") -> int:
    """Give the highest restart count over the pod's container statuses."""
    return max(
        (int(status.get("restartCount") or 0) for status in dig(pod, ("status", statuses), [])), default=0
    )

"""Which pods of a ReplicaSet are deleted first (DR6)."""

import math
from collections.abc import Mapping, Sequence

from kubectl_kruise.engine.cloneset.deletion import deletion_cost
from kubectl_kruise.engine.cloneset.ordering.precedence import most_restarts, phase_rank
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.pod import node_of, ready, ready_since
from kubectl_kruise.objects.raw import Raw, metadata, uid_of


def deletion_order(pods: Sequence[Raw], crowd: Mapping[str, int], now: float) -> list[Raw]:
    """Sort pods, the first to go first: unassigned, pending, not ready, cheap, crowded, young, often restarted.

    `crowd` counts by node the pods that serve the same purpose. Ages are compared by their order of magnitude, and
    equal ones by uid, so that not always the youngest pods go.
    """
    return sorted(pods, key=lambda pod: _key(pod, crowd, now))


def _key(pod: Raw, crowd: Mapping[str, int], now: float) -> tuple[object, ...]:
    return (
        bool(node_of(pod)),
        phase_rank(pod),
        ready(pod),
        deletion_cost(pod),
        -crowd.get(node_of(pod), 0),
        _magnitude(ready_since(pod) if ready(pod) else None, now),
        -most_restarts(pod),
        _magnitude(parse_rfc3339(metadata(pod).get("creationTimestamp")), now),
        uid_of(pod),
    )


def _magnitude(since: float | None, now: float) -> int:
    return -1 if since is None or since >= now else int(math.log2((now - since) * 1e9))

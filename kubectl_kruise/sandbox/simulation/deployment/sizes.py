"""How large each ReplicaSet of a Deployment is to be (DR3): pure decisions on numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_kruise.objects.notation.number import strict
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox.simulation.deployment.annotations import largest_of

DEFAULT_SHARE = "25%"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a Deployment asks for, in pods."""

    replicas: int
    surge: int
    unavailable: int

    @property
    def largest(self) -> int:
        return self.replicas + self.surge

    @property
    def least_available(self) -> int:
        return self.replicas - self.unavailable


def limits_of(deployment: Raw) -> Limits:
    """Resolve the shares: surge rounds up, unavailable down, both 0 gives unavailable 1; Recreate has neither."""
    replicas = dig(deployment, ("spec", "replicas"), 1)
    if recreates(deployment):
        return Limits(replicas, 0, 0)
    rolling = dig(deployment, ("spec", "strategy", "rollingUpdate"), {})
    surge = strict(rolling.get("maxSurge", DEFAULT_SHARE), replicas)
    unavailable = strict(rolling.get("maxUnavailable", DEFAULT_SHARE), replicas, up=False)
    if not surge and not unavailable:
        unavailable = 1
    return Limits(replicas, surge, min(unavailable, replicas))


def recreates(deployment: Raw) -> bool:
    return bool(dig(deployment, ("spec", "strategy", "type")) == "Recreate")


def size_of(replicaset: Raw) -> int:
    return int(dig(replicaset, ("spec", "replicas"), 1))


def available_of(replicaset: Raw) -> int:
    return int(dig(replicaset, ("status", "availableReplicas"), 0))


def new_size(deployment: Raw, own: int, total: int) -> int:
    """Give the size of the new ReplicaSet of `own` pods, where all ReplicaSets together have `total`."""
    limits = limits_of(deployment)
    if recreates(deployment) or own >= limits.replicas:
        return limits.replicas
    room = limits.largest - total
    return own if room <= 0 else own + min(room, limits.replicas - own)


def shrunk_old(limits: Limits, new: Raw, old: Sequence[Raw]) -> list[int]:
    """Give the sizes of the old ReplicaSets, oldest first, after one step down: unavailable pods first, then available.

    A status may lag behind: of the pods it calls available no more count than the ReplicaSet is still to have.
    """
    sizes = [size_of(each) for each in old]
    standing = [min(size_of(each), available_of(each)) for each in (*old, new)]
    budget = sum(sizes) + size_of(new) - limits.least_available - (size_of(new) - standing[-1])
    if not sum(sizes) or budget <= 0:
        return sizes
    spare = sum(standing) - limits.least_available
    for index in range(len(old)):
        broken = min(budget, sizes[index] - standing[index])
        sizes[index] -= broken
        budget -= broken
    for index in range(len(old)):
        going = max(0, min(sizes[index], spare))
        sizes[index] -= going
        spare -= going
    return sizes


def proportional(limits: Limits, known: int, active: Sequence[Raw]) -> list[int]:
    """Spread a change of size in the middle of a rollout over the active ReplicaSets, given in order of preference.

    Each gets its share of the whole; what rounding leaves over goes to the first. `known` is status.replicas, for
    ReplicaSets that do not tell the largest size they were made for.
    """
    sizes = [size_of(each) for each in active]
    change = (limits.largest if limits.replicas else 0) - sum(sizes)
    if not change:
        return sizes
    added = 0
    for index, each in enumerate(active):
        left = change - added
        share = _share(limits, known, each)
        part = (min(share, left) if change > 0 else max(share, left)) if sizes[index] and left else 0
        sizes[index] += part
        added += part
    sizes[0] = max(0, sizes[0] + change - added)
    return sizes


def _share(limits: Limits, known: int, replicaset: Raw) -> int:
    size = size_of(replicaset)
    if not limits.replicas:
        return -size
    before = largest_of(replicaset) or known
    # Half away from zero, as the native controller rounds.
    return math.floor(size * limits.largest / before + 0.5) - size if before else 0

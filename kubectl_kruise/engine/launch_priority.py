"""Which containers of a pod may start now: barriers of launch priorities, opened from the highest down (cloneset.md §17.4)."""

import re
from collections.abc import Collection
from typing import Final, NamedTuple

from kubectl_kruise.engine.admission.pod_injection import BARRIER_ENV
from kubectl_kruise.facts.names import LAUNCH_COMPLETED
from kubectl_kruise.objects.pod import active, statuses_of
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, name_of

_KEY: Final = re.compile(r"p_(-?[0-9]+)")


class Opening(NamedTuple):
    """The key to add to the barrier; `last`: no container waits for another one behind it."""

    key: str
    last: bool


def launch_priority(container: Raw) -> int | None:
    """Give the priority by which a container waits for its barrier, None where it waits for none."""
    for variable in container.get("env") or []:
        if variable.get("name") == BARRIER_ENV:
            found = _KEY.fullmatch(dig(variable, ("valueFrom", "configMapKeyRef", "key"), ""))
            return int(found[1]) if found else None
    return None


def barrier_of(pod: Raw) -> str:
    """Give the name of the config map that a pod's containers wait for."""
    return f"{name_of(pod)}-barrier"


def held_by_barrier(pod: Raw) -> bool:
    """Say whether the barrier of a living pod is still to be looked after."""
    return active(pod) and annotations_of(pod).get(LAUNCH_COMPLETED) != "true" and bool(_waiting(pod))


def next_opening(pod: Raw, opened: Collection[str]) -> Opening | None:
    """Decide what to open for the containers that are not ready: the highest of their priorities.

    `opened` are the keys that the barrier has; None where the one to open is among them.
    """
    waiting = _waiting(pod)
    if not waiting or (key := f"p_{max(waiting)}") in opened:
        return None
    return Opening(key, last=min(waiting) == max(waiting))


def _waiting(pod: Raw) -> list[int]:
    statuses = statuses_of(pod)
    priorities = (
        launch_priority(container)
        for container in dig(pod, ("spec", "containers"), [])
        if not statuses.get(str(container.get("name")), {}).get("ready")
    )
    return [priority for priority in priorities if priority is not None]

"""Which changes of a pod its CloneSet need not look at (cloneset.md §25); gate CloneSetEventHandlerOptimization."""

from collections.abc import Iterable, Mapping
from typing import Any

from kubectl_kruise.engine.inplace.completion import containers_complete
from kubectl_kruise.engine.inplace.readiness import gated
from kubectl_kruise.engine.inplace.state import parse_state, state_annotation
from kubectl_kruise.facts.names import IN_PLACE_READY
from kubectl_kruise.objects.condition import condition_true
from kubectl_kruise.objects.pod import NORMAL, active, ready, state
from kubectl_kruise.objects.raw import Raw, labels_of, metadata, owner_of


def matters(old: Raw, new: Raw, lifecycle: Raw | None, *, vertical_scaling: bool) -> bool:
    """Say whether the change from `old` to `new`, a pod that is not being deleted, can lead to anything.

    `lifecycle` are the hooks of its CloneSet; `vertical_scaling` is the gate of that name.
    """
    if labels_of(old) != labels_of(new) or owner_of(old) != owner_of(new):
        return True
    if metadata(old).get("generation") != metadata(new).get("generation"):
        return True
    if ready(old) != ready(new) or active(old) != active(new):
        return True
    watched = _hook_finalizers(lifecycle)
    if watched & _finalizers(old) != watched & _finalizers(new):
        return True
    return _finishes_update(new, vertical_scaling=vertical_scaling)


def _finishes_update(pod: Raw, *, vertical_scaling: bool) -> bool:
    """Say whether an in-place update waits for nothing but its controller."""
    concerned = gated(pod) or (labels_of(pod) and state(pod) != NORMAL)
    text = state_annotation(pod)
    if not concerned or text is None:
        return False
    try:
        recorded = parse_state(text)
    except ValueError:
        return False
    if not containers_complete(pod, recorded, vertical_scaling=vertical_scaling):
        return False
    return vertical_scaling or not condition_true(pod, IN_PLACE_READY)


def _finalizers(pod: Raw) -> set[str]:
    return set(metadata(pod).get("finalizers") or [])


def _hook_finalizers(lifecycle: Mapping[str, Any] | None) -> set[str]:
    hooks: Iterable[Raw | None] = (lifecycle or {}).values()
    return {name for hook in hooks for name in (hook or {}).get("finalizersHandler") or []}

"""Lifecycle states of a pod and the steps between them that need no decision about a rollout (cloneset.md §20)."""

from kubectl_kruise.engine.inplace.completion import pod_complete
from kubectl_kruise.facts.names import STATE_LABEL, STATE_TIMESTAMP
from kubectl_kruise.objects.pod import (
    NORMAL,
    PREPARING_UPDATE,
    UPDATED,
    all_hooked,
    has_revision,
    state,
)
from kubectl_kruise.objects.raw import Raw, dig, metadata


def next_state(
    pod: Raw, lifecycle: Raw | None, update_revision: str, *, vertical_scaling: bool = False
) -> str:
    """Give the state the pod moves to by itself, "" where it stays; one step at a time (§20.2, §20.3)."""
    match state(pod):
        case "PreparingNormal":
            hook = (lifecycle or {}).get("preNormal")
            reached = bool(dig(pod, ("spec", "nodeName"))) if hook is None else all_hooked(hook, pod)
            return NORMAL if reached else ""
        case "PreparingUpdate":
            return _after_update(pod, lifecycle) if has_revision(pod, update_revision) else ""
        case "Updating":
            return (
                _after_update(pod, lifecycle) if pod_complete(pod, vertical_scaling=vertical_scaling) else ""
            )
        case "Updated":
            hook = (lifecycle or {}).get("inPlaceUpdate")
            return NORMAL if hook is None or all_hooked(hook, pod) else ""
    return ""


def state_patch(new_state: str, now: str) -> Raw:
    """Give the merge patch that moves a pod to a state; `now` is RFC 3339 text."""
    return {"metadata": {"labels": {STATE_LABEL: new_state}, "annotations": {STATE_TIMESTAMP: now}}}


def prepare_patch(pod: Raw, hook: Raw | None, now: str) -> Raw:
    """Give the patch that moves a pod to PreparingUpdate; `hook`: one whose labels and finalizers are put back."""
    patch = state_patch(PREPARING_UPDATE, now)
    if hook is not None:
        patch["metadata"]["labels"] |= hook.get("labelsHandler") or {}
        own = metadata(pod).get("finalizers") or []
        patch["metadata"]["finalizers"] = [
            *own,
            *(name for name in hook.get("finalizersHandler") or [] if name not in own),
        ]
    return patch


def _after_update(pod: Raw, lifecycle: Raw | None) -> str:
    return (
        UPDATED if lifecycle is not None and not all_hooked(lifecycle.get("inPlaceUpdate"), pod) else NORMAL
    )

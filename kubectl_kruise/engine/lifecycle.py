"""Lifecycle states of a pod and the steps between them that need no decision about a rollout.

Sections are those of cloneset.md; advanced-statefulset.md §15 differs where a parameter says so.
"""

from enum import Enum

from kubectl_kruise.engine.inplace.completion import pod_complete
from kubectl_kruise.facts.names import STATE_LABEL, STATE_TIMESTAMP
from kubectl_kruise.objects.pod import (
    NORMAL,
    PREPARING_UPDATE,
    UPDATED,
    all_hooked,
    has_revision,
    hooked,
    state,
)
from kubectl_kruise.objects.raw import Raw, dig, metadata


def next_state(
    pod: Raw,
    lifecycle: Raw | None,
    update_revision: str,
    *,
    vertical_scaling: bool = False,
    needs_node: bool = True,
) -> str:
    """Give the state the pod moves to by itself, "" where it stays; one step at a time (§20.2, §20.3).

    `needs_node`: without a preNormal hook a new pod becomes Normal when it has a node, not before.
    """
    match state(pod):
        case "PreparingNormal":
            hook = (lifecycle or {}).get("preNormal")
            placed = not needs_node or bool(dig(pod, ("spec", "nodeName")))
            reached = placed if hook is None else all_hooked(hook, pod)
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


class Entry(Enum):
    """How a pod enters an in-place update that it is chosen for."""

    CHANGE = "it is changed now"
    PREPARE = "it moves to PreparingUpdate, until its hook lets go"
    REHOOK = "it moves to PreparingUpdate with the labels and finalizers of its hook put back"
    HELD = "the inPlaceUpdate hook is not released"
    SETTLING = "the pod becomes Normal first"
    REFUSED = "its lifecycle state allows no update"


def entry(pod: Raw, hook: Raw | None) -> Entry:
    """Choose by lifecycle state; `hook` is inPlaceUpdate (cloneset.md §14.6, advanced-statefulset.md §14.1)."""
    match state(pod):
        case "" | "PreparingNormal" | "Normal":
            return Entry.PREPARE if hooked(hook, pod) else Entry.CHANGE
        case "PreparingUpdate":
            return Entry.HELD if hooked(hook, pod) else Entry.CHANGE
        case "Updating":
            return Entry.CHANGE
        case "Updated":
            return Entry.SETTLING if hook is None else Entry.REHOOK
    return Entry.REFUSED


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

"""Predicates on pods, worded as the CloneSet controller decides them (cloneset.md §7).

Pods are raw dicts and are only read; `now` is seconds since the epoch, `min_ready` is minReadySeconds.
"""

from collections.abc import Collection
from typing import Final

from kubectl_kruise.facts.names import IN_PLACE_READY, REVISION_LABEL, SPECIFIED_DELETE_LABEL, STATE_LABEL
from kubectl_kruise.objects.condition import condition, condition_true
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, metadata, name_of

PREPARING_NORMAL: Final = "PreparingNormal"
NORMAL: Final = "Normal"
PREPARING_UPDATE: Final = "PreparingUpdate"
UPDATING: Final = "Updating"
UPDATED: Final = "Updated"
PREPARING_DELETE: Final = "PreparingDelete"


def node_of(pod: Raw) -> str:
    """Give the node a pod is bound to, "" for none."""
    return str(dig(pod, ("spec", "nodeName"), ""))


def images_of(pod: Raw) -> dict[str, str]:
    """Give the image of each container of the spec, in order."""
    return {
        str(each.get("name")): str(each.get("image") or "") for each in dig(pod, ("spec", "containers"), [])
    }


def statuses_of(pod: Raw) -> dict[str, Raw]:
    """Give the status of each container by its name; those not yet seen by a kubelet have none."""
    return {str(each.get("name")): each for each in dig(pod, ("status", "containerStatuses"), [])}


def phase(pod: Raw) -> str:
    return str(dig(pod, ("status", "phase"), ""))


def finished(pod: Raw) -> bool:
    """Say whether all containers have ended for good."""
    return phase(pod) in ("Succeeded", "Failed")


def active(pod: Raw) -> bool:
    """Say whether the pod counts at all: neither finished nor being deleted."""
    return not finished(pod) and not deleting(pod)


def ready(pod: Raw) -> bool:
    return condition_true(pod, "Ready")


def running_for(pod: Raw, min_ready: float, now: float) -> bool:
    """Say whether the pod runs and has been ready for longer than `min_ready` seconds; exactly that long is too short."""
    if phase(pod) != "Running" or not ready(pod):
        return False
    if min_ready == 0:
        return True
    since = ready_since(pod)
    return since is not None and since + min_ready < now


def ready_since(pod: Raw) -> float | None:
    """Give when condition Ready last changed its status, None where it says no time."""
    return parse_rfc3339((condition(pod, "Ready") or {}).get("lastTransitionTime"))


def update_ready(pod: Raw, min_ready: float, now: float) -> bool:
    """Say whether `running_for` holds and no in-place update keeps its gate shut."""
    gate = condition(pod, IN_PLACE_READY)
    return running_for(pod, min_ready, now) and (gate is None or gate.get("status") == "True")


def state(pod: Raw) -> str:
    """Give the lifecycle state, "" for a pod without the label."""
    return labels_of(pod).get(STATE_LABEL, "")


def available(pod: Raw, min_ready: float, now: float) -> bool:
    return state(pod) in ("", NORMAL) and update_ready(pod, min_ready, now)


def available_for_deletion(pod: Raw, now: float) -> bool:
    """Say what the deletion limits count as available: minReadySeconds is ignored there."""
    return available(pod, 0, now)


def specified(pod: Raw, to_delete: Collection[str]) -> bool:
    """Say whether the pod was chosen for deletion, by its label (any value) or by its name in podsToDelete."""
    return SPECIFIED_DELETE_LABEL in labels_of(pod) or name_of(pod) in to_delete


def claims_used(pod: Raw) -> set[str]:
    """Give the names of the volume claims that the pod uses."""
    volumes = dig(pod, ("spec", "volumes"), [])
    names = (dig(volume, ("persistentVolumeClaim", "claimName")) for volume in volumes)
    return {str(name) for name in names if name}


def revision(pod: Raw) -> str:
    """Give the revision label: `cs-hash`, or only `hash` under short hashes; "" without the label."""
    return labels_of(pod).get(REVISION_LABEL, "")


def short_hash(name: str) -> str:
    """Give the text behind the last dash."""
    return name.rpartition("-")[2]


def same_revision(label: str, name: str) -> bool:
    """Say whether a revision label means the revision: only what stands behind the last dash counts (§7 hasRev)."""
    return label == name or short_hash(label) == short_hash(name)


def has_revision(pod: Raw, name: str) -> bool:
    return same_revision(revision(pod), name)


def new_for_scale(pod: Raw, update_revision: str, *, preparing_as_update: bool = False) -> bool:
    """Say whether scaling counts the pod as updated; `preparing_as_update` is gate PreparingUpdateAsUpdate."""
    return (preparing_as_update and state(pod) == PREPARING_UPDATE) or has_revision(pod, update_revision)


def hooked(hook: Raw | None, pod: Raw) -> bool:
    """Say whether any finalizer or label of the lifecycle hook still holds the pod; never for an empty hook."""
    finalizers, labels = _handlers(hook)
    own_finalizers, own_labels = metadata(pod).get("finalizers") or [], labels_of(pod)
    return any(name in own_finalizers for name in finalizers) or any(
        own_labels.get(key) == value for key, value in labels.items()
    )


def all_hooked(hook: Raw | None, pod: Raw) -> bool:
    """Say whether all finalizers and labels of the hook are on the pod: true for an empty hook, not for none."""
    if hook is None:
        return False
    finalizers, labels = _handlers(hook)
    own_finalizers, own_labels = metadata(pod).get("finalizers") or [], labels_of(pod)
    return all(name in own_finalizers for name in finalizers) and all(
        own_labels.get(key) == value for key, value in labels.items()
    )


def _handlers(hook: Raw | None) -> tuple[list[str], dict[str, str]]:
    hook = hook or {}
    return hook.get("finalizersHandler") or [], hook.get("labelsHandler") or {}

"""The readiness gate by which a pod is taken out of service during an in-place update (cloneset.md §17.1, §21.1)."""

from kubectl_kruise.engine.inplace.change import Change
from kubectl_kruise.engine.inplace.resources import needs_restart
from kubectl_kruise.facts.names import IN_PLACE_READY
from kubectl_kruise.objects.condition import condition, condition_true
from kubectl_kruise.objects.raw import Raw, dig

START_REASON = "StartInPlaceUpdate"


def gated(pod: Raw, gate: str = IN_PLACE_READY) -> bool:
    """Say whether the pod's readiness waits for `gate`."""
    for found in (pod.get("spec") or {}).get("readinessGates") or ():
        if found.get("conditionType") == gate:
            return True
    return False


def must_close(pod: Raw, change: Change, *, vertical_scaling: bool = False) -> bool:
    """Say whether the pod has to leave service for a change (§17.2).

    New resources alone ask for that only where a container restarts for them; other metadata beside them does not.
    """
    if not gated(pod):
        return False
    only_resources = bool(change.resources) and not change.images and not change.env_from_metadata
    return not (vertical_scaling and only_resources) or needs_restart(pod, change.resources)


def opened(pod: Raw) -> bool:
    """Say whether the gate stands as the refresh leaves it: True, without reason and message."""
    gate = condition(pod, IN_PLACE_READY) or {}
    return gate.get("status") == "True" and not gate.get("reason") and not gate.get("message")


def in_service(pod: Raw) -> bool:
    """Say whether no in-place update keeps the pod out of service: it has no gate for that, or an open one."""
    return not gated(pod) or opened(pod)


def open_gate(pod: Raw, now: str) -> Raw:
    """Give the pod with the gate True; condition Ready is the kubelet's to follow."""
    return with_condition(pod, {"type": IN_PLACE_READY, "status": "True", "lastTransitionTime": now})


def close_gate(pod: Raw, now: str) -> Raw:
    """Give the pod with the gate False and condition Ready brought down at once, before the kubelet sees it."""
    entry = {"type": IN_PLACE_READY, "status": "False", "lastTransitionTime": now, "reason": START_REASON}
    known = condition(pod, IN_PLACE_READY) or {}
    if known.get("status") != "False" or known.get("reason") != START_REASON:
        pod = with_condition(pod, entry)
    return unready(pod)


def unready(pod: Raw) -> Raw:
    """Recompute condition Ready from the gates, where the containers alone would let it be True."""
    ready = condition(pod, "Ready")
    if ready is None or not condition_true(pod, "ContainersReady"):
        return pod
    shut = [message for gate in dig(pod, ("spec", "readinessGates"), []) if (message := _shut(pod, gate))]
    if not shut or ready.get("status") == "False":
        return pod
    entry = {
        "type": "Ready",
        "status": "False",
        "lastTransitionTime": None,
        "reason": "ReadinessGatesNotReady",
        "message": ", ".join(shut),
    }
    return with_condition(pod, entry)


def with_condition(pod: Raw, entry: Raw) -> Raw:
    """Give the pod with the condition in the place of the one of its type, or behind all others."""
    status = pod.get("status") or {}
    conditions = list(status.get("conditions") or [])
    place = next(
        (index for index, found in enumerate(conditions) if found.get("type") == entry["type"]),
        len(conditions),
    )
    return {**pod, "status": {**status, "conditions": [*conditions[:place], entry, *conditions[place + 1 :]]}}


def _shut(pod: Raw, gate: Raw) -> str:
    name = gate.get("conditionType")
    found = condition(pod, str(name))
    if found is None:
        return f'corresponding condition of pod readiness gate "{name}" does not exist.'
    if found.get("status") == "True":
        return ""
    return f'the status of pod readiness gate "{name}" is not "True", but {found.get("status")}'

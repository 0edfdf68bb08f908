"""The pod conditions a kubelet owns, readiness gates included."""

from collections.abc import Sequence
from typing import NamedTuple

from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw, metadata


class Readiness(NamedTuple):
    """What the conditions are made of; `sandboxed`: the pod has its network and a container was made.

    `resize`: type, reason and message of the condition about new resources, None where none are on their way.
    """

    phase: str
    initialized: bool
    unready: Sequence[str]
    sandboxed: bool
    resize: tuple[str, str, str] | None = None


class _Verdict(NamedTuple):
    holds: bool
    reason: str = ""
    message: str = ""


def pod_conditions(pod: Raw, readiness: Readiness, now: float) -> list[Raw]:
    """Give the conditions in a kubelet's order; a transition time moves only with the status."""
    known = {found["type"]: found for found in (pod.get("status") or {}).get("conditions") or []}
    containers = _containers_ready(readiness)
    verdicts = {
        "PodReadyToStartContainers": _Verdict(readiness.sandboxed),
        "Initialized": _initialized(pod, readiness),
        "ContainersReady": containers,
        "Ready": _gates(pod, known) if containers.holds else containers,
        "PodScheduled": _Verdict(holds=True),
    }
    if readiness.resize is not None:
        kind, reason, message = readiness.resize
        verdicts[kind] = _Verdict(True, reason, message)
    generation = metadata(pod).get("generation")
    return [
        _condition(kind, verdict, known.get(kind) or {}, generation, now)
        for kind, verdict in verdicts.items()
    ]


def _initialized(pod: Raw, readiness: Readiness) -> _Verdict:
    if readiness.initialized:
        return _Verdict(True, "PodCompleted" if readiness.phase == "Succeeded" else "")
    names = " ".join(container["name"] for container in pod["spec"].get("initContainers") or [])
    return _Verdict(False, "ContainersNotInitialized", f"containers with incomplete status: [{names}]")


def _containers_ready(readiness: Readiness) -> _Verdict:
    if readiness.phase in ("Succeeded", "Failed"):
        return _Verdict(False, "PodCompleted" if readiness.phase == "Succeeded" else "PodFailed")
    if readiness.unready or not readiness.initialized:
        names = " ".join(readiness.unready)
        return _Verdict(False, "ContainersNotReady", f"containers with unready status: [{names}]")
    return _Verdict(holds=True)


def _gates(pod: Raw, known: dict[str, Raw]) -> _Verdict:
    """Hold Ready back until the condition of every readiness gate is True."""
    closed = []
    for gate in pod["spec"].get("readinessGates") or []:
        kind = gate["conditionType"]
        if kind not in known:
            closed.append(f'corresponding condition of pod readiness gate "{kind}" does not exist.')
        elif (status := known[kind].get("status")) != "True":
            closed.append(f'the status of pod readiness gate "{kind}" is not "True", but {status}')
    return _Verdict(False, "ReadinessGatesNotReady", ", ".join(closed)) if closed else _Verdict(holds=True)


def _condition(kind: str, verdict: _Verdict, old: Raw, generation: int | None, now: float) -> Raw:
    status = "True" if verdict.holds else "False"
    since = old.get("lastTransitionTime") if old.get("status") == status else None
    found: Raw = {
        "type": kind,
        "status": status,
        "lastProbeTime": None,
        "lastTransitionTime": since or rfc3339(now),
        # Null takes the old text away in a strategic merge patch.
        "reason": verdict.reason or None,
        "message": verdict.message or None,
    }
    return found | {"observedGeneration": generation} if generation else found

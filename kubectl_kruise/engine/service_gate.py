"""Taking a pod out of service for a lifecycle hook: the entries of gate KruisePodReady (cloneset.md §21.2)."""

import json
from typing import Final

from kubectl_kruise.engine.inplace.readiness import gated, unready, with_condition
from kubectl_kruise.engine.revisions.content import go_json
from kubectl_kruise.facts.names import KRUISE_POD_READY
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.raw import Raw

_AGENT: Final = "Lifecycle"


def mark(pod: Raw, key: str, now: str) -> Raw | None:
    """Give the pod out of service for `key`; None where it is so already, or has no such gate."""
    entries = _entries(pod)
    if not gated(pod, KRUISE_POD_READY) or _entry(key) in entries:
        return None
    known = condition(pod, KRUISE_POD_READY)
    return unready(with_condition(pod, _condition([*entries, _entry(key)], "False" if known else "", now)))


def unmark(pod: Raw, key: str, now: str) -> Raw | None:
    """Give the pod without the entry of `key`, in service again where it was the last; None where there is none."""
    entries = _entries(pod)
    if not gated(pod, KRUISE_POD_READY) or _entry(key) not in entries:
        return None
    left = [entry for entry in entries if entry != _entry(key)]
    return with_condition(pod, _condition(left, "False" if left else "True", now))


def _entry(key: str) -> Raw:
    return {"userAgent": _AGENT, "key": key}


def _entries(pod: Raw) -> list[Raw]:
    """Read the condition's message; one that is no list of entries counts as empty."""
    try:
        entries = json.loads((condition(pod, KRUISE_POD_READY) or {}).get("message") or "[]")
    except ValueError:
        return []
    return entries if isinstance(entries, list) else []


def _condition(entries: list[Raw], status: str, now: str) -> Raw:
    ordered = sorted(entries, key=lambda entry: (entry.get("userAgent", ""), entry.get("key", "")))
    made: Raw = {"type": KRUISE_POD_READY, "lastTransitionTime": now, "message": go_json(ordered)}
    return made | ({"status": status} if status else {})

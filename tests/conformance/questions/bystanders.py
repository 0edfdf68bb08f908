"""Pods that an entry about `podsToDelete` speaks of: those of the stored workload, one of somebody else, a dying one."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.conformance.questions.caller import CONTENT_TYPES, Caller

AREA = "podsToDelete"
HOLD = "recording/hold"


@contextmanager
def bystanders(caller: Caller, path: str, owner: Any, entry: dict[str, Any]) -> Iterator[None]:
    """Have the pods of an entry there while it is asked.

    The workload's own are numbered by its replicas; any other name in the question is a pod without owner where the
    entry is about somebody else's. Those the entry has deleted before are held by a finalizer.
    """
    names = list(_names(owner, entry)) if entry.get("area") == AREA else []
    for name, owned in names:
        caller.call("POST", path, _pod(name, owner if owned else None))
        if "is deleted" in entry.get("before", ""):
            caller.call("DELETE", f"{path}/{name}")
    try:
        yield
    finally:
        for name, _ in names:
            patch = {"metadata": {"finalizers": None}}
            caller.call("PATCH", f"{path}/{name}", patch, CONTENT_TYPES["merge"])
            caller.call("DELETE", f"{path}/{name}", {"gracePeriodSeconds": 0})


def _names(owner: Any, entry: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    if "spec" not in owner:
        return
    base = owner["metadata"]["name"]
    for number in range(owner["spec"].get("replicas") or 0):
        yield f"{base}-p{number + 1}", True
    if "somebody else" in entry.get("title", ""):
        asked = entry["do"].get("patch") or {}
        for name in asked["spec"]["scaleStrategy"][AREA]:
            if not re.fullmatch(rf"{re.escape(base)}-p\d+", name):
                yield name, False


def _pod(name: str, owner: Any) -> Any:
    meta: dict[str, Any] = {"name": name, "finalizers": [HOLD], "labels": {"app": "web"}}
    if owner is not None:
        reference = {key: owner[key] for key in ("apiVersion", "kind")}
        reference |= {key: owner["metadata"][key] for key in ("name", "uid")} | {"controller": True}
        meta["ownerReferences"] = [reference]
    return {"metadata": meta, "spec": {"containers": [{"name": "main", "image": "nginx:1.25"}]}}

"""Containers that wait for a key of a config map: the barriers of launch priorities (cloneset.md §17.4)."""

from collections.abc import Callable
from typing import Final

from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.engine.admission.pod_injection import BARRIER_ENV
from kubectl_kruise.objects.raw import Raw, dig, name_of, namespace_of

_SUFFIX: Final = "-barrier"
CONFIG_ERROR: Final = "CreateContainerConfigError"


def shut_barriers(pod: Raw, find: Callable[[Key], Raw | None]) -> dict[str, str]:
    """Give for every container whose barrier is not open what a kubelet says of it; `find` looks config maps up."""
    found: dict[str, str] = {}
    for container in dig(pod, ("spec", "containers"), []):
        for variable in container.get("env") or []:
            reference = dig(variable, ("valueFrom", "configMapKeyRef"))
            if variable.get("name") == BARRIER_ENV and reference:
                message = _missing(reference, namespace_of(pod), find)
                found |= {container["name"]: message} if message else {}
    return found


def pod_of(barrier: Raw) -> Key | None:
    """Give the pod whose barrier a config map is by its name, None for any other config map."""
    name = name_of(barrier)
    return Key(namespace_of(barrier), name.removesuffix(_SUFFIX)) if name.endswith(_SUFFIX) else None


def _missing(reference: Raw, namespace: str, find: Callable[[Key], Raw | None]) -> str:
    name, key = str(reference.get("name") or ""), str(reference.get("key") or "")
    barrier = find(Key(namespace, name))
    if barrier is None:
        return f'configmap "{name}" not found'
    return (
        ""
        if key in (barrier.get("data") or {})
        else f"couldn't find key {key} in ConfigMap {namespace}/{name}"
    )

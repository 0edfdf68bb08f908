"""Warnings about pod specs that are valid and hardly mean what they say."""

from typing import Final

from kubectl_kruise.objects.raw import Raw, dig

_GENERATION: Final = ("metadata", "generation")
_AT: Final = {
    "Pod": ("spec",),
    "PodTemplate": ("template", "spec"),
    **dict.fromkeys(("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"), ("spec", "template", "spec")),
}


def template_warnings(kind: str, new: Raw, old: Raw | None) -> list[str]:
    """Give the warnings about the pod spec of an object; on update only where the object got a new generation."""
    path = _AT.get(kind)
    if path is None or (old is not None and dig(new, _GENERATION) == dig(old, _GENERATION)):
        return []
    spec, at = dig(new, path, {}), ".".join(path)
    found = [
        f"{at}.topologySpreadConstraints[{index}].labelSelector: a null labelSelector results in matching no pod"
        for index, constraint in enumerate(spec.get("topologySpreadConstraints") or ())
        if constraint.get("labelSelector") is None
    ]
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        words = "must be >= 0; negative values are invalid and will be treated as 1"
        found.append(f"{at}.terminationGracePeriodSeconds: {words}")
    return found

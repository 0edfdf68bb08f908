"""The generation of a DaemonSet's template, which a server still notes in an annotation (sandbox-apiserver.md N1)."""

from typing import Final

from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox.registry.kinds.resources import Resource

ANNOTATION: Final = "deprecated.daemonset.template.generation"


def note_generation(resource: Resource, new: Raw, old: Raw | None) -> None:
    """Set the annotation in place: a new set starts with what it brings or 1, every change of the template adds one."""
    if resource.key != "daemonsets.apps":
        return
    meta = new["metadata"]
    annotations = meta.get("annotations") or {}
    if old is None:
        number = _read(annotations.get(ANNOTATION)) or 1
    else:
        held = _read(dig(old, ("metadata", "annotations", ANNOTATION))) or 1
        number = held + (dig(new, ("spec", "template")) != dig(old, ("spec", "template")))
    meta["annotations"] = {**annotations, ANNOTATION: str(number)}


def _read(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and text.isascii() else 0

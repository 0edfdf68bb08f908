"""Whether a pod can go from one revision to another without being recreated (cloneset.md §16)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.inplace.change import Change
from kubectl_kruise.engine.inplace.difference import (
    Operation,
    about_metadata,
    replaces_image,
    template_difference,
)
from kubectl_kruise.engine.inplace.hashes import environment_references
from kubectl_kruise.engine.inplace.metadata import metadata_patch
from kubectl_kruise.engine.inplace.resources import read_resize
from kubectl_kruise.facts.names import CLAIM_HASH
from kubectl_kruise.objects.qos import qos_class
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, name_of

_TEMPLATE: Final = ("spec", "template")
_CONTAINERS: Final = ("spec", "containers")


class Verdict(NamedTuple):
    """`change` is None where the pod has to be recreated; `reason` says why."""

    change: Change | None
    reason: str


def pick_change(
    old: Raw | None, new: Raw | None, gates: Gates, *, grace_seconds: int = 0, in_place_only: bool = False
) -> Verdict:
    """Decide between two ControllerRevisions; either may be None where it is no longer known."""
    if old is None or new is None:
        return Verdict(None, "the revision of the pod is no longer known")
    if gates.recreate_on_claim_change and not in_place_only and _claims_differ(old, new):
        return Verdict(None, "volume claim templates changed")
    before, after = dig(old, ("data", *_TEMPLATE), {}), dig(new, ("data", *_TEMPLATE), {})
    operations = template_difference(old.get("data") or {}, new.get("data") or {})
    images: dict[str, str] = {}
    resources: dict[str, dict[str, dict[str, str]]] = {}
    of_metadata: list[Operation] = []
    for operation in operations:
        if about_metadata(operation):
            of_metadata.append(operation)
        elif (name := _image_of(operation, before)) is not None:
            images[name] = str(operation.value)
        elif gates.vertical_scaling and (resize := read_resize(operation, before)) is not None:
            parts = resources.setdefault(resize.container, {})
            parts.setdefault(resize.part, {})[resize.resource] = resize.quantity
        else:
            return Verdict(None, f"{operation.op} of /{'/'.join(operation.path)} cannot be applied in place")
    if resources and qos_class(before.get("spec") or {}) != qos_class(after.get("spec") or {}):
        return Verdict(None, "the new resources change the pod's QoS class")
    references, patch = _metadata_change(before, after, of_metadata, gates)
    change = Change(
        revision=name_of(new),
        images=images,
        references=references,
        resources=resources,
        metadata=patch,
        env_from_metadata=bool(references),
        grace_seconds=grace_seconds,
    )
    kinds = "images, resources and metadata" if resources else "images and metadata"
    return Verdict(change, f"only {kinds} changed" if operations else "nothing changed")


def _claims_differ(old: Raw, new: Raw) -> bool:
    before, after = annotations_of(old).get(CLAIM_HASH), annotations_of(new).get(CLAIM_HASH)
    return before is not None and after is not None and before != after


def _image_of(operation: Operation, before: Raw) -> str | None:
    """Give the name of the container whose image the operation replaces, None for any other operation."""
    if not replaces_image(operation):
        return None
    name = dig(before, (*_CONTAINERS, int(operation.path[2]), "name"))
    return str(name) if name else None


def _metadata_change(
    before: Raw, after: Raw, operations: Sequence[Operation], gates: Gates
) -> tuple[dict[str, dict[str, dict[str, str]]], Raw | None]:
    """Split metadata operations into what containers read as environment and a patch for the rest (§16.4)."""
    if not operations:
        return {}, None
    references: dict[str, dict[str, dict[str, str]]] = {}
    read: set[tuple[str, str]] = set()
    if gates.env_from_metadata:
        for operation in operations:
            match operation:
                case Operation("add" | "replace", ("metadata", "labels" | "annotations" as kind, key), value):
                    for name in _readers(after, kind, key):
                        references.setdefault(name, {}).setdefault(kind, {})[key] = str(value)
                        read.add((kind, key))
    patch = metadata_patch(
        _without(before.get("metadata") or {}, read), _without(after.get("metadata") or {}, read)
    )
    return references, patch


def _readers(template: Raw, kind: str, key: str) -> list[str]:
    """Name the containers with a variable that is read from this label or annotation."""
    return [
        str(container.get("name"))
        for container in dig(template, _CONTAINERS, [])
        if any(found[1:] == (kind, key) for found in environment_references(container))
    ]


def _without(meta: Mapping[str, Any], read: set[tuple[str, str]]) -> Raw:
    return {
        field: {key: inner for key, inner in value.items() if (field, key) not in read}
        if isinstance(value, dict)
        else value
        for field, value in meta.items()
    }

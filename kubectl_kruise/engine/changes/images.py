"""Set images of containers by name, with the smallest patch (rollout-operations.md §1, cli.md row 43)."""

import copy
from collections.abc import Mapping, Sequence
from typing import Final

from kubectl_kruise.engine.changes.change import Change, Decision, Unchanged, same_object
from kubectl_kruise.engine.changes.way import (
    claim_warnings,
    gate_warning,
    refused_in_place,
    spread_notes,
    way_of,
)
from kubectl_kruise.engine.standstill import lockup_warning, unready_warning
from kubectl_kruise.errors import NotFoundError, RefusedError, UsageError
from kubectl_kruise.objects.notation.pointer import pointer
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.objects.workload import Workload

ALL: Final = "*"
_LISTS: Final = ("initContainers", "containers")
_POD: Final = ("spec", "template", "spec")


def parse_images(words: Sequence[str]) -> dict[str, str]:
    """Read `container=image …`; `*` means all containers. Raises UsageError."""
    images: dict[str, str] = {}
    for word in words:
        name, _, image = word.partition("=")
        name, image = name.strip(), image.strip()
        if not name or not image or any(letter.isspace() for letter in image):
            raise UsageError(f'"{word}" is not of the form CONTAINER=IMAGE')
        if images.get(name, image) != image:
            raise UsageError(f'two images for container "{name}": {images[name]} and {image}')
        images[name] = image
    if not images:
        raise UsageError("no image given", hint="CONTAINER=IMAGE, e.g. app=shop/web:1.9.0")
    return images


def plan_images(workload: Workload, images: Mapping[str, str]) -> Decision:
    """Replace the images that differ, each guarded by the name of its container.

    Raises NotFoundError for a container that the template does not have, RefusedError where an InPlaceOnly workload
    could not follow.
    """
    found = _containers(workload.raw)
    names = [name for _, name, _ in found]
    for name in images:
        if name != ALL and name not in names:
            raise NotFoundError(
                f'{workload.title} has no container "{name}"', hint=f"containers: {', '.join(names)}"
            )
    operations = same_object(workload.raw)
    deltas: list[str] = []
    template = copy.deepcopy(dig(workload.raw, ("spec", "template"), {}))
    for path, name, old in found:
        new = images.get(name, images.get(ALL, old))
        if new == old:
            continue
        operations += [
            {"op": "test", "path": pointer((*path, "name")), "value": name},
            {"op": "replace" if old else "add", "path": pointer((*path, "image")), "value": new},
        ]
        deltas.append(f"{path[-2]}[{name}] {old or 'no image'} → {new}")
        dig(template, path[2:])["image"] = new
    if not deltas:
        return Unchanged("the images are set already")
    way = way_of(workload, template)
    if reason := refused_in_place(workload, way):
        raise RefusedError(
            f"{workload.title}: {reason}",
            hint="change the type to InPlaceIfPossible to let pods be recreated",
        )
    return Change(
        "image updated",
        operations,
        notes=(way.text(workload), *spread_notes(workload)),
        warnings=(
            *claim_warnings(workload, recreated=not way.in_place),
            *unready_warning(workload),
            *gate_warning(workload, template),
            *lockup_warning(workload, in_place=way.in_place),
        ),
        mode=way.mode,
        deltas=tuple(deltas),
    )


def _containers(raw: Raw) -> list[tuple[tuple[str | int, ...], str, str]]:
    """Give path, name and image of every container of the template, init containers first."""
    return [
        ((*_POD, kind, index), str(container.get("name") or ""), str(container.get("image") or ""))
        for kind in _LISTS
        for index, container in enumerate(dig(raw, (*_POD, kind), []))
    ]

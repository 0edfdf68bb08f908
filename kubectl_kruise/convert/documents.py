"""Whole files of manifests: workloads are converted where they stand, what names them follows (migration.md §7)."""

import copy
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kubectl_kruise.convert.report import Conversion
from kubectl_kruise.engine.migration.references import Pointer, find_pointers
from kubectl_kruise.engine.migration.surroundings import OWNERS, POINTERS, Surroundings
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import Raw, namespace_of, put
from kubectl_kruise.objects.workload import Workload

Convert = Callable[[Raw], Conversion]


class Converted(NamedTuple):
    """All documents in their order; one conversion per workload, and what was made to follow it."""

    documents: list[Raw]
    conversions: list[tuple[Workload, Conversion]]
    pointers: list[Pointer]


def convert_documents(documents: Sequence[Raw], kind: Kind, convert: Convert) -> Converted:
    """Convert every object of `kind`; others stay as they are but for references to a converted one."""
    made = [copy.deepcopy(document) for document in _flat(documents)]
    conversions: list[tuple[Workload, Conversion]] = []
    pointers: list[Pointer] = []
    around = _by_namespace(made)
    for at, document in enumerate(made):
        if _kind_of(document) is not kind:
            continue
        conversion = convert(document)
        source = Workload(document, kind)
        conversions.append((source, conversion))
        made[at] = conversion.obj
        for pointer in find_pointers(source, conversion.obj, around[namespace_of(document)]):
            if pointer.rewritable:
                put(pointer.obj, pointer.path, pointer.after)
            pointers.append(pointer)
    return Converted(made, conversions, pointers)


def _flat(documents: Sequence[Raw]) -> list[Raw]:
    """Open lists of objects: what they hold is converted like any other document."""
    return [
        item
        for document in documents
        for item in (document.get("items") or [] if document.get("kind") == "List" else [document])
    ]


def _by_namespace(documents: Sequence[Raw]) -> dict[str, Surroundings]:
    found: dict[str, dict[Kind, list[Raw]]] = {}
    for document in documents:
        kinds = found.setdefault(namespace_of(document), {})
        if (kind := _kind_of(document)) is not None:
            kinds.setdefault(kind, []).append(document)
    return {namespace: Surroundings(kinds, {}) for namespace, kinds in found.items()}


def _kind_of(document: Raw) -> Kind | None:
    """Give the kind of a document among those that matter to a migration."""
    group = str(document.get("apiVersion") or "").rpartition("/")[0]
    known = (
        kind for kind in (*OWNERS, *POINTERS) if (kind.kind, kind.group) == (document.get("kind"), group)
    )
    return next(known, None)

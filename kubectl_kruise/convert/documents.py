"""Whole files of manifests: workloads are converted where they stand, what names them follows (migration.md §7)."""

import copy
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from kubectl_kruise.convert.report import Conversion
from kubectl_kruise.engine.migration.references import Pointer, find_pointers
from kubectl_kruise.engine.migration.surroundings import OWNERS, POINTERS, Surroundings
from kubectl_kruise.facts.kinds import DEPLOYMENT, Kind
from kubectl_kruise.objects.raw import Raw, namespace_of, put
from kubectl_kruise.objects.workload import Workload

Convert = Callable[[Raw, Kind], Conversion]

_LIST: Final = "List"
_OLD_GROUPS: Final = {DEPLOYMENT: ("extensions",)}
"""Groups in which a kind was served long ago, under the same name."""


class Converted(NamedTuple):
    """One workload of the file: `around` is what else its namespace has there."""

    source: Workload
    conversion: Conversion
    pointers: Sequence[Pointer]
    around: Surroundings


def convert_documents(
    documents: Sequence[Raw], kinds: Collection[Kind], convert: Convert
) -> tuple[list[Raw], list[Converted]]:
    """Convert every object of these kinds, also within lists; others stay but for references to a converted one.

    Gives all documents in their order, and what was converted.
    """
    made = [_Place(None, copy.deepcopy(document)) for document in documents]
    places = [place for one in made for place in _objects(one)]
    around = _by_namespace([place.obj for place in places])
    converted: list[Converted] = []
    for place in places:
        kind = kind_of(place.obj)
        if kind is None or kind not in kinds:
            continue
        conversion = convert(place.obj, kind)
        source, near = Workload(place.obj, kind), around[namespace_of(place.obj)]
        pointers = find_pointers(source, conversion.obj, near)
        for pointer in pointers:
            if pointer.rewritable:
                put(pointer.obj, pointer.path, pointer.after)
        converted.append(Converted(source, conversion, pointers, near))
        place.put(conversion.obj)
    return [place.obj for place in made], converted


class _Place:
    """Where an object stands: on its own, or in a list."""

    def __init__(self, holder: Raw | None, obj: Raw, at: int = 0) -> None:
        self._holder, self._at = holder, at
        self.obj = obj

    def put(self, obj: Raw) -> None:
        self.obj = obj
        if self._holder is not None:
            # A list of one kind may hold another kind afterwards, which only the general one does.
            self._holder.update(apiVersion="v1", kind=_LIST)
            self._holder["items"][self._at] = obj


def _objects(place: _Place) -> Iterator[_Place]:
    """Go through an object, or through those in a list, however deep; items of a typed list get its kind."""
    kind, items = str(place.obj.get("kind") or ""), place.obj.get("items")
    if not kind.endswith(_LIST) or not isinstance(items, list):
        yield place
        return
    single = kind.removesuffix(_LIST)
    for at, item in enumerate(items):
        if isinstance(item, dict):
            if single:
                items[at] = {"apiVersion": place.obj.get("apiVersion"), "kind": single, **item}
            yield from _objects(_Place(place.obj, items[at], at))


def _by_namespace(documents: Sequence[Raw]) -> Mapping[str, Surroundings]:
    found: dict[str, dict[Kind, list[Raw]]] = {}
    for document in documents:
        kinds = found.setdefault(namespace_of(document), {})
        if (kind := kind_of(document)) is not None:
            kinds.setdefault(kind, []).append(document)
    return {namespace: Surroundings(kinds, {}) for namespace, kinds in found.items()}


def kind_of(document: Raw) -> Kind | None:
    """Give the kind of a document among those that matter to a migration, in whatever version it is written."""
    group = str(document.get("apiVersion") or "").rpartition("/")[0]
    return next(
        (
            kind
            for kind in (*OWNERS, *POINTERS)
            if kind.kind == document.get("kind") and group in (kind.group, *_OLD_GROUPS.get(kind, ()))
        ),
        None,
    )

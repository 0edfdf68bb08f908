"""What may change about claim templates while claims grow with them (advanced-statefulset.md W-24).

Gate StatefulSetAutoResizePVCGate.
"""

from collections.abc import Callable, Iterable
from typing import Final

from kubectl_kruise.engine.admission.complaint import invalid, quoted
from kubectl_kruise.engine.admission.go_syntax import go_syntax
from kubectl_kruise.facts.policies import ON_DELETE
from kubectl_kruise.objects.notation.field_errors import FieldError, forbidden
from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, metadata, name_of

StorageClasses = Callable[[], Iterable[Raw]]
"""Gives the storage classes of the cluster."""

DEFAULT_CLASS: Final = "storageclass.kubernetes.io/is-default-class"
_FIELD: Final = "spec.volumeClaimTemplates"


def claim_update_problem(spec: Raw, known: Raw, classes: StorageClasses) -> FieldError | None:
    """Judge the claim templates of a typed spec by those before it, `known`, and by what `known` says of claims.

    The first problem ends the search. Only storage classes that are asked about are looked at.
    """
    if dig(known, ("volumeClaimUpdateStrategy", "type"), "") in ("", ON_DELETE):
        return None
    before: list[Raw] = known.get("volumeClaimTemplates") or []
    after: list[Raw] = spec.get("volumeClaimTemplates") or []
    if len(before) != len(after):
        shown = go_syntax(after or None, "[]PersistentVolumeClaim")
        return invalid(_FIELD, shown, "volumeClaimTemplate can not be added or deleted when OnRollingUpdate")
    by_name = {name_of(claim): claim for claim in before}
    for template in after:
        if problem := _template_problem(template, by_name.get(name_of(template)), classes):
            return problem
    return None


def _template_problem(template: Raw, before: Raw | None, classes: StorageClasses) -> FieldError | None:
    field = f"{_FIELD}[{name_of(template)}]"
    if before is None:
        return forbidden(f"{field}.name", "volumeClaimTemplate name can not be modified")
    if not _alike(template, before):
        shown = go_syntax(template, "PersistentVolumeClaim")
        return invalid(field, shown, "volumeClaimTemplate can not be modified when OnRollingUpdate")
    if all(_storage(template, part) == _storage(before, part) for part in ("requests", "limits")):
        return None
    wanted = _class_of(template)
    storage_class = _default_class(classes()) if wanted is None else _named(classes(), wanted)
    if storage_class is None:
        if wanted is None:
            return None
        return invalid(f"{field}.spec.storageClassName", quoted(wanted), "can not get sc")
    if storage_class.get("allowVolumeExpansion") is False:
        text = f"storage class {name_of(storage_class)} does not support volume expansion"
        return forbidden(f"{field}.spec.resources.requests.storage", text)
    return None


def _alike(template: Raw, before: Raw) -> bool:
    """Say whether nothing but sizes differs; a class that one of them leaves open is no difference."""
    chosen = {_class_of(template), _class_of(before)} - {None}
    modes = [dig(claim, ("spec", "accessModes"), []) for claim in (template, before)]
    return len(chosen) <= 1 and modes[0] == modes[1]


def _class_of(claim: Raw) -> str | None:
    name: str | None = dig(claim, ("spec", "storageClassName"))
    return name


def _storage(claim: Raw, part: str) -> int:
    return parse_quantity(dig(claim, ("spec", "resources", part, "storage"), "0")).nanos


def _named(classes: Iterable[Raw], name: str) -> Raw | None:
    return next((each for each in classes if name_of(each) == name), None)


def _default_class(classes: Iterable[Raw]) -> Raw | None:
    """Give the class of claims that name none: the newest that is marked so, the first of equally old ones."""
    marked = [each for each in classes if annotations_of(each).get(DEFAULT_CLASS) == "true"]
    return max(marked, key=lambda each: metadata(each).get("creationTimestamp") or "", default=None)

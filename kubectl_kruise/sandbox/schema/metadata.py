"""Validation of object metadata, the same for native and custom kinds (sandbox-apiserver.md M5 to M9, G6)."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from kubectl_kruise.objects.notation.field_errors import (
    FieldError,
    compact,
    duplicate,
    forbidden,
    invalid,
    required,
    too_long,
)
from kubectl_kruise.objects.notation.syntax import (
    label_key_problems,
    label_problems,
    label_value_problems,
    subdomain_problems,
)
from kubectl_kruise.objects.raw import Raw

ANNOTATIONS_LIMIT: Final = 256 * 1024
STANDARD_FINALIZERS: Final = frozenset({"foregroundDeletion", "orphan", "kubernetes"})
_OWNERS_TWICE: Final = (
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject"
    " such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
)
_IMMUTABLE: Final = ("uid", "deletionTimestamp", "deletionGracePeriodSeconds")

NameCheck = Callable[[str], list[str]]


def subdomain_name(name: str) -> list[str]:
    return [text.replace("bytes", "characters") for text in subdomain_problems(name)]


def label_name(name: str) -> list[str]:
    if "." in name:
        return ["must not contain dots"]
    return [text.replace("bytes", "characters") for text in label_problems(name)]


def path_segment_name(name: str) -> list[str]:
    if name in {".", ".."}:
        return [f"may not be '{name}'"]
    return [f"may not contain '{sign}'" for sign in ("/", "%") if sign in name]


def metadata_errors(
    new: Raw, old: Raw | None, *, name: NameCheck = subdomain_name, native: bool = True
) -> list[FieldError]:
    """Check the metadata of a new or changed object."""
    meta = new.get("metadata") or {}
    errors = _name_errors(meta, name) if old is None else []
    errors += label_errors(meta.get("labels") or {}, "metadata.labels")
    errors += annotation_errors(meta.get("annotations") or {}, "metadata.annotations")
    errors += owner_errors(meta.get("ownerReferences") or [])
    errors += _finalizer_errors(meta.get("finalizers") or [], native=native)
    if old is not None:
        errors += _change_errors(meta, old.get("metadata") or {})
    return errors


def _name_errors(meta: Raw, check: NameCheck) -> list[FieldError]:
    name, base = meta.get("name") or "", meta.get("generateName") or ""
    errors = []
    if base:
        stem = base[:-1] + "a" if base.endswith("-") else base  # what follows makes a trailing dash harmless
        errors += [invalid("metadata.generateName", base, text) for text in check(stem)]
    if not name:
        errors.append(required("metadata.name", "name or generateName is required"))
    else:
        errors += [invalid("metadata.name", name, text) for text in check(name)]
    return errors


def label_errors(labels: Raw, field: str) -> list[FieldError]:
    errors = []
    for key, value in labels.items():
        errors += [invalid(field, key, text) for text in _label_key_problems(key)]
        errors += [invalid(field, value, text) for text in label_value_problems(value)]
    return errors


@lru_cache(maxsize=4096)
def _label_key_problems(key: str) -> tuple[str, ...]:
    """Give the complaints about a label key; the same keys come with every object."""
    return tuple(
        text.replace("a qualified name must", "a valid label key must", 1) for text in label_key_problems(key)
    )


def annotation_errors(annotations: Raw, field: str) -> list[FieldError]:
    errors = []
    for key in annotations:
        errors += [invalid(field, key, text) for text in _label_key_problems(key.lower())]
    size = sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
    if size > ANNOTATIONS_LIMIT:
        errors.append(too_long(field, ANNOTATIONS_LIMIT))
    return errors


def owner_errors(owners: Sequence[Raw]) -> list[FieldError]:
    field, errors = "metadata.ownerReferences", []
    for owner in owners:
        api_version, kind = owner.get("apiVersion") or "", owner.get("kind") or ""
        if not api_version or api_version.count("/") > 1:
            errors.append(invalid(f"{field}.apiVersion", api_version, "version must not be empty"))
        empty = [name for name in ("kind", "name", "uid") if not owner.get(name)]
        errors += [invalid(f"{field}.{name}", "", "must not be empty") for name in empty]
        if kind == "Event" and api_version in {"v1", "events.k8s.io/v1"}:
            group, _, version = api_version.rpartition("/")
            text = f"{group}/{version}, Kind=Event is disallowed from being an owner"
            errors.append(invalid(field, owner, text))
    controllers = [owner for owner in owners if owner.get("controller")]
    if len(controllers) > 1:
        first, second = (f"{owner.get('kind')}/{owner.get('name')}" for owner in controllers[:2])
        text = "Only one reference can have Controller set to true."
        errors.append(
            invalid(field, list(owners), f'{text} Found "true" in references for {first} and {second}')
        )
    return errors


def unite_owners(meta: Raw) -> tuple[str, ...]:
    """Keep one of equal references in place, and give the warning about it (M8)."""
    owners = meta.get("ownerReferences") or []
    kept: list[Raw] = []
    for owner in owners:
        if owner not in kept:
            kept.append(owner)
    if len(kept) == len(owners):
        return ()
    twice = sorted({owner.get("uid") or "" for owner in kept if owners.count(owner) > 1})
    meta["ownerReferences"] = kept
    return (_OWNERS_TWICE + ", ".join(twice),)


def _finalizer_errors(finalizers: Sequence[str], *, native: bool) -> list[FieldError]:
    errors = []
    for index, finalizer in enumerate(finalizers):
        problems = label_key_problems(finalizer)
        errors += [invalid("metadata.finalizers", finalizer, text) for text in problems]
        if native and not problems and "/" not in finalizer and finalizer not in STANDARD_FINALIZERS:
            text = "name is neither a standard finalizer name nor is it fully qualified"
            errors.append(invalid(f"metadata.finalizers[{index}]", finalizer, text))
    if {"orphan", "foregroundDeletion"} <= set(finalizers):
        text = "finalizer orphan and foregroundDeletion cannot be both set"
        errors.append(invalid("metadata.finalizers", list(finalizers), text))
    return errors


def _change_errors(meta: Raw, before: Raw) -> list[FieldError]:
    errors = []
    for name in _IMMUTABLE:
        value = meta.get(name)
        if value is not None and value != before.get(name):
            complaint = invalid(f"metadata.{name}", value, "field is immutable")
            errors += [complaint, complaint]  # the real server says it twice in the causes
    if before.get("deletionTimestamp"):
        held = before.get("finalizers") or []
        added = [name for name in meta.get("finalizers") or [] if name not in held]
        if added:
            shown = f"[]string{{{', '.join(map(compact, added))}}}"
            text = (
                f"no new finalizers can be added if the object is being deleted, found new finalizers {shown}"
            )
            errors += [forbidden("metadata.finalizers", text)] * 2
    return errors


def metadata_warnings(new: Raw, *, native: bool) -> list[str]:
    """Warn about finalizers without a domain on custom objects; native kinds refuse them (M7)."""
    if native:
        return []
    words = (
        "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
    )
    finalizers = (new.get("metadata") or {}).get("finalizers") or []
    return [
        f'metadata.finalizers: "{name}": {words}'
        for name in finalizers
        if "/" not in name and name not in STANDARD_FINALIZERS
    ]


def repeated(values: Sequence[str], field: str) -> list[FieldError]:
    """Complain about every value that stood before; `field` has `{}` for the index."""
    seen: set[str] = set()
    errors = []
    for index, value in enumerate(values):
        if value and value in seen:
            errors.append(duplicate(field.format(index), value))
        seen.add(value)
    return errors

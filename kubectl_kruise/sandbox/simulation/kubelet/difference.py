"""What of a pod's status has to be written: a kubelet that changes nothing writes nothing."""

from typing import Any, Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.simulation.kubelet.resizing import CONDITIONS as RESIZE_CONDITIONS

_CONTAINERS: Final = ("containerStatuses", "initContainerStatuses")
_SERVER_FIELDS: Final = ("volumeMounts", "user", "allocatedResourcesStatus", "stopSignal")
_CONDITION_FIELDS: Final = ("status", "reason", "message", "observedGeneration")


def status_patch(current: Raw, wanted: Raw) -> Raw:
    """Give the fields of a strategic merge patch that turn `current` into `wanted`, {} where they say the same."""
    return {
        field: value
        for field, value in ((field, _part(field, current, value)) for field, value in wanted.items())
        if value
    }


def _part(field: str, current: Raw, value: Any) -> Any:
    """Give what is to be written of one field, None for nothing.

    Of the conditions only those that differ; those about resources go away when nothing more is to be said of them.
    """
    if field == "conditions":
        known = {found["type"]: found for found in current.get(field) or []}
        over = [kind for kind in RESIZE_CONDITIONS if kind in known and all(f["type"] != kind for f in value)]
        return [
            *(found for found in value if not _same_condition(known.get(found["type"]), found)),
            *({"$patch": "delete", "type": kind} for kind in over),
        ]
    if field in _CONTAINERS:
        old = current.get(field) or []
        same = len(old) == len(value) and all(_same_container(x, y) for x, y in zip(old, value, strict=True))
        return None if same else value
    return None if current.get(field) == value else value


def _same_condition(old: Raw | None, new: Raw) -> bool:
    return old is not None and all(
        (old.get(name) or None) == (new.get(name) or None) for name in _CONDITION_FIELDS
    )


def _same_container(old: Raw, new: Raw) -> bool:
    names = (old.keys() | new.keys()) - set(_SERVER_FIELDS)
    return all(_without_blanks(old.get(name)) == _without_blanks(new.get(name)) for name in names)


def _without_blanks(value: Any) -> Any:
    """Drop what the API server drops, so that its reading of a status equals ours."""
    if isinstance(value, dict):
        return {
            key: kept for key, kept in ((k, _without_blanks(v)) for k, v in value.items()) if kept
        } or None
    return value or None

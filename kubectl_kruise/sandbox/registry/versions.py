"""The same object in another served version (sandbox-apiserver.md R1, R3, CR11)."""

from typing import Final

from kubectl_kruise.objects.raw import Raw

_EVENT_NAMES: Final = (
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
)


def convert(raw: Raw, api_version: str) -> Raw:
    """Give `raw` in `api_version`; the same object where it already is in it. Conversion strategy None otherwise."""
    if raw["apiVersion"] == api_version:
        return raw
    names: dict[str, str] = {}
    if raw["kind"] == "Event" and api_version == "events.k8s.io/v1":
        names = dict(_EVENT_NAMES)
    elif raw["kind"] == "Event" and api_version == "v1":
        names = {new: old for old, new in _EVENT_NAMES}
    return {names.get(key, key): value for key, value in raw.items()} | {"apiVersion": api_version}

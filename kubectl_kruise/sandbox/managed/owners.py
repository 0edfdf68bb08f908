"""The entries of `metadata.managedFields`: who owns what, since when (sandbox-apiserver.md F1, F3)."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.managed import fields
from kubectl_kruise.sandbox.managed.fields import Fields

APPLY: Final = "Apply"
UPDATE: Final = "Update"
FORMAT: Final = "FieldsV1"
UNKNOWN: Final = "unknown"
OLD_UPDATES: Final = "ancient-changes"
UPDATES_LIMIT: Final = 10
"""The oldest of more entries of updates are put together."""


class Identity(NamedTuple):
    """What tells one owner from another; an applier is the same in every version of the kind."""

    manager: str
    operation: str
    api_version: str = ""
    subresource: str = ""


class Owned(NamedTuple):
    """What somebody owns, named in the fields of one version. `time` is "" where nobody noted it."""

    fields: Fields
    api_version: str
    time: str = ""


Owners = dict[Identity, Owned]


def writer(manager: str, operation: str, api_version: str, subresource: str) -> Identity:
    """Give the owner that a request makes."""
    version = "" if operation == APPLY else api_version
    return Identity(manager or UNKNOWN, operation, version, subresource)


def read_owners(entries: Any) -> Owners | None:
    """Read entries; None where they cannot be taken for such: then what stood before counts (F8)."""
    owners: Owners = {}
    for entry in entries or ():
        if not isinstance(entry, dict):
            return None
        operation, version = entry.get("operation"), entry.get("apiVersion") or ""
        if operation not in (APPLY, UPDATE) or not version or entry.get("fieldsType") != FORMAT:
            return None
        owned = fields.read(entry.get("fieldsV1"))
        if owned is None:
            return None
        who = writer(entry.get("manager") or "", operation, version, entry.get("subresource") or "")
        if not entry.get("manager"):
            who = who._replace(manager="")
        owners[who] = Owned(owned, version, entry.get("time") or "")
    return owners


def held_owners(raw: Raw) -> Owners:
    """Give the owners of a stored object, whose entries are well formed."""
    owners: Owners = {}
    for entry in raw["metadata"].get("managedFields") or ():
        operation, version = entry["operation"], entry["apiVersion"]
        identity = Identity(
            entry.get("manager", ""),
            operation,
            "" if operation == APPLY else version,
            entry.get("subresource", ""),
        )
        owners[identity] = Owned(entry["fieldsV1"], version, entry.get("time", ""))
    return owners


def entries_of(owners: Mapping[Identity, Owned]) -> list[Raw]:
    """Give the entries in the order in which they are shown: appliers first, then by time and name (F3)."""
    order = sorted(owners, key=lambda who: _order(who, owners[who]))
    return [_entry(who, owners[who]) for who in order]


def _order(who: Identity, owned: Owned) -> tuple[str, str, str, str, str]:
    # Times as the server writes them have the order of their texts.
    return who.operation, owned.time, who.manager, owned.api_version, who.subresource


def _entry(who: Identity, owned: Owned) -> Raw:
    entry: Raw = {"manager": who.manager} if who.manager else {}
    entry |= {"operation": who.operation, "apiVersion": owned.api_version}
    if owned.time:
        entry["time"] = owned.time
    entry |= {"fieldsType": FORMAT, "fieldsV1": owned.fields}
    if who.subresource:
        entry["subresource"] = who.subresource
    return entry


def capped(owners: Owners) -> Owners:
    """Put the oldest updates together until no more than ten entries of updates are left; one bucket per version (F3)."""
    updates = [who for who in owners if who.operation == UPDATE]
    surplus = len(updates) - UPDATES_LIMIT
    if surplus <= 0:
        return owners
    out = dict(owners)
    first: dict[str, Identity] = {}
    for who in sorted(updates, key=lambda who: (owners[who].time, identifier(who))):
        if surplus <= 0:
            break
        owned = owners[who]
        if owned.api_version not in first:
            first[owned.api_version] = who
            continue
        bucket = Identity(OLD_UPDATES, UPDATE, owned.api_version)
        if bucket not in out:
            out[bucket] = out.pop(first[owned.api_version])
        together = fields.union(owned.fields, out[bucket].fields)
        out[bucket] = Owned(together, owned.api_version, owned.time)
        if who != bucket:
            del out[who]
        surplus -= 1
    return out


def identifier(who: Identity) -> str:
    """Give the text by which the real server tells and sorts owners: JSON of what is there of them, in this order."""
    manager, operation, version, subresource = who
    parts = {"manager": manager, "operation": operation, "apiVersion": version, "subresource": subresource}
    return json.dumps({key: value for key, value in parts.items() if value}, separators=(",", ":"))

"""Server-side apply: a configuration laid over the live object, and what its sender owns by it (sandbox-apiserver.md F5, F6)."""

from typing import Final, NamedTuple

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.managed.apply.merging import merge
from kubectl_kruise.sandbox.managed.apply.removing import remove
from kubectl_kruise.sandbox.managed.fields import Fields, difference, intersection, union, without
from kubectl_kruise.sandbox.managed.owned import fields_of, with_named
from kubectl_kruise.sandbox.managed.owners import UPDATE, Owned, Owners, capped, writer
from kubectl_kruise.sandbox.managed.shape import DEDUCED, Shape
from kubectl_kruise.sandbox.managed.types import Types, Write
from kubectl_kruise.sandbox.managed.updating import NEVER_OWNED, update
from kubectl_kruise.sandbox.managed.versions import Comparison, brought_up_to_date, converted

BEFORE: Final = "before-first-apply"
"""Who owns an object that nobody owned when the first configuration came."""


class Conflicting(Exception):  # noqa: N818 - an answer, not a fault of the program
    """Others own fields to which the configuration gives another value."""

    def __init__(self, conflicts: Owners) -> None:
        super().__init__()
        self.conflicts = conflicts


class Applied(NamedTuple):
    """The object as the configuration wants it, before defaults, and its owners."""

    object: Raw
    owners: Owners


def apply(
    owners: Owners, live: Raw, config: Raw, write: Write, types: Types, *, empty: Raw, force: bool
) -> Applied:
    """Apply a configuration that fits its type. Raises Conflicting unless `force`, and Unconvertible.

    `live` is `empty`, the object with nothing in it, where none is there yet.
    """
    if not owners:
        before = write._replace(who=writer(BEFORE, UPDATE, write.api_version, ""))
        owners = update(owners, empty, live, before, types)
    owners = brought_up_to_date(owners, types)
    shape = types.shape(write.api_version) or DEDUCED
    last = owners.get(write.who)
    # Only afterwards without what nobody owns: what names the object keeps its metadata when all else in it goes.
    owned = without(fields_of(config, shape), write.ignored)
    claimed = owners | {write.who: Owned(owned, write.api_version, last.time if last else "")}
    merged = merge(live, config, shape)
    if last is not None:
        merged = _pruned(merged, claimed, last, write, types)
    changes = Comparison(types, live, merged, write.api_version, write.ignored)
    if not force and (conflicts := changes.conflicts(claimed, write.who)):
        raise Conflicting(conflicts)
    settled = changes.settled(claimed, write.who)
    mine = settled.pop(write.who, None)
    if mine is not None and (fields := difference(mine.fields, NEVER_OWNED)):
        settled[write.who] = mine._replace(fields=fields, time=mine.time if merged == live else write.now)
    return Applied(merged, capped(settled))


def _pruned(merged: Raw, owners: Owners, last: Owned, write: Write, types: Types) -> Raw:
    """Remove what the applier named last time, does not name now, and nobody owns."""
    shape = types.shape(last.api_version)
    if shape is None:
        return merged
    whole = converted(types, merged, last.api_version)
    pruned = remove(whole, with_named(last.fields, shape), shape)
    by_version: dict[str, Fields] = {last.api_version: {}}
    for owned in owners.values():
        by_version[owned.api_version] = union(by_version.get(owned.api_version, {}), owned.fields)
    for version, held in by_version.items():
        other = types.shape(version)
        if other is not None:
            pruned = _with_owned(
                converted(types, whole, version), converted(types, pruned, version), held, other
            )
    pruned = converted(types, pruned, last.api_version)
    # What fell with something that was removed but was not the applier's comes back.
    lost = difference(_named(whole, shape), _named(pruned, shape))
    left = remove(whole, intersection(lost, with_named(last.fields, shape)), shape)
    return converted(types, left, write.api_version)


def _with_owned(whole: Raw, pruned: Raw, held: Fields, shape: Shape) -> Raw:
    """Give the pruned object with all that somebody owns."""
    kept = union(_named(pruned, shape), with_named(held, shape))
    return remove(whole, difference(_named(whole, shape), kept), shape)


def _named(raw: Raw, shape: Shape) -> Fields:
    return with_named(fields_of(raw, shape), shape)

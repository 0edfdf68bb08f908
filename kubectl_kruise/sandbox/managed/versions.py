"""The same two objects in every version in which somebody owns fields of them (sandbox-apiserver.md F3)."""

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.managed.apply.checking import misfit
from kubectl_kruise.sandbox.managed.comparing import Changes, compare
from kubectl_kruise.sandbox.managed.fields import Fields, difference, intersection
from kubectl_kruise.sandbox.managed.owned import with_whole
from kubectl_kruise.sandbox.managed.owners import Identity, Owners
from kubectl_kruise.sandbox.managed.types import Types


class Unconvertible(Exception):  # noqa: N818 - an answer, not a fault of the program
    """An object that does not fit the type of another version of its kind; the text says why."""


def converted(types: Types, raw: Raw, api_version: str) -> Raw:
    """Give an object in a version that the kind has. Raises Unconvertible."""
    shape = types.shape(api_version)
    if raw["apiVersion"] == api_version or shape is None:
        return raw
    other = types.convert(raw, api_version)
    if problem := misfit(other, shape, duplicates=True):
        raise Unconvertible(problem)
    return other


def brought_up_to_date(owners: Owners, types: Types) -> Owners:
    """Give the owners as the types have it now: what has become one value is owned as one."""
    if types.fixed:
        return owners
    out: Owners = {}
    for who, owned in owners.items():
        shape = types.shape(owned.api_version)
        out[who] = owned if shape is None else owned._replace(fields=with_whole(owned.fields, shape))
    return out


class Comparison:
    """What changed from one state to the next, told in any version. Every method raises Unconvertible."""

    def __init__(self, types: Types, old: Raw, new: Raw, api_version: str, ignored: Fields) -> None:
        self._types, self._old, self._new, self._ignored = types, old, new, ignored
        self._found: dict[str, Changes | None] = {}
        self.own = self.told(api_version) or Changes({}, {}, {})

    def told(self, api_version: str) -> Changes | None:
        """Give the changes in the fields of a version; None where the kind does not have it."""
        if api_version not in self._found:
            shape = self._types.shape(api_version)
            if shape is None:
                self._found[api_version] = None
            else:
                old = converted(self._types, self._old, api_version)
                new = converted(self._types, self._new, api_version)
                self._found[api_version] = compare(old, new, shape).beyond(self._ignored)
        return self._found[api_version]

    def conflicts(self, owners: Owners, who: Identity | None) -> Owners:
        """Give what others own of the fields that the new state brings."""
        found: Owners = {}
        for other, owned in owners.items():
            changes = self.told(owned.api_version)
            if (
                other != who
                and changes is not None
                and (taken := intersection(owned.fields, changes.written))
            ):
                found[other] = owned._replace(fields=taken)
        return found

    def settled(self, owners: Owners, who: Identity | None) -> Owners:
        """Take from all but `who` what the new state brings and what it lacks; who has nothing left goes.

        So do owners in a version that is no more.
        """
        out: Owners = {}
        for other, owned in owners.items():
            changes = self.told(owned.api_version)
            if changes is None and other != who:
                continue
            kept = owned.fields
            if other != who and changes is not None:
                kept = difference(difference(kept, changes.written), changes.removed)
            if kept:
                out[other] = owned if kept is owned.fields else owned._replace(fields=kept)
        return out

"""Who owns what after a create, a replace or a patch (sandbox-apiserver.md F3, F8)."""

from typing import Any, Final

from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox.managed.fields import Fields, difference, shared, union
from kubectl_kruise.sandbox.managed.owners import Owned, Owners, capped, held_owners, read_owners
from kubectl_kruise.sandbox.managed.types import Types, Write
from kubectl_kruise.sandbox.managed.versions import Comparison, Unconvertible, brought_up_to_date

NEVER_OWNED: Final[Fields] = {
    "f:apiVersion": {},
    "f:kind": {},
    "f:metadata": {
        ".": {},
        "f:name": {},
        "f:namespace": {},
        "f:creationTimestamp": {},
        "f:selfLink": {},
        "f:uid": {},
        "f:clusterName": {},
        "f:generation": {},
        "f:managedFields": {},
        "f:resourceVersion": {},
    },
}
"""What the server decides and what names the object (F2)."""


def owners_asked_for(live: Raw, sent: Any) -> Owners:
    """Give the owners from which a write begins: those that the client sent, if it sent any that can be read (F8).

    An empty list, or one with an empty entry, does away with all of them. `sent` is None where the client said nothing.
    """
    if sent in ([], [{}]):
        return {}
    held = dig(live, ("metadata", "managedFields"))
    return held_owners(live) if sent == held else read_owners(sent) or held_owners(live)


def update(owners: Owners, live: Raw, new: Raw, write: Write, types: Types) -> Owners:
    """Give the owners after a write that is no apply: what it changed is the writer's.

    An object that is not new and that nobody owns stays so: it begins again with the first apply. So does one that does
    not fit another version in which somebody owns fields of it.
    """
    if not owners and dig(live, ("metadata", "uid")):
        return {}
    owners = brought_up_to_date(owners, types)
    changes = Comparison(types, live, new, write.api_version, write.ignored)
    try:
        out = changes.settled(owners, None)
    except Unconvertible:
        return {}
    taken = difference(changes.own.written, NEVER_OWNED)
    if taken:
        before = out.get(write.who)
        together = union(taken, before.fields) if before else taken
        out[write.who] = Owned(shared(together), write.api_version, write.now)
    return capped(out)

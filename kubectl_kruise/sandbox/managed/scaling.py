"""Managed fields of a scale: those of its parent that are about the number of replicas (sandbox-apiserver.md B2, F10)."""

from collections.abc import Mapping
from typing import Final

from kubectl_kruise.sandbox.managed.fields import contains, difference, single
from kubectl_kruise.sandbox.managed.owners import APPLY, Owned, Owners

SCALE: Final = "autoscaling/v1"
REPLICAS: Final = ("f:spec", "f:replicas")
Places = Mapping[str, tuple[str, ...]]
"""The path elements of the number of replicas by version of the parent; () where that has no scale."""


def scale_owners(parent: Owners, places: Places) -> Owners:
    """Give the owners of a scale; owners in an unknown version of the parent are left out."""
    found: Owners = {}
    for who, owned in parent.items():
        path = places.get(owned.api_version)
        if path and contains(owned.fields, path):
            as_scale = who if who.operation == APPLY else who._replace(api_version=SCALE)
            found[as_scale] = Owned(single(REPLICAS), SCALE, owned.time)
    return found


def parent_owners(parent: Owners, scale: Owners, places: Places, api_version: str) -> Owners:
    """Give the owners of the parent after a write of its scale, in the parent's version `api_version`.

    Who owns the number through the scale gets an entry that no time stands in, as on a real server.
    """
    left = {who: owned for who, owned in scale.items() if contains(owned.fields, REPLICAS)}
    out: Owners = {}
    for who, owned in parent.items():
        path = places.get(owned.api_version)
        if path is None:
            continue
        kept = owned.fields
        if path and contains(kept, path) and left.pop(who, None) is None:
            kept = difference(kept, single(path))
        if kept:
            out[who] = owned._replace(fields=kept)
    place = single(places[api_version])
    out |= {who: Owned(place, api_version) for who in left}
    return out

"""The kinds that migrate, each with its twin (migration.md §1)."""

from typing import Final, NamedTuple

from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, NATIVE_STATEFULSET, STATEFULSET, Kind
from kubectl_kruise.objects.notation.reference import kind_of


class Pair(NamedTuple):
    """A kind of Kubernetes itself, and the one of Kruise that takes its pods."""

    native: Kind
    kruise: Kind

    @property
    def named_alike(self) -> bool:
        """Say whether pods and claims bear the name of their owner: then both have to have the same name."""
        return self.native is NATIVE_STATEFULSET


DEPLOYMENTS: Final = Pair(DEPLOYMENT, CLONESET)
SETS: Final = Pair(NATIVE_STATEFULSET, STATEFULSET)
PAIRS: Final = (DEPLOYMENTS, SETS)

MIGRATING: Final = tuple(kind for pair in PAIRS for kind in pair)
"""Every kind that can be the source of a migration."""


def pair_of(kind: Kind) -> Pair:
    """Give the pair of a kind that migrates."""
    return next(pair for pair in PAIRS if kind in pair)


def twin_of(kind: Kind) -> Kind:
    """Give what a kind becomes."""
    native, kruise = pair_of(kind)
    return kruise if kind is native else native


def migrating_kind(api_version: str, kind: str) -> Kind:
    """Give the kind that a reference names. Raises ValueError for one that does not migrate."""
    found = kind_of(api_version, kind)
    if found is None or found.kind not in MIGRATING:
        raise ValueError(f"{kind} of {api_version} does not migrate")
    return found.kind

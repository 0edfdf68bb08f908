"""The lock of a CloneSet that takes over or gives back pods: it neither creates nor updates any (migration.md §2.1 C7, C8)."""

import copy
from typing import Final

from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.raw import Raw, api_version, dig, put, version_of
from kubectl_kruise.objects.workload import Workload

SCALE_LOCK: Final = ("spec", "scaleStrategy", "maxUnavailable")


def locked(cloneset: Raw) -> bool:
    return dig(cloneset, SCALE_LOCK) == 0 and Workload(cloneset, CLONESET).paused


def with_lock(cloneset: Raw) -> Raw:
    """Give a manifest with the lock put on; `replicas` has to be right, for nothing locks the removal of pods."""
    made = copy.deepcopy(cloneset)
    put(made, SCALE_LOCK, 0)
    put(made, CLONESET.layout(api_version(made)).paused, value=True)
    return made


def lock_patch(cloneset: Raw) -> Raw:
    """Give the merge patch that locks a live CloneSet."""
    patch: Raw = {}
    put(patch, SCALE_LOCK, 0)
    put(patch, CLONESET.layout(api_version(cloneset)).paused, value=True)
    return patch


def unlock_patch(live: Raw, wanted: Raw) -> Raw:
    """Give the merge patch that sets pause and scale strategy to what `wanted` says, guarded by the version."""
    patch: Raw = {"metadata": {"resourceVersion": version_of(live)}}
    put(patch, SCALE_LOCK, dig(wanted, SCALE_LOCK))
    put(patch, CLONESET.layout(api_version(live)).paused, value=Workload(wanted, CLONESET).paused)
    return patch

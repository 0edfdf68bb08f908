"""Hold a set of either kind still while pods change hands, and let it work again (migration.md §2.2 A8, A11, §5.2).

Nothing locks creation or removal in a set: what keeps it from both is that every pod has its place in it. What can be held
is the update: `paused` of an Advanced StatefulSet, `OnDelete` of either kind.
"""

import copy
from typing import Any, Final

from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.facts.policies import ON_DELETE
from kubectl_kruise.objects.raw import Raw, api_version, dig, put, version_of
from kubectl_kruise.objects.retention import RETAIN, RETENTION, retains, retention_of
from kubectl_kruise.objects.workload import Workload

_STRATEGY: Final = ("spec", "updateStrategy")
_OLD_VERSION: Final = "v1alpha1"


def still(live: Raw, kind: Kind) -> bool:
    """Say whether a set updates no pod by itself and owns no claim."""
    workload = Workload(live, kind)
    return (workload.on_delete or (not kind.native and workload.paused)) and retains(live)


def made_still(manifest: Raw, kind: Kind) -> Raw:
    """Give a manifest as it is created: held, and every claim kept; `replicas` has to be right."""
    made = copy.deepcopy(manifest)
    if kind.native:
        put(made, _STRATEGY, {"type": ON_DELETE})
    elif not Workload(made, kind).on_delete:
        put(made, kind.layout(api_version(made)).paused, value=True)
    return _kept(made)


def keeping(manifest: Raw) -> Raw:
    """Give a manifest that keeps every claim, and owns none: as it is created while another set has the claims."""
    return _kept(copy.deepcopy(manifest))


def still_patch(live: Raw, kind: Kind) -> Raw:
    """Give the merge patch that holds a live set."""
    patch: Raw = {}
    workload = Workload(live, kind)
    if kind.native and not workload.on_delete:
        put(patch, _STRATEGY, {"type": ON_DELETE, "rollingUpdate": None})
    elif not workload.on_delete:
        put(patch, workload.layout.paused, value=True)
    if not retains(live):
        put(patch, RETENTION, dict(RETAIN))
    return patch


def keeping_patch(live: Raw) -> Raw:
    """Give the merge patch that lets a set keep every claim, and own none (§5.2.1 T2)."""
    patch: Raw = {"metadata": {"resourceVersion": version_of(live)}}
    put(patch, RETENTION, dict(RETAIN))
    return patch


def at_work(live: Raw, wanted: Raw, kind: Kind) -> bool:
    """Say whether a set updates its pods and keeps its claims as `wanted` does."""
    found, meant = Workload(live, kind), Workload(wanted, kind)
    return (found.on_delete, found.paused, retention_of(live)) == (
        meant.on_delete,
        meant.paused,
        retention_of(wanted) if _keeps_policy(wanted) else RETAIN,
    )


def work_patch(live: Raw, wanted: Raw, kind: Kind) -> Raw:
    """Give the merge patch that lets a set update its pods and keep its claims as `wanted` does (§5.2.1 T12)."""
    patch: dict[str, Any] = {"metadata": {"resourceVersion": version_of(live)}}
    if _keeps_policy(wanted):
        put(patch, RETENTION, retention_of(wanted))
    if kind.native:
        put(patch, _STRATEGY, copy.deepcopy(dig(wanted, _STRATEGY)))
    elif not Workload(wanted, kind).on_delete:
        put(patch, kind.layout(api_version(live)).paused, value=Workload(wanted, kind).paused)
    return patch


def _kept(made: Raw) -> Raw:
    if _keeps_policy(made):
        put(made, RETENTION, dict(RETAIN))
    return made


def _keeps_policy(manifest: Raw) -> bool:
    """Say whether the version has a retention policy."""
    return api_version(manifest) != _OLD_VERSION

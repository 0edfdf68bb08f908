"""Change the number of pods, or delete chosen ones while shrinking (rollout-operations.md §12, cloneset.md §12.4)."""

from collections.abc import Mapping, Sequence
from typing import Final

from kubectl_kruise.engine.changes.change import (
    Change,
    Decision,
    Risk,
    Unchanged,
    same_object,
    same_version,
    set_field,
)
from kubectl_kruise.engine.changes.claims import claims_go, claims_stay
from kubectl_kruise.engine.changes.way import claim_warnings
from kubectl_kruise.engine.statefulset.places import places_of
from kubectl_kruise.errors import NotFoundError, RefusedError, UsageError
from kubectl_kruise.facts.kinds import CLONESET, NATIVE_STATEFULSET, STATEFULSET
from kubectl_kruise.facts.names import SPECIFIED_DELETE_LABEL
from kubectl_kruise.objects.notation.number import partition
from kubectl_kruise.objects.notation.pointer import pointer
from kubectl_kruise.objects.pod import ready
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, name_of, owner_of
from kubectl_kruise.objects.workload import Workload

REPLICAS: Final = ("spec", "replicas")
TO_DELETE: Final = ("spec", "scaleStrategy", "podsToDelete")


def check_replicas(replicas: int) -> int:
    """Give the number back; UsageError for one that no workload can have."""
    if not 0 <= replicas < 2**31:
        raise UsageError(f"--replicas={replicas}: the number of pods is 0 or more, and below 2³¹")
    return replicas


def check_current(workload: Workload, current: int | None) -> None:
    """Raise RefusedError where the workload has not `current` replicas, the precondition of the caller."""
    if current is not None and current != workload.replicas:
        raise RefusedError(f"{workload.title} has {workload.replicas} replicas, not {current}")


def plan_replicas(workload: Workload, replicas: int) -> Decision:
    """Set the number of pods through the scale subresource."""
    if dig(workload.raw, REPLICAS) == replicas:
        return Unchanged(f"it has {replicas} replicas already")
    shrinks = replicas < workload.replicas
    return Change(
        "scaled",
        [*same_object(workload.raw), *_set_replicas(workload.raw, replicas)],
        notes=(*_listed_first(workload, replicas), *_come_and_go(workload, replicas)),
        deltas=(f"replicas {workload.replicas} → {replicas}",),
        warnings=(
            *claim_warnings(workload, recreated=shrinks),
            *(claims_go(workload, _ordinals(workload, replicas)) if shrinks else ()),
            *canary_warnings(workload, replicas),
        ),
        risk=Risk.SHRINKS if shrinks else Risk.NONE,
        # A scale subresource without a number to compare with has nothing to guard the write.
        subresource="scale" if dig(workload.raw, REPLICAS) is not None else "",
    )


def _listed_first(workload: Workload, replicas: int) -> tuple[str, ...]:
    listed = dig(workload.raw, TO_DELETE, []) if workload.kind is CLONESET else []
    if replicas >= workload.replicas or not listed:
        return ()
    return (f"pods listed for deletion go first: {', '.join(listed)}",)


def _come_and_go(workload: Workload, replicas: int) -> tuple[str, ...]:
    """Name the pods of a set that come or go, and the ordinals between them that are skipped."""
    ordinals, places = _ordinals(workload, replicas), places_of(workload)
    if not ordinals or places is None:
        return ()
    if replicas < workload.replicas:
        return (f"deletes {places.names(ordinals)}", *claims_stay(workload, ordinals))
    skipped = [
        str(low) if low == high else f"{low}-{high}"
        for low, high in places.reserved.ranges
        if places.start <= high and low < ordinals[-1]
    ]
    aside = f"stay reserved, and are skipped: ordinals {', '.join(skipped)} (spec.reserveOrdinals)"
    return (f"makes {places.names(ordinals)}", *((aside,) if skipped else ()))


def _ordinals(workload: Workload, replicas: int) -> list[int]:
    """Give the ordinals of the pods that come or go; [] for kinds without, and where they cannot be told."""
    if workload.kind not in (STATEFULSET, NATIVE_STATEFULSET):
        return []
    places = places_of(workload)
    return places.between(*sorted((workload.replicas, replicas))) if places else []


def _set_replicas(live: Raw, replicas: int) -> list[Raw]:
    """Set the number in a Scale: one of 0 is left out there, so that nothing but the version can guard it."""
    if dig(live, REPLICAS) == 0:
        return [*same_version(live), {"op": "add", "path": pointer(REPLICAS), "value": replicas}]
    return set_field(live, REPLICAS, replicas)


def parse_pod_names(words: Sequence[str]) -> list[str]:
    """Read pod names, repeated or comma-separated, with or without blanks and `pod/`; each once, in order."""
    names = [
        part.strip().removeprefix("pods/").removeprefix("pod/") for word in words for part in word.split(",")
    ]
    found = list(dict.fromkeys(name for name in names if name))
    if not found:
        raise UsageError("no pod named", hint="e.g. --delete-pod web-x1,web-x2")
    return found


def check_pods(workload: Workload, names: Sequence[str], pods: Mapping[str, Raw]) -> None:
    """Raise if a pod is missing, of another owner or on its way out, with the reason for each.

    NotFoundError where all of them are missing, RefusedError otherwise.
    """
    missing = [f'no pod "{name}" in namespace "{workload.namespace}"' for name in names if name not in pods]
    wrong = [reason for name in names if name in pods and (reason := _why_not(workload, name, pods[name]))]
    if missing or wrong:
        error = RefusedError if wrong else NotFoundError
        raise error("; ".join([*missing, *wrong]))


def _why_not(workload: Workload, name: str, pod: Raw) -> str:
    """Say why a pod must not be named for deletion, "" where it may."""
    owner = owner_of(pod) or {}
    if owner.get("uid") != workload.uid:
        whose = f'{owner.get("kind")} "{owner.get("name")}"' if owner else "no controller"
        return f'pod "{name}" belongs to {whose}, not to {workload.title}'
    return f'pod "{name}" is being deleted already' if deleting(pod) else ""


def plan_delete_pods(workload: Workload, names: Sequence[str], pods: Mapping[str, Raw]) -> Decision:
    """Name pods for deletion and lower the number by as many, in one write.

    `pods` are those that exist, by name. Names that are listed already do not lower the number again; names of pods
    that are gone leave the list. Raises NotFoundError and RefusedError as `check_pods`, RefusedError below zero.
    """
    listed: list[str] = dig(workload.raw, TO_DELETE, [])
    new = [name for name in names if name not in listed]
    if not new:
        return Unchanged(f"listed for deletion already: {', '.join(names)}")
    check_pods(workload, new, pods)
    left = workload.replicas - len(new)
    if left < 0:
        raise RefusedError(
            f"{workload.title} has {workload.replicas} replicas: {len(new)} fewer is not possible"
        )
    keep = [name for name in dict.fromkeys(listed) if name in pods]
    return Change(
        "scaled",
        [
            *same_object(workload.raw),
            *set_field(workload.raw, REPLICAS, left),
            *set_field(workload.raw, TO_DELETE, [*keep, *new]),
        ],
        notes=(f"deletes {', '.join(new)}: replicas {workload.replicas} → {left}",),
        warnings=(
            *claim_warnings(workload, recreated=True),
            *canary_warnings(workload, left),
            *missing_first(workload, left),
        ),
        risk=Risk.DELETES,
    )


def canary_warnings(workload: Workload, replicas: int) -> tuple[str, ...]:
    """Warn where fewer pods undo a canary: the partition keeps its old ones, and zero pods forget the old revision.

    cloneset.md §10.3, §9.4: pods beyond the partition go first, and with none left the update revision is the current.
    """
    updated = workload.counter("updatedReplicas") or 0
    halfway = workload.current_revision != workload.update_revision and updated < workload.replicas
    if workload.kind.native or not halfway or replicas >= workload.replicas:
        return ()
    chosen_by_ordinal = workload.kind is STATEFULSET and not workload.ordered
    if replicas == 0:
        new, old = workload.update_revision, workload.current_revision
        return (
            f"with no pod left the rollout counts as finished: all pods to come are of {new}, none of {old}",
        )
    try:
        kept = partition(workload.partition_value, replicas)
    except ValueError:
        kept = 0
    gone = updated - (replicas - kept)
    if gone <= 0 or chosen_by_ordinal:
        return ()
    return (f"the partition keeps {kept} of {replicas} pods old: {gone} of the {updated} updated pods go",)


def plan_replace_pod(workload: Workload, pod: Raw) -> Decision:
    """Mark one pod for deletion without lowering the number, so that another takes its place."""
    check_pods(workload, [name_of(pod)], {name_of(pod): pod})
    if labels_of(pod).get(SPECIFIED_DELETE_LABEL) == "true":
        return Unchanged("marked for deletion already")
    return Change(
        "marked for replacement",
        [*same_object(pod), *set_field(pod, ("metadata", "labels", SPECIFIED_DELETE_LABEL), "true")],
        warnings=(
            *claim_warnings(workload, recreated=True),
            *missing_first(workload, workload.replicas),
            *_never_let_go(workload, pod),
        ),
        risk=Risk.DELETES,
    )


def missing_first(workload: Workload, replicas: int) -> tuple[str, ...]:
    """Warn where pods are missing: no chosen pod goes before they are made (cloneset.md §26 Q6)."""
    missing = replicas - (workload.counter("replicas") or 0)
    if not workload.observed or missing <= 0 or workload.kind is not CLONESET:
        return ()
    return (f"no chosen pod is deleted while pods are missing: {missing} of {replicas} are still to be made",)


def _never_let_go(workload: Workload, pod: Raw) -> tuple[str, ...]:
    """Warn where no ready pod may be unavailable, so that a chosen one stays (cloneset.md §26 Q4, Q5)."""
    total = workload.counter("replicas") or 0
    budget = workload.max_unavailable + max(0, total - workload.replicas)
    if budget or workload.max_surge or not ready(pod):
        return ()
    rounded = f"{workload.max_unavailable_value} of {workload.replicas} pods count as 0"
    why = f"update type OnDelete, {rounded}" if workload.on_delete else f"maxUnavailable {rounded}"
    return (f"it is not deleted while it is ready: none may be unavailable ({why})",)

"""Delete chosen pods of an Advanced StatefulSet: by its number where they are the last, by reserved ordinals elsewhere.

A set always has its first free ordinals, so that a pod in the middle goes only when its ordinal is reserved; reserved
and one pod fewer in one write, lest a further pod be made for it (rollout-operations.md §4, §12, advanced-statefulset.md
§12.1).
"""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple

from kubectl_kruise.engine.changes.change import Change, Decision, Risk, Unchanged, same_object, set_field
from kubectl_kruise.engine.changes.claims import claims_go, claims_stay, has_claims
from kubectl_kruise.engine.changes.scaling import REPLICAS, canary_warnings, check_pods
from kubectl_kruise.engine.changes.stewards import way_on
from kubectl_kruise.engine.standstill import lockup_warning
from kubectl_kruise.engine.statefulset.ordinals import PodName, parse_reserved, pod_name, split_name
from kubectl_kruise.engine.statefulset.places import RESERVED, Places, places_of
from kubectl_kruise.errors import NotFoundError, RefusedError
from kubectl_kruise.facts.kinds import STATEFULSET
from kubectl_kruise.facts.names import SPECIFIED_DELETE_LABEL
from kubectl_kruise.objects.pod import has_revision, same_revision
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, name_of, owner_uid
from kubectl_kruise.objects.workload import Workload

_UNREADABLE: Final = "which makes the manager ignore the whole list"


class _Sorted(NamedTuple):
    """What was named: `going` are ordinals with a place in the set, `ending` pods without one that are still there.

    Of `gone` there is neither: their ordinals are reserved; nor of `cut`, the places right behind the last.
    """

    going: tuple[int, ...]
    ending: tuple[str, ...]
    gone: tuple[str, ...]
    cut: tuple[str, ...] = ()

    def done_already(self) -> list[str]:
        """Say of what was named that it has happened, one sentence each."""
        ending = [f"going already: {', '.join(self.ending)}"] if self.ending else []
        gone = [f"gone already, with their ordinals reserved: {', '.join(self.gone)}"] if self.gone else []
        cut = [f"gone already, and the set ends before: {', '.join(self.cut)}"] if self.cut else []
        return [*ending, *gone, *cut]


def full_names(owner: str, names: Sequence[str]) -> list[str]:
    """Give the pods that were named, by name or by ordinal alone; each once."""
    return list(dict.fromkeys(pod_name(owner, int(name)) if name.isdecimal() else name for name in names))


def plan_delete_places(workload: Workload, names: Sequence[str], pods: Mapping[str, Raw]) -> Decision:
    """Shrink by the pods named and make sure that it is they who go, in one write.

    `pods` are those that exist, by name. What is reserved or going already does not lower the number again. Raises
    NotFoundError for pods that the set has no place for, RefusedError for pods of others and where the object is seen
    through a version, or has a list, in which reserved ordinals cannot be read.
    """
    reserved: list[Any] = dig(workload.raw, RESERVED, [])
    _check_list(workload, reserved)
    places = places_of(workload, [pod for pod in pods.values() if owner_uid(pod) == workload.uid])
    if places is None:
        raise RefusedError(
            f"{workload.title} has spec.ordinals.start and no pods: whether it counts cannot be told"
        )
    found = _sort(workload, places, names, pods)
    if not found.going:
        return Unchanged("; ".join(found.done_already()))
    left = workload.replicas - len(found.going)
    keep = [ordinal for ordinal in places.first(workload.replicas) if ordinal not in found.going]
    newly = sorted(ordinal for ordinal in found.going if keep and ordinal < keep[-1])
    operations = [*same_object(workload.raw), *set_field(workload.raw, REPLICAS, left)]
    if newly:
        operations += set_field(workload.raw, RESERVED, [*reserved, *newly])
    after = Places(workload.name, places.start, parse_reserved([*reserved, *newly]))
    return Change(
        "scaled",
        operations,
        notes=(*_notes(workload, after, found, newly, left), *claims_stay(workload, found.going)),
        warnings=(
            *claims_go(workload, found.going),
            *(() if newly else canary_warnings(workload, left)),
            *_shifted(workload, places, after, found.going, left),
        ),
        risk=Risk.DELETES,
    )


def _check_list(workload: Workload, reserved: Sequence[Any]) -> None:
    if workload.version in STATEFULSET.lossy:
        raise RefusedError(
            f"{workload.title} is seen in {workload.version}, which hides ranges of reserved ordinals and erases them",
            hint=f"{STATEFULSET.plural}.{STATEFULSET.versions[0]}.{STATEFULSET.group}/{workload.name}",
        )
    if reserved and not parse_reserved(reserved).ranges:
        raise RefusedError(
            f"spec.reserveOrdinals of {workload.title} has an item that is no ordinal and no range, {_UNREADABLE}",
            hint="mend the list first: whole numbers, or ranges such as 3-5",
        )


def _sort(workload: Workload, places: Places, names: Sequence[str], pods: Mapping[str, Raw]) -> _Sorted:
    held = set(places.first(workload.replicas))
    going: list[int] = []
    ending, gone, missing = [], [], []
    for name in names:
        parent, ordinal = split_name(name)
        own = name in pods and owner_uid(pods[name]) == workload.uid
        if name in pods and not (own and deleting(pods[name])):
            check_pods(workload, [name], pods)
        if parent == workload.name and ordinal in held:
            going.append(ordinal)
        elif parent == workload.name and own:
            ending.append(name)
        elif parent == workload.name and ordinal in places.reserved:
            gone.append(name)
        else:
            missing.append(name)
    if missing and not going and _cut_off(workload, places, missing, ending):
        return _Sorted((), tuple(ending), tuple(gone), tuple(missing))
    if missing:
        raise NotFoundError(
            f'{workload.title} has no place for {", ".join(missing)} in namespace "{workload.namespace}"',
            hint=f"its pods are {places.names(held) or 'none'}",
        )
    return _Sorted(tuple(going), tuple(ending), tuple(gone))


def _cut_off(workload: Workload, places: Places, missing: Sequence[str], ending: Sequence[str]) -> bool:
    """Say whether the set ends right before the missing pods: as it does once its last ones were taken from it.

    Some of those may be `ending` still. That they were never there cannot be told from that; what was asked for holds
    in either case.
    """
    named = {split_name(name) for name in (*missing, *ending)}
    following = places.between(workload.replicas, workload.replicas + len(named))
    cut = set(takewhile(named.__contains__, (PodName(workload.name, ordinal) for ordinal in following)))
    return cut.issuperset(map(split_name, missing))


def _notes(workload: Workload, after: Places, found: _Sorted, newly: Sequence[int], left: int) -> list[str]:
    who, before = after.names(found.going), workload.replicas
    notes = [f"deletes {who}: replicas {before} → {left}", *found.done_already()]
    if newly:
        ordinals = ", ".join(map(str, newly))
        (following,) = after.between(left, left + 1)
        them, it, they = ("s", "their places", "they are") if len(newly) > 1 else ("", "its place", "it is")
        notes.append(
            f"reserves ordinal{them} {ordinals}: all other pods keep their names, and none takes {it}"
        )
        notes.append(f"reserved until {they} taken out of spec.reserveOrdinals")
        notes.append(f"the next pod, when it grows, is {pod_name(workload.name, following)}")
    else:
        notes.append(
            "they are its last: nothing is reserved"
            if len(found.going) > 1
            else "it is its last: nothing is reserved"
        )
    return notes


def _shifted(
    workload: Workload, before: Places, after: Places, going: Sequence[int], left: int
) -> tuple[str, ...]:
    """Warn where other pods than before are kept: a partition counts pods, it does not name them ([S-3])."""
    kept = min(workload.partition, workload.replicas)
    if not kept or not workload.ordered or not set(before.first(kept)) & set(going):
        return ()
    then, now = before.names(before.first(kept)), after.names(after.first(min(kept, left)))
    return (f"partition {workload.partition_value} counts pods: it keeps {now or 'none'}, no longer {then}",)


def plan_replace_place(workload: Workload, pod: Raw) -> Decision:
    """Mark a pod of a set for deletion, so that one of the same ordinal takes its place.

    Raises RefusedError where nothing comes of it: while paused, and under OnDelete (advanced-statefulset.md §12.6).
    """
    name = name_of(pod)
    check_pods(workload, [name], {name: pod})
    if workload.on_delete:
        raise RefusedError(
            f"{workload.title} has update type OnDelete: a chosen pod is not replaced",
            hint=f"delete it: kubectl delete pod {name} -n {workload.namespace}",
        )
    if workload.paused:
        raise RefusedError(
            f"{workload.title} is paused: a chosen pod is not replaced before it is resumed",
            hint=way_on(workload.raw) or f"kubectl kruise rollout resume {workload.arguments}",
        )
    if SPECIFIED_DELETE_LABEL in labels_of(pod):
        return Unchanged("marked for deletion already")
    places = places_of(workload, [pod])
    if places is not None and split_name(name).ordinal not in places.first(workload.replicas):
        return Unchanged("going already, as it has no place in the set")
    claims = ", with its volume claims" if has_claims(workload) else ""
    return Change(
        "marked for replacement",
        [*same_object(pod), *set_field(pod, ("metadata", "labels", SPECIFIED_DELETE_LABEL), "true")],
        notes=(f"a pod of the same name takes its place{claims}",),
        warnings=(*lockup_warning(workload, in_place=False), *_goes_back(workload, pod, places)),
        risk=Risk.DELETES,
    )


def _goes_back(workload: Workload, pod: Raw, places: Places | None) -> tuple[str, ...]:
    """Warn where the pod is updated and its successor will not be: the partition decides ([P-12])."""
    if places is None or not workload.ordered or not has_revision(pod, workload.update_revision):
        return ()
    kept = split_name(name_of(pod)).ordinal in places.first(min(workload.partition, workload.replicas))
    if not kept or same_revision(workload.current_revision, workload.update_revision):
        return ()
    return (
        f"the new pod is of {workload.current_revision} again: partition {workload.partition_value} keeps this place",
    )

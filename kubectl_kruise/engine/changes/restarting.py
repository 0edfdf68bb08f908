"""Restart: by the template where pods are recreated, pod by pod where updates are in place (rollout-operations.md §11).

A restart pod by pod keeps its state in the cluster: an annotation of the workload holds the creation time of the
youngest pod there was when it began, and every pod that old is still to be replaced. Creation times come from the
server, so no clock of ours is compared with one of its own.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from kubectl_kruise.engine.changes.change import Change, Decision, Risk, remove_field, same_object, set_field
from kubectl_kruise.engine.changes.stewards import way_on
from kubectl_kruise.engine.changes.way import claim_warnings, spread_notes
from kubectl_kruise.engine.standstill import lockup_warning, unready_warning
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.facts.names import RESTARTED_AT, RESTARTING_SINCE, SPECIFIED_DELETE_LABEL
from kubectl_kruise.objects.pod import active, available, ready
from kubectl_kruise.objects.raw import Raw, annotations_of, labels_of, metadata, name_of
from kubectl_kruise.objects.workload import Workload

MARK: Final = ("metadata", "annotations", RESTARTING_SINCE)
_RESTARTED_AT: Final = ("spec", "template", "metadata", "annotations", RESTARTED_AT)


class Step(NamedTuple):
    """`chosen` are the pods to mark now, `left` counts those still to be replaced, `settled` that all is done."""

    chosen: tuple[str, ...]
    left: int
    settled: bool


def by_template(workload: Workload) -> bool:
    """Say whether a changed template makes the controller recreate the pods."""
    return not workload.in_place


def plan_template_restart(workload: Workload, now: str) -> Decision:
    """Stamp the template with the time, as kubectl does. Raises RefusedError while the workload is paused."""
    _refuse_paused(workload)
    if workload.awaits_deletion:
        in_place = "" if workload.kind.native else ", or let --in-place restart their containers"
        raise RefusedError(
            f"{workload.title} has update type OnDelete: a new template restarts nothing",
            hint=f"delete its pods one after the other{in_place}",
        )
    claims = claim_warnings(workload, recreated=True)
    return Change(
        "restarted",
        [*same_object(workload.raw), *set_field(workload.raw, _RESTARTED_AT, now)],
        notes=spread_notes(workload),
        warnings=(*claims, *unready_warning(workload), *lockup_warning(workload, in_place=False)),
        risk=Risk.DELETES if claims else Risk.NONE,
        mode="recreate pods",
    )


def plan_restart_mark(workload: Workload, pods: Sequence[Raw]) -> Change:
    """Begin a restart pod by pod, or take up one that was interrupted; the template is not touched.

    Raises RefusedError while paused, and where not one pod may be unavailable and none may be added either.
    """
    _refuse_paused(workload)
    if workload.replicas and not batch_size(workload):
        raise RefusedError(
            f"{workload.title} allows no unavailable pod "
            f"(maxUnavailable {workload.max_unavailable_value}) and no extra one"
        )
    mark = annotations_of(workload.raw).get(RESTARTING_SINCE)
    interrupted = mark is not None and any(is_old(pod, mark) for pod in pods)
    since = mark if mark is not None and interrupted else youngest(pods)
    old = sum(1 for pod in pods if active(pod) and is_old(pod, since))
    pods_to_go = f"{old} pod{'' if old == 1 else 's'}"
    notes = [f"replaces {pods_to_go}, {batch_size(workload)} at a time; the template stays as it is"]
    if interrupted:
        notes.insert(0, f"takes up an interrupted restart: pods created after {since} stay")
    operations = same_object(workload.raw) + set_field(workload.raw, MARK, since)
    claims = claim_warnings(workload, recreated=True)
    warnings = (*claims, *lockup_warning(workload, in_place=False))
    return Change("restarted", operations, tuple(notes), warnings, Risk.DELETES if claims else Risk.NONE)


def plan_restart_end(workload: Workload) -> list[Raw]:
    """Give the patch that takes the mark away; [] where it is gone."""
    return (
        [*same_object(workload.raw), *remove_field(workload.raw, MARK)]
        if RESTARTING_SINCE in annotations_of(workload.raw)
        else []
    )


def plan_restart_step(workload: Workload, pods: Sequence[Raw], since: str, now: float) -> Step:
    """Pick the pods to mark next: never more unavailable at a time than the workload allows.

    `pods` are those the workload owns. Pods that are not ready go first, at no further cost: whatever is not available,
    marked already or missing counts against the budget as it is.
    """
    living = [pod for pod in pods if active(pod)]
    old = [pod for pod in living if is_old(pod, since)]
    marked = {name_of(pod) for pod in living if labels_of(pod).get(SPECIFIED_DELETE_LABEL) == "true"}
    waiting = [pod for pod in old if name_of(pod) not in marked]
    broken = [pod for pod in waiting if not ready(pod)]
    healthy = [pod for pod in waiting if ready(pod)]
    serving = [
        pod
        for pod in living
        if available(pod, workload.min_ready_seconds, now) and name_of(pod) not in marked
    ]
    room = batch_size(workload) - max(0, workload.replicas - len(serving))
    chosen = (*broken, *sorted(healthy, key=lambda pod: (_created(pod), name_of(pod)))[: max(0, room)])
    settled = not old and len(serving) >= workload.replicas
    return Step(tuple(name_of(pod) for pod in chosen), len(old), settled)


def batch_size(workload: Workload) -> int:
    """Give how many pods may be on their way at a time: the unavailable ones, or where there are none, the surge."""
    return workload.max_unavailable or workload.max_surge


def youngest(pods: Sequence[Raw]) -> str:
    return max((_created(pod) for pod in pods), default="")


def is_old(pod: Raw, since: str) -> bool:
    """Say whether a pod was there when the restart began; RFC 3339 times in UTC compare as text."""
    return _created(pod) <= since


def _created(pod: Raw) -> str:
    return str(metadata(pod).get("creationTimestamp") or "")


def _refuse_paused(workload: Workload) -> None:
    if workload.paused:
        raise RefusedError(
            f"cannot restart {workload.title}: it is paused",
            hint=way_on(workload.raw) or f"kubectl kruise rollout resume {workload.arguments}",
        )

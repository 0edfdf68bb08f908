"""Carrying an in-place update out: the first write to the pod and what every later pass adds (cloneset.md §17.1, §17.7, advanced-statefulset.md §14.3–§14.5)."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from kubectl_kruise.engine.inplace.batch import (
    apply_change,
    apply_next,
    held_back,
    pick_resources,
    with_annotations,
    with_labels,
    without_grace,
    write_state,
)
from kubectl_kruise.engine.inplace.change import Change, grace_text, parse_grace
from kubectl_kruise.engine.inplace.completion import containers_complete
from kubectl_kruise.engine.inplace.readiness import in_service, open_gate
from kubectl_kruise.engine.inplace.resources import Resources
from kubectl_kruise.engine.inplace.state import (
    State,
    first_state,
    grace_annotation,
    parse_state,
    state_annotation,
)
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.facts.names import (
    IN_PLACE_GRACE,
    IN_PLACE_STATE,
    REVISION_LABEL,
    STATE_LABEL,
    STATE_TIMESTAMP,
    TEMPLATE_HASH_LABEL,
)
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.objects.pod import UPDATING, has_revision, short_hash, statuses_of
from kubectl_kruise.objects.raw import Raw, name_of


class Refresh(NamedTuple):
    """What one look at a pod asks for: at most one write, of the pod or of its status, or a later look.

    `pod` and `status` are whole pods ready to be written; `wait` is in whole seconds. `resources` have to be given to
    the pod before it is written: `go_on` then makes the write anew from the pod that has them.
    """

    pod: Raw | None = None
    status: Raw | None = None
    wait: int = 0
    resources: Resources = MappingProxyType({})


def revision_labels(revision: str, *, short: bool) -> dict[str, str]:
    """Give the labels that say which revision a pod is of; `short` is gate CloneSetShortHash."""
    hashed = short_hash(revision)
    return {REVISION_LABEL: hashed if short else revision, TEMPLATE_HASH_LABEL: hashed}


def start_update(
    pod: Raw, change: Change, now: float, *, labels: Mapping[str, str], enters: bool = True
) -> Raw:
    """Give the pod as the one write of an in-place update leaves it; under a grace period its images stay.

    `labels` say the new revision; `enters`: the pod moves to lifecycle state Updating.
    """
    time = rfc3339(now)
    pod = with_labels(pod, labels)
    if enters:
        pod = with_annotations(with_labels(pod, {STATE_LABEL: UPDATING}), {STATE_TIMESTAMP: time})
    state = first_state(change, time)
    if change.grace_seconds > 0:
        return with_annotations(write_state(pod, state), {IN_PLACE_GRACE: grace_text(change)})
    return without_grace(apply_change(pod, change, state, time).pod)


def first_resources(pod: Raw, change: Change) -> Resources:
    """Give the resources that the pod has to have before `start_update`: none of later batches or under a grace period."""
    return {} if change.grace_seconds > 0 else pick_resources(pod, change)


def plan_refresh(pod: Raw, now: float, *, vertical_scaling: bool = False) -> Refresh:
    """Decide what a pod needs for its in-place update, or its first readiness gate, to go on.

    Raises RefusedError where the annotations that record the update are missing or unreadable.
    """
    refresh = _plan_refresh(pod, now, vertical_scaling=vertical_scaling)
    # What was planned under the gate goes on without it, but for the resizes.
    return refresh if vertical_scaling or not refresh.resources else refresh._replace(resources={})


def _plan_refresh(pod: Raw, now: float, *, vertical_scaling: bool) -> Refresh:
    if text := grace_annotation(pod):
        return _grace(pod, text, now)
    if (text_of_state := state_annotation(pod)) is not None:
        state = _state(pod, text_of_state)
        if not state.waiting and in_service(pod):
            # Nothing is left to do, whatever its containers run: most pods, most of the time.
            return Refresh()
        if not containers_complete(pod, state, vertical_scaling=vertical_scaling):
            return Refresh()
        if state.waiting:
            if not _all_ready(pod, state.required_ready):
                return Refresh()
            if state.next_images or state.next_references:
                applied = apply_next(pod, state, rfc3339(now))
                return Refresh(pod=applied.pod, resources=pick_resources(pod, held_back(state)))
    if in_service(pod):
        return Refresh()
    return Refresh(status=open_gate(pod, rfc3339(now)))


def go_on(pod: Raw, now: float) -> Raw:
    """Give the write that `plan_refresh` found due, made from the pod as it is once its resources are those of the batch.

    Raises RefusedError where the annotations that record the update have gone meanwhile.
    """
    state = _state(pod, state_annotation(pod) or "")
    if text := grace_annotation(pod):
        return without_grace(apply_change(pod, _change(pod, text), state, rfc3339(now)).pod)
    return apply_next(pod, state, rfc3339(now)).pod


def _grace(pod: Raw, text: str, now: float) -> Refresh:
    if (text_of_state := state_annotation(pod)) is None:
        raise RefusedError(
            f"pod {name_of(pod)} waits for a grace period, but annotation {IN_PLACE_STATE} is missing"
        )
    try:
        state = parse_state(text_of_state)
    except ValueError:
        return Refresh()
    change = _change(pod, text)
    if not has_revision(pod, change.revision):
        return Refresh(pod=without_grace(pod))
    left = change.grace_seconds - (now - (parse_rfc3339(state.started) or 0.0))
    if left > 0:
        return Refresh(wait=math.ceil(left))
    applied = apply_change(pod, change, state, rfc3339(now))
    return Refresh(pod=without_grace(applied.pod), resources=pick_resources(pod, change))


def _change(pod: Raw, text: str) -> Change:
    try:
        return parse_grace(text)
    except ValueError as error:
        raise RefusedError(
            f"annotation {IN_PLACE_GRACE} of pod {name_of(pod)} is not readable", cause=str(error)
        ) from error


def _state(pod: Raw, text: str) -> State:
    try:
        return parse_state(text)
    except ValueError as error:
        raise RefusedError(
            f"annotation {IN_PLACE_STATE} of pod {name_of(pod)} is not readable", cause=str(error)
        ) from error


def _all_ready(pod: Raw, names: tuple[str, ...]) -> bool:
    statuses = statuses_of(pod)
    return all(statuses.get(name, {}).get("ready") for name in names)

"""Applying a change to a pod, one batch of containers at a time (cloneset.md §17.3)."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from kubectl_kruise.engine.inplace.change import Change, RefMetadata
from kubectl_kruise.engine.inplace.metadata import apply_metadata_patch
from kubectl_kruise.engine.inplace.resources import Resources
from kubectl_kruise.engine.inplace.state import Batch, State, state_text
from kubectl_kruise.engine.launch_priority import launch_priority
from kubectl_kruise.facts.names import (
    IN_PLACE_GRACE,
    IN_PLACE_GRACE_LEGACY,
    IN_PLACE_STATE,
    IN_PLACE_STATE_LEGACY,
)
from kubectl_kruise.objects.pod import statuses_of
from kubectl_kruise.objects.raw import Raw, dig, metadata

_Value = TypeVar("_Value")


class Applied(NamedTuple):
    """The pod as it is to be written, and its state after the batch."""

    pod: Raw
    state: State


def apply_change(pod: Raw, change: Change, state: State, now: str) -> Applied:
    """Apply the first batch of a change that has none behind it; drops the grace annotation."""
    if change.metadata is not None:
        pod = apply_metadata_patch(pod, change.metadata)
    return _apply(pod, change, state, now)


def apply_next(pod: Raw, state: State, now: str) -> Applied:
    """Apply the next batch of what the state holds back."""
    return _apply(pod, held_back(state), state, now)


def held_back(state: State) -> Change:
    """Give what earlier batches left for later as a change of its own."""
    return Change(
        revision=state.revision,
        images=state.next_images,
        references=state.next_references,
        resources=state.next_resources,
    )


def write_state(pod: Raw, state: State) -> Raw:
    """Give the pod with the state annotation under its name of today."""
    return with_annotations(pod, {IN_PLACE_STATE: state_text(state), IN_PLACE_STATE_LEGACY: None})


def with_annotations(pod: Raw, changes: Mapping[str, str | None]) -> Raw:
    """Give the pod with annotations set, or removed where the value is None."""
    return _with(pod, "annotations", changes)


def with_labels(pod: Raw, changes: Mapping[str, str | None]) -> Raw:
    """Give the pod with labels set, or removed where the value is None."""
    return _with(pod, "labels", changes)


def without_grace(pod: Raw) -> Raw:
    return with_annotations(pod, {IN_PLACE_GRACE: None, IN_PLACE_GRACE_LEGACY: None})


def _with(pod: Raw, kind: str, changes: Mapping[str, str | None]) -> Raw:
    merged = {**(metadata(pod).get(kind) or {}), **changes}
    kept = {key: value for key, value in merged.items() if value is not None}
    return {**pod, "metadata": {**metadata(pod), kind: kept}}


def _apply(pod: Raw, change: Change, state: State, now: str) -> Applied:
    batch = pick_batch(pod, change)
    containers = tuple(sorted(batch))
    images, later_images = _split(change.images, batch)
    references, later_references = _split(change.references, batch)
    _, later_resources = _split(change.resources, batch)
    pod = _with_images(pod, images)
    for name in containers:
        for kind, values in references.get(name, {}).items():
            if kind in ("labels", "annotations"):
                pod = _with(pod, kind, values)
    state = replace(
        state,
        last=_record(pod, images, state.last),
        next_images=later_images,
        next_references=later_references,
        next_resources=later_resources,
        required_ready=containers if later_images or later_references or later_resources else (),
        batches=(*state.batches, Batch(now, containers)),
    )
    return Applied(write_state(pod, state), state)


def pick_resources(pod: Raw, change: Change) -> Resources:
    """Give the resources that change with the first batch: the pod has to have them before it is written (§19.2)."""
    return _split(change.resources, pick_batch(pod, change))[0]


def pick_batch(pod: Raw, change: Change) -> frozenset[str]:
    """Choose the containers that change now: those without launch priority and those of the highest one present.

    A label or annotation changes only once, so whoever shares a key with the batch joins it.
    """
    concerned, references = change.containers, change.references
    priorities = {name: _priority(pod, name) for name in concerned}
    highest = max((priority for priority in priorities.values() if priority is not None), default=None)
    batch = {name for name, priority in priorities.items() if priority in (None, highest)}
    while joining := {
        name for name in concerned - batch if any(_share(references, name, member) for member in batch)
    }:
        batch |= joining
    return frozenset(batch)


def _split(
    values: Mapping[str, _Value], batch: Container[str]
) -> tuple[dict[str, _Value], dict[str, _Value]]:
    """Part what changes now from what is left for later."""
    now = {name: value for name, value in values.items() if name in batch}
    return now, {name: value for name, value in values.items() if name not in now}


def _share(references: RefMetadata, one: str, other: str) -> bool:
    first, second = references.get(one, {}), references.get(other, {})
    return any(set(first.get(kind) or ()) & set(second.get(kind) or ()) for kind in ("labels", "annotations"))


def _priority(pod: Raw, name: str) -> int | None:
    for container in _containers(pod):
        if container.get("name") == name:
            return launch_priority(container)
    return None


def _containers(pod: Raw) -> Iterable[Raw]:
    containers: list[Raw] = dig(pod, ("spec", "containers"), [])
    return containers


def _with_images(pod: Raw, images: Mapping[str, str]) -> Raw:
    containers: list[Any] = [
        {**container, "image": images[container["name"]]} if container.get("name") in images else container
        for container in _containers(pod)
    ]
    return {**pod, "spec": {**(pod.get("spec") or {}), "containers": containers}}


def _record(pod: Raw, images: Mapping[str, str], last: Mapping[str, str] | None) -> Mapping[str, str] | None:
    """Add the running imageIDs of the containers whose image changes; an id once recorded stays."""
    running = {name: str(status.get("imageID") or "") for name, status in statuses_of(pod).items()}
    seen = {name: running[name] for name in images if name in running}
    return {**seen, **(last or {})} if seen or last is not None else None

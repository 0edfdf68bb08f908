"""The record of an in-place update on its pod: annotation `apps.kruise.io/inplace-update-state` (cloneset.md §17.5)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kubectl_kruise.engine.inplace.change import Change, RefMetadata, object_meta, sorted_keys
from kubectl_kruise.engine.inplace.resources import Resources
from kubectl_kruise.engine.revisions.content import go_json
from kubectl_kruise.facts.names import (
    IN_PLACE_GRACE,
    IN_PLACE_GRACE_LEGACY,
    IN_PLACE_STATE,
    IN_PLACE_STATE_LEGACY,
)
from kubectl_kruise.objects.raw import Raw, annotations_of


@dataclass(frozen=True, slots=True)
class Batch:
    """Containers changed together; `timestamp` is RFC 3339 text."""

    timestamp: str
    containers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class State:
    """One in-place update. The `next_*` maps hold what waits for `required_ready`; `last` None means nothing recorded.

    `last` maps a container to the imageID it had before its image changed. Times are RFC 3339 text.
    """

    revision: str
    started: str
    last: Mapping[str, str] | None = None
    env_from_metadata: bool = False
    resources: bool = False
    images: bool = False
    next_images: Mapping[str, str] = field(default_factory=dict)
    next_references: RefMetadata = field(default_factory=dict)
    next_resources: Resources = field(default_factory=dict)
    required_ready: tuple[str, ...] = ()
    batches: tuple[Batch, ...] = ()

    @property
    def waiting(self) -> frozenset[str]:
        """Names of the containers whose change is still to come."""
        return frozenset((*self.next_images, *self.next_references, *self.next_resources))


def first_state(change: Change, now: str) -> State:
    """Give the state of an update that begins now and has applied nothing yet."""
    return State(
        revision=change.revision,
        started=now,
        env_from_metadata=change.env_from_metadata,
        resources=bool(change.resources),
        images=bool(change.images),
    )


def state_text(state: State) -> str:
    """Print the annotation, byte for byte as the manager does."""
    shown: Raw = {
        "revision": state.revision,
        "updateTimestamp": state.started,
        "lastContainerStatuses": _last(state.last),
    }
    flags = (
        ("updateEnvFromMetadata", state.env_from_metadata),
        ("updateResources", state.resources),
        ("updateImages", state.images),
    )
    shown |= {name: True for name, given in flags if given}
    if state.next_images:
        shown["nextContainerImages"] = sorted_keys(state.next_images)
    if state.next_references:
        shown["nextContainerRefMetadata"] = {
            name: object_meta(state.next_references[name]) for name in sorted(state.next_references)
        }
    if state.next_resources:
        shown["nextContainerResources"] = sorted_keys(state.next_resources)
    if state.required_ready:
        shown["preCheckBeforeNext"] = {"containersRequiredReady": list(state.required_ready)}
    if state.batches:
        shown["containerBatchesRecord"] = [
            {"timestamp": batch.timestamp, "containers": list(batch.containers)} for batch in state.batches
        ]
    return go_json(shown)


def state_annotation(pod: Raw) -> str | None:
    """Give the annotation's text, under its name of today or the one before; None where there is none."""
    annotations = annotations_of(pod)
    return annotations.get(IN_PLACE_STATE, annotations.get(IN_PLACE_STATE_LEGACY))


def grace_annotation(pod: Raw) -> str:
    """Give the grace annotation's text under either name, "" where there is none."""
    annotations = annotations_of(pod)
    return annotations.get(IN_PLACE_GRACE) or annotations.get(IN_PLACE_GRACE_LEGACY) or ""


def graced(pod: Raw) -> bool:
    """Say whether the grace annotation is there at all, be it empty."""
    annotations = annotations_of(pod)
    return IN_PLACE_GRACE in annotations or IN_PLACE_GRACE_LEGACY in annotations


def parse_state(text: str) -> State:
    """Read the annotation, `null` as a state of nothing; raises ValueError where it is not what the manager writes."""
    raw = json.loads(text)
    try:
        return _state({} if raw is None else raw)
    except (AttributeError, TypeError) as error:
        raise ValueError(f"not an in-place update state: {error}") from error


def _state(raw: Raw) -> State:
    last = raw.get("lastContainerStatuses")
    return State(
        revision=str(raw.get("revision") or ""),
        started=str(raw.get("updateTimestamp") or ""),
        last=None
        if last is None
        else {name: str((seen or {}).get("imageID") or "") for name, seen in last.items()},
        env_from_metadata=bool(raw.get("updateEnvFromMetadata")),
        resources=bool(raw.get("updateResources")),
        images=bool(raw.get("updateImages")),
        next_images=dict(raw.get("nextContainerImages") or {}),
        next_references=dict(raw.get("nextContainerRefMetadata") or {}),
        next_resources=dict(raw.get("nextContainerResources") or {}),
        required_ready=tuple((raw.get("preCheckBeforeNext") or {}).get("containersRequiredReady") or ()),
        batches=tuple(
            Batch(str(batch.get("timestamp") or ""), tuple(batch.get("containers") or ()))
            for batch in raw.get("containerBatchesRecord") or ()
        ),
    )


def _last(last: Mapping[str, str] | None) -> Any:
    if last is None:
        return None
    return {name: {"imageID": last[name]} if last[name] else {} for name in sorted(last)}

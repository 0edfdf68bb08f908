"""When an in-place update has arrived in the running containers (cloneset.md §18)."""

import json

from kubectl_kruise.engine.inplace.hashes import environment_hashes_match, plain_hashes_match
from kubectl_kruise.engine.inplace.resources import resources_arrived
from kubectl_kruise.engine.inplace.state import State, graced, parse_state, state_annotation
from kubectl_kruise.facts.names import RUNTIME_META
from kubectl_kruise.objects.pod import images_of, statuses_of
from kubectl_kruise.objects.raw import Raw, annotations_of


def containers_complete(pod: Raw, state: State, *, vertical_scaling: bool = False) -> bool:
    """Say whether every container runs what its spec asks for, resources included under the gate (§18.1)."""
    text = annotations_of(pod).get(RUNTIME_META)
    meta = None
    if text is not None:
        try:
            meta = json.loads(text)
        except ValueError:
            return False
        if not isinstance(meta, dict):
            return False
    if state.env_from_metadata and (meta is None or not environment_hashes_match(pod, meta)):
        return False
    if vertical_scaling and state.resources and not resources_arrived(pod):
        return False
    if meta is not None and plain_hashes_match(pod, meta):
        return True
    return not outdated_containers(pod, state)


def pod_complete(pod: Raw, *, vertical_scaling: bool = False) -> bool:
    """Say whether nothing of an in-place update is still to come on the pod (§18.2)."""
    if graced(pod):
        return False
    text = state_annotation(pod)
    if text is None:
        return True
    try:
        state = parse_state(text)
    except ValueError:
        return False
    return not state.waiting and containers_complete(pod, state, vertical_scaling=vertical_scaling)


def outdated_containers(pod: Raw, state: State) -> list[str]:
    """Name the recorded containers whose status still shows the image of before, in order."""
    statuses, images = statuses_of(pod), images_of(pod)
    return [
        name
        for name, image_id in sorted((state.last or {}).items())
        if (status := statuses.get(name)) is None
        or (status.get("imageID", "") == image_id and _tagged(images.get(name, "")) != status.get("image"))
    ]


def _tagged(image: str) -> str:
    return image if ":" in image else f"{image}:latest"

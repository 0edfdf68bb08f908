"""The hashes by which kubelet and node daemon tell one container from another (cloneset.md §18.3–18.5)."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from kubectl_kruise.engine.revisions.content import go_json
from kubectl_kruise.engine.revisions.naming import byte_dump_hash
from kubectl_kruise.objects.pod import statuses_of
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, labels_of
from kubectl_kruise.objects.typed import typed

_SUBSCRIPTED = re.compile(r"metadata\.(labels|annotations)\['([^']+)'\]")
_NOT_ENVIRONMENT: Final = frozenset(("SIDECARSET_VERSION", "SIDECARSET_VERSION_ALT"))


def plain_hash(name: str, image: str) -> int:
    """Give the kubelet's container hash since 1.31: over name and image alone."""
    return byte_dump_hash(go_json({"image": image, "name": name}))


def environment_hash(container: Raw, pod: Raw) -> int:
    """Hash the values that the container's environment takes from the pod's labels and annotations."""
    found = {"labels": labels_of(pod), "annotations": annotations_of(pod)}
    entries: list[Mapping[str, str]] = []
    for name, kind, key in environment_references(container):
        value = found[kind].get(key, "")
        entries.append({"name": name, "value": value} if value else {"name": name})
    entries.sort(key=lambda entry: entry["name"])
    return byte_dump_hash(go_json(entries or None))


def environment_references(container: Raw) -> list[tuple[str, str, str]]:
    """List (variable, `labels` or `annotations`, key) for every variable read from one label or annotation."""
    found = []
    for variable in container.get("env") or []:
        name = str(variable.get("name") or "")
        path = dig(variable, ("valueFrom", "fieldRef", "fieldPath"), "")
        match = _SUBSCRIPTED.fullmatch(path)
        if match and not variable.get("value") and name not in _NOT_ENVIRONMENT:
            found.append((name, match[1], match[2]))
    return found


def plain_hashes_match(pod: Raw, meta: Raw) -> bool:
    """Say whether every container runs as its spec says, by the node daemon's record `meta`."""
    return _all_match(pod, meta, "plainHash", _plain_hashes)


def environment_hashes_match(pod: Raw, meta: Raw) -> bool:
    """Say whether every container was started with the labels and annotations that the pod has now."""
    return _all_match(
        pod, meta, "extractedEnvFromMetadataHash", lambda container: (environment_hash(container, pod),)
    )


def _plain_hashes(container: Raw) -> Iterator[int]:
    """Give the hashes a kubelet may have: of today, and before 1.31 over the whole container."""
    yield plain_hash(str(container.get("name")), str(container.get("image") or ""))
    yield byte_dump_hash(go_json(typed(container, "Container")))


def _all_match(pod: Raw, meta: Raw, which: str, accepted: Callable[[Raw], Iterable[int]]) -> bool:
    statuses = statuses_of(pod)
    records = {record.get("name"): record for record in meta.get("containers") or []}
    for container in dig(pod, ("spec", "containers"), []):
        name = str(container.get("name"))
        status, record = statuses.get(name), records.get(name)
        if status is None or record is None or status.get("containerID") != record.get("containerID"):
            return False
        if dig(record, ("hashes", which), 0) not in accepted(container):
            return False
    return True

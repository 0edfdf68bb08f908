"""CloneSets and pods in the compact notation of the specification's worked examples (cloneset.md §28)."""

import re
from typing import Any

from kubectl_kruise.engine.cloneset.member import Member, members_for_scale, members_for_update
from kubectl_kruise.engine.cloneset.view import CloneSet, read_cloneset
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.objects.notation.timestamp import rfc3339

NOW = 1_800_000_000.0
OLD, NEW = "demo-0000", "demo-1111"
_TOKEN = re.compile(r"([on])([✓✗D]*)(?:\((\w+)\))?(?:×(\d+))?")


def cloneset(
    *, gates: Gates | None = None, lifecycle: Any = None, scale: Any = None, template: Any = None, **spec: Any
) -> CloneSet:
    """A CloneSet of v1alpha1; strategy fields and spec fields by their names, `replicas` 5 unless said."""
    top = {
        "minReadySeconds",
        "replicas",
        "progressDeadlineSeconds",
        "revisionHistoryLimit",
        "volumeClaimTemplates",
    }
    raw = {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "metadata": {"name": "demo", "namespace": "ns", "uid": "cs-uid", "generation": 1},
        "spec": {
            "replicas": 5,
            "selector": {"matchLabels": {"app": "demo"}},
            "template": template
            or {
                "metadata": {"labels": {"app": "demo"}},
                "spec": {"containers": [{"name": "main", "image": "a:1"}]},
            },
            **{key: value for key, value in spec.items() if key in top},
            "updateStrategy": {key: value for key, value in spec.items() if key not in top},
            **({"scaleStrategy": scale} if scale else {}),
            **({"lifecycle": lifecycle} if lifecycle is not None else {}),
        },
    }
    return read_cloneset(raw, gates)


def pod(
    name: str,
    revision: str = NEW,
    *,
    up: bool = True,
    ready: bool | None = None,
    state: str = "Normal",
    ready_for: float = 100,
    created: float = 1000,
    node: str = "a",
    phase: str = "Running",
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    restarts: int = 0,
) -> dict[str, Any]:
    """A pod of the CloneSet; `created` and `ready_for` are seconds ago."""
    is_ready = up if ready is None else ready
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "ns",
            "uid": f"uid-{name}",
            "creationTimestamp": rfc3339(NOW - created),
            "labels": {
                "app": "demo",
                "controller-revision-hash": revision,
                "pod-template-hash": revision[-4:],
                "lifecycle.apps.kruise.io/state": state,
                **(labels or {}),
            },
            "annotations": annotations or {},
        },
        "spec": {
            **({"nodeName": node} if node else {}),
            "containers": [{"name": "main", "image": "a:1"}],
            "readinessGates": [{"conditionType": "InPlaceUpdateReady"}],
        },
        "status": {
            "phase": phase,
            "conditions": [
                {
                    "type": "Ready",
                    "status": "True" if is_ready else "False",
                    "lastTransitionTime": rfc3339(NOW - ready_for),
                },
                {"type": "InPlaceUpdateReady", "status": "True"},
            ],
            "containerStatuses": [
                {
                    "name": "main",
                    "image": "a:1",
                    "imageID": "img-old",
                    "ready": is_ready,
                    "restartCount": restarts,
                }
            ],
        },
    }


def pods(text: str) -> list[dict[str, Any]]:
    """`o✓×3 nD n✗ n✓(PreparingDelete)`: old or new, available or not, specified; ×count."""
    found: list[dict[str, Any]] = []
    for token in text.split():
        match = _TOKEN.fullmatch(token)
        assert match, token
        side, flags, state, count = match.groups()
        for _ in range(int(count or 1)):
            labels = {"apps.kruise.io/specified-delete": "true"} if "D" in flags else {}
            found.append(
                pod(
                    f"p{len(found)}",
                    OLD if side == "o" else NEW,
                    up="✗" not in flags,
                    state={"pd": "PreparingDelete", None: "Normal"}.get(state, state),
                    labels=labels,
                )
            )
    return found


def scale_members(view: CloneSet, text: str) -> list[Member]:
    return members_for_scale(view, pods(text), NEW, NOW)


def update_members(view: CloneSet, text: str) -> list[Member]:
    return members_for_update(view, pods(text), NEW, NOW)


def revision(name: str, template: dict[str, Any], number: int = 1, **annotations: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": "ns", "annotations": annotations},
        "revision": number,
        "data": {"spec": {"template": {"$patch": "replace", **template}}},
    }

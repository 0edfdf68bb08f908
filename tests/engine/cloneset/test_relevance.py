"""Changes of a pod that its CloneSet need not look at (cloneset.md §25, gate CloneSetEventHandlerOptimization)."""

import json
from typing import Any

import pytest

from kubectl_kruise.engine.cloneset.relevance import matters
from kubectl_kruise.facts.names import IN_PLACE_READY, IN_PLACE_STATE, STATE_LABEL

LIFECYCLE = {"preDelete": {"finalizersHandler": ["example.com/hold"]}, "inPlaceUpdate": {}}
STATE = json.dumps({"revision": "web-2", "lastContainerStatuses": {"app": {"imageID": "old"}}})


def pod(
    *, image_id: str = "old", gate: str | None = "True", generation: int = 1, ready: bool = True, **meta: Any
) -> dict[str, Any]:
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    if gate is not None:
        conditions.append({"type": IN_PLACE_READY, "status": gate})
    return {
        "metadata": {"name": "web-a", "generation": generation, "labels": {STATE_LABEL: "Normal"}, **meta},
        "spec": {
            "containers": [{"name": "app", "image": "shop:2"}],
            "readinessGates": [] if gate is None else [{"conditionType": IN_PLACE_READY}],
        },
        "status": {
            "phase": "Running",
            "conditions": conditions,
            "containerStatuses": [{"name": "app", "image": "shop:1", "imageID": image_id}],
        },
    }


UPDATING = {"annotations": {IN_PLACE_STATE: STATE}}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(pod(), pod(annotations={"seen": "yes"}), False, id="an annotation"),
        pytest.param(pod(), pod(labels={STATE_LABEL: "Normal", "a": "b"}), True, id="a label"),
        pytest.param(pod(), pod(ownerReferences=[{"uid": "x", "controller": True}]), True, id="an owner"),
        pytest.param(pod(), pod(generation=2), True, id="the spec"),
        pytest.param(pod(), pod(ready=False), True, id="readiness"),
        pytest.param(pod(), pod() | {"status": {"phase": "Failed"}}, True, id="the end of the pod"),
        pytest.param(pod(), pod(finalizers=["example.com/hold"]), True, id="a finalizer of a hook comes"),
        pytest.param(pod(finalizers=["example.com/hold"]), pod(), True, id="a finalizer of a hook goes"),
        pytest.param(pod(), pod(finalizers=["example.com/other"]), False, id="a finalizer of nobody here"),
        pytest.param(
            pod(gate="False", **UPDATING), pod(gate="False", **UPDATING), False, id="an update goes on"
        ),
        pytest.param(
            pod(gate="False", **UPDATING),
            pod(gate="False", image_id="new", **UPDATING),
            True,
            id="the containers of an update have come up",
        ),
        pytest.param(
            pod(**UPDATING), pod(image_id="new", **UPDATING), False, id="an update that was noted already"
        ),
        pytest.param(
            pod(gate="False"), pod(gate="False", annotations={IN_PLACE_STATE: "{"}), False, id="unreadable"
        ),
        pytest.param(
            pod(gate=None), pod(gate=None, image_id="new", **UPDATING), False, id="no gate, and Normal"
        ),
        pytest.param(
            pod(gate=None, labels={STATE_LABEL: "Updating"}),
            pod(gate=None, image_id="new", labels={STATE_LABEL: "Updating"}, **UPDATING),
            True,
            id="no gate, but in the middle of an update",
        ),
    ],
)
def test_what_matters(old: dict[str, Any], new: dict[str, Any], *, expected: bool) -> None:
    assert matters(old, new, LIFECYCLE, vertical_scaling=False) is expected


def test_with_vertical_scaling_every_finished_update_matters() -> None:
    new = pod(image_id="new", **UPDATING)

    assert matters(new, new, None, vertical_scaling=True)

"""Pods get their readiness gate and their launch barriers when they are created."""

from typing import Any

import pytest

from kubectl_kruise.engine.admission.pod_injection import inject_pod
from kubectl_kruise.objects.raw import Raw

GATE = {"conditionType": "KruisePodReady"}


def pod(
    *priorities: str | None, owner: str = "", annotations: dict[str, str] | None = None, **spec: Any
) -> Raw:
    references = [{"apiVersion": owner, "kind": "CloneSet", "controller": True}] if owner else []
    containers: list[Raw] = [
        {"name": f"c{index}"}
        if value is None
        else {"name": f"c{index}", "env": [{"name": "KRUISE_CONTAINER_PRIORITY", "value": value}]}
        for index, value in enumerate(priorities)
    ]
    meta = {"name": "web-abcde", "annotations": annotations or {}, "ownerReferences": references}
    return {"metadata": meta, "spec": {"containers": containers, **spec}}


def barriers(injected: Raw) -> list[str]:
    return [
        env["valueFrom"]["configMapKeyRef"]["key"]
        for container in injected["spec"]["containers"]
        for env in container.get("env") or []
        if env["name"] == "KRUISE_CONTAINER_BARRIER"
    ]


GATES = [
    ("cloneset", pod(owner="apps.kruise.io/v1alpha1"), [GATE]),
    ("after others", pod(owner="apps.kruise.io/v1beta1", readinessGates=[{"conditionType": "a"}]), [{"conditionType": "a"}, GATE]),
    ("once", pod(owner="apps.kruise.io/v1alpha1", readinessGates=[GATE]), [GATE]),
    ("replica set", pod(owner="apps/v1"), None),
    ("nobody", pod(), None),
]  # fmt: skip


@pytest.mark.parametrize(("given", "gates"), [row[1:] for row in GATES], ids=[row[0] for row in GATES])
def test_pods_of_kruise_workloads_get_the_gate(given: Raw, gates: list[Raw] | None) -> None:
    """cloneset.md §21.2."""
    assert inject_pod(given)["spec"].get("readinessGates") == gates


def test_under_the_gate_every_pod_gets_it() -> None:
    """cloneset.md §3, KruisePodReadinessGate."""
    assert inject_pod(pod(), ready_gate_for_all=True)["spec"]["readinessGates"] == [GATE]


BARRIERS = [
    ("in order", pod(None, None, None, annotations={"apps.kruise.io/container-launch-priority": "Ordered"}), ["p_0", "p_-1", "p_-2"]),
    ("by number, zero included", pod("5", None), ["p_5", "p_0"]),
    ("all equal", pod("3", "3"), []),
    ("all zero", pod("0", None), []),
    ("one container", pod("3"), []),
]  # fmt: skip


@pytest.mark.parametrize(("given", "keys"), [row[1:] for row in BARRIERS], ids=[row[0] for row in BARRIERS])
def test_launch_priorities_become_barriers(given: Raw, keys: list[str]) -> None:
    """cloneset.md §17.4."""
    assert barriers(inject_pod(given)) == keys


def test_a_priority_must_be_a_number() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        inject_pod(pod("high", "1"))

"""Barriers of launch priorities (cloneset.md §17.4)."""

import pytest

from kubectl_kruise.engine.launch_priority import held_by_barrier, launch_priority, next_opening
from kubectl_kruise.facts.names import LAUNCH_COMPLETED


def pod(*containers: tuple[str, str, bool], **meta: object) -> dict:
    """Containers are (name, key of the barrier or "", ready)."""
    return {
        "metadata": {"name": "p", "uid": "u", **meta},
        "spec": {
            "containers": [
                {"name": name, "env": [{"name": "KRUISE_CONTAINER_BARRIER", "valueFrom": {"configMapKeyRef": {"key": key}}}] if key else []}
                for name, key, _ in containers
            ]
        },
        "status": {"phase": "Running", "containerStatuses": [{"name": name, "ready": ready} for name, _, ready in containers]},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("containers", "opened", "opening"),
    [
        pytest.param([("a", "p_10", False), ("b", "p_0", False)], set(), ("p_10", False), id="the highest first"),
        pytest.param([("a", "p_10", False), ("b", "p_0", False)], {"p_10"}, None, id="one at a time"),
        pytest.param([("a", "p_10", True), ("b", "p_0", False)], {"p_10"}, ("p_0", True), id="the last one"),
        pytest.param([("a", "p_-1", False), ("b", "p_-2", False)], set(), ("p_-1", False), id="negative ones"),
        pytest.param([("a", "p_5", False), ("b", "p_5", False)], set(), ("p_5", True), id="equals together"),
        pytest.param([("a", "p_10", False), ("b", "p_0", True)], {"p_10"}, None, id="a restart behind an open barrier"),
        pytest.param([("a", "p_10", True), ("b", "", False)], set(), None, id="whoever has no barrier"),
    ],
)  # fmt: skip
def test_barriers_open_from_the_highest_down(
    containers: list, opened: set[str], opening: tuple | None
) -> None:
    assert next_opening(pod(*containers), opened) == opening


@pytest.mark.parametrize(
    ("meta", "held"),
    [
        ({}, True),
        ({"annotations": {LAUNCH_COMPLETED: "true"}}, False),
        ({"deletionTimestamp": "2024-05-01T10:00:00Z"}, False),
    ],
    ids=["still launching", "completed", "going"],
)
def test_whose_barrier_is_looked_after(meta: dict, held: bool) -> None:
    assert held_by_barrier(pod(("a", "p_1", False), **meta)) is held


def test_pods_without_barriers_are_left_alone() -> None:
    assert not held_by_barrier(pod(("a", "", False)))


@pytest.mark.parametrize("env", [{}, {"name": "KRUISE_CONTAINER_BARRIER", "value": "p_1"}, {"name": "OTHER"}])
def test_what_is_no_barrier_is_no_priority(env: dict) -> None:
    assert launch_priority({"env": [env]}) is None

"""Counters of a status that cannot be are refused in the real server's order (sandbox-apiserver.md B1)."""

import pytest

from kubectl_kruise.sandbox.native.checks.statuses import check_status

LOW = "must be greater than or equal to 0"
ABOVE = "cannot be greater than status.replicas"

ROWS = {
    "Deployment: below zero": (
        "Deployment", {"replicas": -1}, {},
        [("replicas", -1, LOW), ("updatedReplicas", 0, ABOVE), ("readyReplicas", 0, ABOVE), ("availableReplicas", 0, ABOVE)],
    ),
    "Deployment: more available than ready": (
        "Deployment", {"replicas": 5, "readyReplicas": 1, "availableReplicas": 2}, {},
        [("availableReplicas", 2, "cannot be greater than readyReplicas")],
    ),
    "Deployment: collisions go up only": (
        "Deployment", {"collisionCount": 2}, {"collisionCount": 3}, [("collisionCount", 2, "cannot be decremented")],
    ),
    "ReplicaSet: every counter": (
        "ReplicaSet", {"replicas": 1, "fullyLabeledReplicas": -1, "observedGeneration": -1}, {},
        [("fullyLabeledReplicas", -1, LOW), ("observedGeneration", -1, LOW)],
    ),
    "StatefulSet: more than there are": (
        "StatefulSet", {"replicas": 1, "currentReplicas": 2, "readyReplicas": 1, "availableReplicas": 1}, {},
        [("currentReplicas", 2, ABOVE)],
    ),
    "StatefulSet: more available than ready": (
        "StatefulSet", {"replicas": 5, "availableReplicas": 2}, {},
        [("availableReplicas", 2, "cannot be greater than status.readyReplicas")],
    ),
    "a pod may say anything": ("Pod", {"replicas": -1}, {}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_counters_are_checked(name):
    kind, status, before, complaints = ROWS[name]
    found = check_status(kind, {"status": status}, {"status": before})

    assert [error.text for error in found] == [
        f"status.{field}: Invalid value: {value}: {why}" for field, value, why in complaints
    ]

"""Printer columns of the Kruise kinds (kinds.md §4)."""

from typing import Any, Final

Column = dict[str, Any]


def _column(name: str, path: str, kind: str = "integer", priority: int = 0) -> Column:
    column: Column = {"name": name, "type": kind, "jsonPath": path}
    return column | {"priority": priority} if priority else column


def _status(**counters: str) -> list[Column]:
    """Give integer columns NAME=field of the status, in order; `_` in a name stands for `-`."""
    return [_column(name.replace("_", "-"), f".status.{field}") for name, field in counters.items()]


_AGE: Final = _column("AGE", ".metadata.creationTimestamp", "date")
_DESIRED: Final = _column("DESIRED", ".spec.replicas")
_CONTAINERS: Final = [
    _column("CONTAINERS", ".spec.template.spec.containers[*].name", "string", 1),
    _column("IMAGES", ".spec.template.spec.containers[*].image", "string", 1),
]

COLUMNS: Final[dict[str, list[Column]]] = {
    "AdvancedCronJob": [
        _column("Schedule", ".spec.schedule", "string"),
        _column("Type", ".status.type", "string"),
        _column("LastScheduleTime", ".status.lastScheduleTime", "date"),
        _AGE,
    ],
    "BroadcastJob": [
        *_status(Desired="desired", Active="active", Succeeded="succeeded", Failed="failed"),
        _AGE,
    ],
    "CloneSet": [
        _DESIRED,
        _column("UPDATED", ".status.updatedReplicas"),
        _column("UPDATED_READY", ".status.updatedReadyReplicas"),
        _column("UPDATED_AVAILABLE", ".status.updatedAvailableReplicas"),
        *_status(READY="readyReplicas", TOTAL="replicas"),
        _AGE,
        *_CONTAINERS,
        _column("SELECTOR", ".status.labelSelector", "string", 1),
    ],
    "ContainerRecreateRequest": [
        _column("PHASE", ".status.phase", "string"),
        _column("POD", ".spec.podName", "string"),
        _column("NODE", r".metadata.labels.crr\.apps\.kruise\.io/node-name", "string"),
        _AGE,
    ],
    "DaemonSet": [
        *_status(
            DESIRED="desiredNumberScheduled",
            CURRENT="currentNumberScheduled",
            READY="numberReady",
            UP_TO_DATE="updatedNumberScheduled",
            AVAILABLE="numberAvailable",
        ),
        _AGE,
        *_CONTAINERS,
    ],
    "EphemeralJob": [
        _column("STATUS", ".status.phase", "string"),
        *_status(MATCH="match", SUCCEED="succeeded", FAILED="failed", RUNNING="running", WAITING="waiting"),
        _AGE,
    ],
    "ImageListPullJob": [*_status(TOTAL="desired", SUCCEEDED="succeeded", COMPLETED="completed"), _AGE],
    "ImagePullJob": [*_status(TOTAL="desired", ACTIVE="active", SUCCEED="succeeded", FAILED="failed"), _AGE],
    "NodeImage": [*_status(DESIRED="desired", PULLING="pulling", SUCCEED="succeeded", FAILED="failed"), _AGE],
    "PodUnavailableBudget": _status(
        Allowed="unavailableAllowed",
        Current="currentAvailable",
        Desired="desiredAvailable",
        Total="totalReplicas",
    ),
    "ResourceDistribution": _status(TOTAL="desired", SUCCEED="succeeded", FAILED="failed"),
    "SidecarSet": [*_status(MATCHED="matchedPods", UPDATED="updatedPods", READY="readyPods"), _AGE],
    "StatefulSet": [
        _DESIRED,
        *_status(CURRENT="replicas", UPDATED="updatedReplicas", READY="readyReplicas"),
        _AGE,
        *_CONTAINERS,
    ],
    "UnitedDeployment": [
        _DESIRED,
        *_status(CURRENT="replicas", UPDATED="updatedReplicas", READY="readyReplicas"),
        _AGE,
    ],
    "WorkloadSpread": [
        _column("WorkloadName", ".spec.targetRef.name", "string"),
        _column("WorkloadKind", ".spec.targetRef.kind", "string"),
        _column("Adaptive", '.spec.scheduleStrategy.type[?(@ == "Adaptive")]', "boolean"),
        _column("Age", ".metadata.creationTimestamp", "date"),
    ],
}

MESSAGE: Final = _column("MESSAGE", ".status.message", "string")
"""The column that only the v1alpha1 table of ImagePullJob has."""

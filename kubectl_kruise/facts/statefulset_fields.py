"""The fields of Advanced StatefulSets as their Go types print them (advanced-statefulset.md §3, §4, §8).

In the notation of `facts.fields`. The kind's own structs carry the package of the version: `StatefulSet@v1beta1`.
"""

from functools import cache
from typing import Final

from kubectl_kruise.facts.fields import Structs, Table, in_package, pod_structs, read_structs
from kubectl_kruise.facts.shared_fields import SHARED

_SPEC: Final[list[list[str | int]]] = [
    ["replicas", "*int32", 1],
    ["selector", "*LabelSelector", 0],
    ["template", "PodTemplateSpec", 0],
    ["volumeClaimTemplates", "[]PersistentVolumeClaim", 1],
    ["volumeClaimUpdateStrategy", "VolumeClaimUpdateStrategy", 1],
    ["serviceName", "string", 1],
    ["podManagementPolicy", "v1.PodManagementPolicyType", 1],
    ["updateStrategy", "StatefulSetUpdateStrategy", 1],
    ["revisionHistoryLimit", "*int32", 1],
    ["reserveOrdinals", "[]intOrString", 1],
    ["lifecycle", "*Lifecycle@pub", 1],
    ["scaleStrategy", "*StatefulSetScaleStrategy", 1],
    [
        "persistentVolumeClaimRetentionPolicy",
        "*StatefulSetPersistentVolumeClaimRetentionPolicy",
        1,
    ],
    ["ordinals", "*StatefulSetOrdinals", 1],
]
_STATUS: Final[list[list[str | int]]] = [
    ["observedGeneration", "int64", 1],
    ["replicas", "int32", 0],
    ["readyReplicas", "int32", 0],
    ["availableReplicas", "int32", 0],
    ["currentReplicas", "int32", 0],
    ["updatedReplicas", "int32", 0],
    ["updatedReadyReplicas", "int32", 1],
    ["updatedAvailableReplicas", "int32", 1],
    ["currentRevision", "string", 1],
    ["updateRevision", "string", 1],
    ["collisionCount", "*int32", 1],
    ["conditions", "[]StatefulSetCondition@v1", 1],
    ["labelSelector", "string", 1],
    ["volumeClaims", "[]VolumeClaimStatus", 1],
]
_COMMON: Final[Table] = {
    "StatefulSet": [
        ["metadata", "ObjectMeta", 1],
        ["spec", "StatefulSetSpec", 1],
        ["status", "StatefulSetStatus", 1],
    ],
    "StatefulSetUpdateStrategy": [
        ["type", "v1.StatefulSetUpdateStrategyType", 1],
        ["rollingUpdate", "*RollingUpdateStatefulSetStrategy", 1],
    ],
    "RollingUpdateStatefulSetStrategy": [
        ["partition", "*int32", 1],
        ["maxUnavailable", "*intOrString", 1],
        ["podUpdatePolicy", "v1beta1.PodUpdateStrategyType", 1],
        ["paused", "bool", 1],
        ["unorderedUpdate", "*UnorderedUpdateStrategy", 1],
        ["inPlaceUpdateStrategy", "*InPlaceUpdateStrategy@pub", 1],
        ["minReadySeconds", "*int32", 1],
    ],
    "UnorderedUpdateStrategy": [["priorityStrategy", "*UpdatePriorityStrategy@pub", 1]],
    "StatefulSetCondition@v1": [
        ["type", "v1.StatefulSetConditionType", 0],
        ["status", "v1.ConditionStatus", 0],
        ["lastTransitionTime", "time", 1],
        ["reason", "string", 1],
        ["message", "string", 1],
    ],
}
_ONLY_V1BETA1: Final[Table] = {
    "VolumeClaimUpdateStrategy": [["type", "v1beta1.VolumeClaimUpdateStrategyType", 1]],
    "StatefulSetScaleStrategy": [["maxUnavailable", "*intOrString", 1]],
    "StatefulSetPersistentVolumeClaimRetentionPolicy": [
        ["whenDeleted", "v1beta1.PersistentVolumeClaimRetentionPolicyType", 1],
        ["whenScaled", "v1beta1.PersistentVolumeClaimRetentionPolicyType", 1],
    ],
    "StatefulSetOrdinals": [["start", "int32", 0]],
    "VolumeClaimStatus": [
        ["volumeClaimName", "string", 0],
        ["compatibleReplicas", "int32", 0],
        ["compatibleReadyReplicas", "int32", 0],
    ],
}
ONLY_V1BETA1: Final = frozenset(
    {
        "lifecycle", "ordinals", "persistentVolumeClaimRetentionPolicy", "reserveOrdinals", "scaleStrategy",
        "volumeClaimUpdateStrategy",
    }
)  # fmt: skip
"""Fields of the spec that v1alpha1 does not have (C-10)."""
STATUS_ONLY_V1BETA1: Final = frozenset({"updatedReadyReplicas", "updatedAvailableReplicas", "volumeClaims"})
"""Fields of the status that v1alpha1 does not have."""
_SCALARS: Final = dict.fromkeys(
    (
        "v1.PodManagementPolicyType", "v1.StatefulSetUpdateStrategyType", "v1.StatefulSetConditionType",
        "v1.ConditionStatus", "v1beta1.PodUpdateStrategyType", "v1beta1.VolumeClaimUpdateStrategyType",
        "v1beta1.PersistentVolumeClaimRetentionPolicyType", "v1alpha1.PodUpdateStrategyType",
    ),
    "string",
)  # fmt: skip


@cache
def statefulset_structs(version: str) -> Structs:
    """Give the structs of an Advanced StatefulSet in `version`; the root is `StatefulSet@version`."""
    newer = version == "v1beta1"
    table = {
        **_COMMON,
        "StatefulSetSpec": [field for field in _SPEC if newer or field[0] not in ONLY_V1BETA1],
        "StatefulSetStatus": [field for field in _STATUS if newer or field[0] not in STATUS_ONLY_V1BETA1],
        **(_ONLY_V1BETA1 if newer else {}),
    }
    if not newer:
        rolling = "RollingUpdateStatefulSetStrategy"
        table[rolling] = [
            [name, "v1alpha1.PodUpdateStrategyType" if name == "podUpdatePolicy" else token, omit]
            for name, token, omit in table[rolling]
        ]
    return {**pod_structs(), **read_structs({**SHARED, **in_package(table, version)}, _SCALARS)}

"""The fields of CloneSets as their Go types print them (cloneset.md §1.4 to §1.7), in the notation of `facts.fields`.

Struct names carry their package after `@`; those without it belong to the package of their version.
"""

from functools import cache
from typing import Final

from kubectl_kruise.facts.fields import Structs, Table, in_package, pod_structs, read_structs
from kubectl_kruise.facts.shared_fields import SHARED

_STRATEGY: Final[list[list[str | int]]] = [
    ["partition", "*intOrString", 1],
    ["maxUnavailable", "*intOrString", 1],
    ["maxSurge", "*intOrString", 1],
    ["paused", "bool", 1],
    ["priorityStrategy", "*UpdatePriorityStrategy@pub", 1],
    ["scatterStrategy", "[]UpdateScatterTerm", 1],
]
_COMMON: Final[Table] = {
    "CloneSet": [["metadata", "ObjectMeta", 1], ["spec", "CloneSetSpec", 1]],
    "CloneSetSpec": [
        ["replicas", "*int32", 1],
        ["selector", "*LabelSelector", 0],
        ["template", "PodTemplateSpec", 0],
        ["volumeClaimTemplates", "[]PersistentVolumeClaim", 1],
        ["scaleStrategy", "CloneSetScaleStrategy", 1],
        ["updateStrategy", "CloneSetUpdateStrategy", 1],
        ["revisionHistoryLimit", "*int32", 1],
        ["minReadySeconds", "int32", 1],
        ["lifecycle", "*Lifecycle@pub", 1],
        ["progressDeadlineSeconds", "*int32", 1],
    ],
    "UpdateScatterTerm": [["key", "string", 0], ["value", "string", 0]],
}
_V1ALPHA1: Final[Table] = {
    "CloneSetScaleStrategy": [
        ["podsToDelete", "[]string", 1],
        ["maxUnavailable", "*intOrString", 1],
        ["disablePVCReuse", "bool", 1],
    ],
    "CloneSetUpdateStrategy": [
        ["type", "v1alpha1.CloneSetUpdateStrategyType", 1],
        *_STRATEGY,
        ["inPlaceUpdateStrategy", "*InPlaceUpdateStrategy@pub", 1],
    ],
}
_V1BETA1: Final[Table] = {
    "CloneSetScaleStrategy": [
        ["podsToDelete", "[]string", 1],
        ["maxUnavailable", "*intOrString", 1],
        ["enablePVCReuse", "bool", 1],
        ["excludePreparingDelete", "bool", 1],
    ],
    "CloneSetUpdateStrategy": [
        ["type", "v1beta1.CloneSetUpdateStrategyType", 1],
        ["rollingUpdate", "*RollingUpdateCloneSetStrategy", 1],
    ],
    "RollingUpdateCloneSetStrategy": [
        ["podUpdatePolicy", "v1beta1.PodUpdatePolicyType", 1],
        *_STRATEGY,
        ["inPlaceUpdateStrategy", "*InPlaceUpdateStrategy", 1],
    ],
    "InPlaceUpdateStrategy": [
        ["gracePeriodSeconds", "int32", 1],
        ["imagePreDownloadParallelism", "*intOrString", 1],
        ["imagePreDownloadTimeoutSeconds", "*int32", 1],
        ["imagePreDownloadMinUpdatedReadyPods", "int32", 1],
    ],
}
_SCALARS: Final = {
    "v1alpha1.CloneSetUpdateStrategyType": "string",
    "v1beta1.CloneSetUpdateStrategyType": "string",
    "v1beta1.PodUpdatePolicyType": "string",
}


@cache
def cloneset_structs(version: str) -> Structs:
    """Give the structs of a CloneSet in `version`; the root is `CloneSet@version`, the status is left out."""
    package = version if version == "v1beta1" else "v1alpha1"
    own = in_package({**_COMMON, **(_V1BETA1 if version == "v1beta1" else _V1ALPHA1)}, package)
    return {**pod_structs(), **read_structs({**SHARED, **own}, _SCALARS)}

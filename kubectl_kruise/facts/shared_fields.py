"""Go structs that several workload kinds of Kruise share (package `pub`), in the notation of `facts.fields`."""

from typing import Final

from kubectl_kruise.facts.fields import Table

SHARED: Final[Table] = {
    "UpdatePriorityStrategy@pub": [
        ["orderPriority", "[]UpdatePriorityOrderTerm@pub", 1],
        ["weightPriority", "[]UpdatePriorityWeightTerm@pub", 1],
    ],
    "UpdatePriorityOrderTerm@pub": [["orderedKey", "string", 0]],
    "UpdatePriorityWeightTerm@pub": [["weight", "int32", 0], ["matchSelector", "LabelSelector", 0]],
    "InPlaceUpdateStrategy@pub": [["gracePeriodSeconds", "int32", 1]],
    "Lifecycle@pub": [
        ["preDelete", "*LifecycleHook@pub", 1],
        ["inPlaceUpdate", "*LifecycleHook@pub", 1],
        ["preNormal", "*LifecycleHook@pub", 1],
    ],
    "LifecycleHook@pub": [
        ["labelsHandler", "{}string", 1],
        ["finalizersHandler", "[]string", 1],
        ["markPodNotReady", "bool", 1],
    ],
}

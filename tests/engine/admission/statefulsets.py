"""Random Advanced StatefulSets for the tests of what happens to them on their way in."""

from typing import Any

from hypothesis import strategies as st

Values = dict[str, Any]
_SHARES = st.one_of(st.integers(1, 7), st.sampled_from(["1%", "30%", "250%"]))
_NAMES = st.sampled_from(["a", "b", "example.com/c"])


def _some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Values]:
    """Give objects that have some of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


def _hooks() -> st.SearchStrategy[Values]:
    hook = _some(
        labelsHandler=st.dictionaries(_NAMES, st.just("x"), min_size=1, max_size=2),
        finalizersHandler=st.lists(_NAMES, min_size=1, max_size=2, unique=True),
        markPodNotReady=st.just(True),
    )
    return _some(preDelete=hook, inPlaceUpdate=hook, preNormal=hook)


def _strategies() -> st.SearchStrategy[Values]:
    priority = _some(
        orderPriority=st.just([{"orderedKey": "k"}]),
        weightPriority=st.just([{"weight": 5, "matchSelector": {"matchLabels": {"a": "b"}}}]),
    )
    rolling = _some(
        partition=st.integers(0, 5),
        maxUnavailable=_SHARES,
        podUpdatePolicy=st.sampled_from(["ReCreate", "InPlaceIfPossible", "InPlaceOnly"]),
        paused=st.just(True),
        unorderedUpdate=_some(priorityStrategy=priority),
        inPlaceUpdateStrategy=_some(gracePeriodSeconds=st.integers(1, 30)),
        minReadySeconds=st.integers(0, 300),
    )
    return _some(type=st.sampled_from(["RollingUpdate", "OnDelete"]), rollingUpdate=rolling)


def _claims() -> st.SearchStrategy[Values]:
    sizes = st.sampled_from(["1Gi", "20Gi", "0.5Gi", "1e3"])
    return st.builds(
        lambda name, size, storage_class: {
            "metadata": {"name": name},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": size}},
                **({"storageClassName": storage_class} if storage_class else {}),
            },
        },
        st.sampled_from(["data", "log"]),
        sizes,
        st.sampled_from(["", "fast"]),
    )


def specs() -> st.SearchStrategy[Values]:
    """Give specs in v1beta1: what is there is of the right type and most of it acceptable, much of it is absent."""
    template = st.builds(
        lambda image, gated: {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [{"name": "main", "image": image}],
                **({"readinessGates": [{"conditionType": "InPlaceUpdateReady"}]} if gated else {}),
            },
        },
        st.sampled_from(["nginx", "nginx:1"]),
        st.booleans(),
    )
    retention = st.sampled_from(["Retain", "Delete"])
    return st.fixed_dictionaries(
        {"selector": st.just({"matchLabels": {"app": "web"}}), "template": template},
        optional={
            "replicas": st.integers(0, 5),
            "podManagementPolicy": st.sampled_from(["OrderedReady", "Parallel"]),
            "serviceName": st.sampled_from(["", "web"]),
            "revisionHistoryLimit": st.integers(0, 9),
            "updateStrategy": _strategies(),
            "volumeClaimTemplates": st.lists(_claims(), max_size=2),
            "reserveOrdinals": st.lists(st.sampled_from([0, 1, 7, "3-4", "5-5"]), max_size=3),
            "ordinals": _some(start=st.integers(0, 3)),
            "scaleStrategy": _some(maxUnavailable=_SHARES),
            "lifecycle": _hooks(),
            "persistentVolumeClaimRetentionPolicy": _some(whenDeleted=retention, whenScaled=retention),
            "volumeClaimUpdateStrategy": _some(type=st.sampled_from(["OnDelete", "OnPodRollingUpdate"])),
        },
    )

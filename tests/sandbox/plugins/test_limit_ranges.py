"""LimitRanges, as a real 1.36 server answered: defaults, bounds of containers, pods and claims, and of resizes."""

from typing import Any

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import LIMIT_RANGE, POD, PVC
from kubectl_kruise.objects.raw import Raw, annotations_of


def limit(client: Client, *limits: Raw) -> Raw:
    body = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "l"},
        "spec": {"limits": list(limits)},
    }
    return client.create(LIMIT_RANGE.path("default"), body)


def pod(*containers: Raw | None, inits: tuple[Raw, ...] = (), name: str = "p") -> Raw:
    """Give a pod of containers c0, c1, … and init containers i0, i1, … with these resources."""
    spec: dict[str, Any] = {
        "containers": [
            {"name": f"c{index}", "image": "a:1", **({} if found is None else {"resources": found})}
            for index, found in enumerate(containers)
        ]
    }
    if inits:
        spec["initContainers"] = [
            {"name": f"i{index}", "image": "a:1", "resources": found} for index, found in enumerate(inits)
        ]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def refusal(client: Client, path: str, body: Raw) -> str:
    with pytest.raises(KruiseError) as caught:
        client.create(path, body)
    assert caught.value.http == 403
    return str(caught.value.status["message"])


def resources_of(raw: Raw) -> list[Raw]:
    return [container["resources"] for container in raw["spec"]["containers"]]


def test_defaults_of_a_range_come_from_its_bounds(client: Client) -> None:
    made = limit(client, {"type": "Container", "max": {"cpu": "2", "memory": "1Gi"}, "min": {"cpu": "50m"}})

    full = {"cpu": "2", "memory": "1Gi"}
    assert made["spec"]["limits"] == [
        {"type": "Container", "max": full, "min": {"cpu": "50m"}, "default": full, "defaultRequest": full}
    ]


def test_a_request_by_default_is_the_minimum_where_no_limit_is(client: Client) -> None:
    made = limit(client, {"type": "Container", "min": {"cpu": "10m"}, "default": {"memory": "1Gi"}})

    found = made["spec"]["limits"][0]
    assert found["defaultRequest"] == {"cpu": "10m", "memory": "1Gi"}
    assert found["default"] == {"memory": "1Gi"}


def test_other_types_get_no_defaults(client: Client) -> None:
    made = limit(client, {"type": "Pod", "max": {"cpu": "2"}})

    assert made["spec"]["limits"] == [{"type": "Pod", "max": {"cpu": "2"}}]


def test_a_range_that_contradicts_itself_is_refused(client: Client) -> None:
    with pytest.raises(KruiseError) as caught:
        limit(
            client,
            {"type": "Container", "min": {"cpu": "2"}, "max": {"cpu": "1"}, "default": {"cpu": "3"}},
            {"type": "Pod", "default": {"cpu": "1"}},
            {"type": "Container"},
            {"type": "Foo"},
        )

    found = {cause["field"]: cause["message"] for cause in caught.value.status["details"]["causes"]}
    assert found == {
        "spec.limits[0].min[cpu]": 'Invalid value: "2": min value 2 is greater than max value 1',
        "spec.limits[0].defaultRequest[cpu]": 'Invalid value: "3": default request value 3 is greater than max value 1',
        "spec.limits[0].default[cpu]": 'Invalid value: "1": default value 3 is greater than max value 1',
        "spec.limits[1].default": "Forbidden: may not be specified when `type` is 'Pod'",
        "spec.limits[2].type": 'Duplicate value: "Container"',
        "spec.limits[3].type": 'Invalid value: "Foo": must be a standard limit type or fully qualified',
    }


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        pytest.param(
            {"type": "Container", "maxLimitRequestRatio": {"cpu": "0.5"}},
            'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
            id="ratio below one",
        ),
        pytest.param(
            {
                "type": "Container",
                "min": {"cpu": "1"},
                "max": {"cpu": "2"},
                "maxLimitRequestRatio": {"cpu": "3"},
            },
            'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000',
            id="ratio that no pod can reach",
        ),
        pytest.param(
            {"type": "PersistentVolumeClaim"},
            "spec.limits[0].limits: Required value: either minimum or maximum storage value is required,"
            " but neither was provided",
            id="claims without storage",
        ),
        pytest.param(
            {"type": "Container", "defaultRequest": {"cpu": "2"}, "default": {"cpu": "1"}},
            'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than'
            " default limit value 1",
            id="default request above the default limit",
        ),
    ],
)
def test_a_single_complaint(client: Client, entry: Raw, message: str) -> None:
    with pytest.raises(KruiseError) as caught:
        limit(client, entry)

    assert caught.value.status["message"] == f'LimitRange "l" is invalid: {message}'


def test_containers_get_defaults_and_the_pod_says_so(client: Client) -> None:
    limit(client, {"type": "Container", "max": {"cpu": "2", "memory": "1Gi"}})

    made = client.create(POD.path("default"), pod(None, {"limits": {"cpu": "1"}}))

    full = {"cpu": "2", "memory": "1Gi"}
    assert resources_of(made) == [
        {"limits": full, "requests": full},
        {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}},
    ]
    assert made["status"]["qosClass"] == "Guaranteed"
    assert annotations_of(made)["kubernetes.io/limit-ranger"] == (
        "LimitRanger plugin set: cpu, memory request for container c0; cpu, memory limit for container c0; "
        "memory request for container c1; memory limit for container c1"
    )


CONTAINER = {"type": "Container", "max": {"cpu": "2", "memory": "1Gi"}, "min": {"cpu": "50m"}}
WHOLE = {
    "type": "Pod",
    "max": {"cpu": "1", "memory": "1Gi"},
    "min": {"memory": "10Mi"},
    "maxLimitRequestRatio": {"memory": "1.5"},
}
REFUSED = [
    (
        "bounds of two containers", CONTAINER,
        pod({"limits": {"cpu": "3", "memory": "2Gi"}}, {"requests": {"cpu": "10m"}}),
        ("[maximum cpu usage per Container is 2, but limit is 3, maximum memory usage per Container is 1Gi, but limit is "
        "2Gi, minimum cpu usage per Container is 50m, but request is 10m]"),
    ),
    (
        "an init container", CONTAINER, pod(None, inits=({"requests": {"cpu": "10m"}},)),
        "minimum cpu usage per Container is 50m, but request is 10m",
    ),
    (
        "a ratio", {"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}},
        pod({"limits": {"cpu": "500m"}, "requests": {"cpu": "200m"}}),
        "cpu max limit to request ratio per Container is 2, but provided ratio is 2.500000",
    ),
    (
        "sums of a pod", WHOLE,
        pod({"limits": {"cpu": "600m", "memory": "100Mi"}},
            {"limits": {"cpu": "600m", "memory": "100Mi"}, "requests": {"memory": "10Mi"}}),
        ("[maximum cpu usage per Pod is 1, but limit is 1200m, memory max limit to request ratio per Pod is 1500m, "
        "but provided ratio is 1.818182]"),
    ),
    (
        "nothing given", WHOLE, pod(None),
        ("[minimum memory usage per Pod is 10Mi.  No request is specified, maximum cpu usage per Pod is 1.  No limit is "
        "specified, maximum memory usage per Pod is 1Gi.  No limit is specified, memory max limit to request ratio per "
        "Pod is 1500m, but no request is specified or request is 0]"),
    ),
    (
        "an init container that needs more than the pod", WHOLE,
        pod({"limits": {"cpu": "100m", "memory": "100Mi"}}, inits=({"limits": {"cpu": "1100m", "memory": "10Mi"}},)),
        "maximum cpu usage per Pod is 1, but limit is 1100m",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "body", "why"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_pods_beyond_bounds_are_refused(client: Client, entry: Raw, body: Raw, why: str) -> None:
    limit(client, entry)

    assert refusal(client, POD.path("default"), body) == f'pods "p" is forbidden: {why}'


@pytest.mark.parametrize(
    ("storage", "why"),
    [
        ("2Gi", "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi"),
        ("5Mi", "minimum storage usage per PersistentVolumeClaim is 10Mi, but request is 5Mi"),
    ],
)
def test_claims_beyond_bounds_are_refused(client: Client, storage: str, why: str) -> None:
    limit(client, {"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}, "min": {"storage": "10Mi"}})
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}}
    body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": spec}

    assert refusal(client, PVC.path("default"), body) == f'persistentvolumeclaims "c" is forbidden: {why}'


def resize(client: Client, body: Raw) -> Raw:
    path = POD.path("default", "p", subresource="resize")
    return client.patch(
        path, Patch(PatchType.STRATEGIC, {"spec": {"containers": [{"name": "c0", "resources": body}]}})
    )


def test_a_resize_is_judged_and_completed_other_updates_are_not(client: Client) -> None:
    client.create(POD.path("default"), pod({"requests": {"cpu": "10m"}}))
    limit(
        client,
        {
            "type": "Container",
            "default": {"cpu": "500m"},
            "defaultRequest": {"memory": "64Mi"},
            "max": {"cpu": "1"},
            "min": {"cpu": "20m"},
        },
    )
    labelled = client.patch(
        POD.path("default", "p"), Patch(PatchType.MERGE, {"metadata": {"labels": {"x": "y"}}})
    )

    with pytest.raises(KruiseError) as caught:
        resize(client, {"requests": {"cpu": "15m"}})
    done = resize(client, {"requests": {"cpu": "30m"}})

    assert resources_of(labelled) == [{"requests": {"cpu": "10m"}}]
    why = "minimum cpu usage per Container is 20m, but request is 15m"
    assert caught.value.status["message"] == f'pods "p" is forbidden: {why}'
    assert resources_of(done) == [{"limits": {"cpu": "500m"}, "requests": {"cpu": "30m", "memory": "64Mi"}}]
    assert not annotations_of(done)

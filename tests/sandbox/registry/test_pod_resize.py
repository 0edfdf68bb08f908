"""Subresource `resize` of pods, as a real 1.36 server answered."""

from typing import Any

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import DryRun, Patch, PatchType
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import NODE, POD
from kubectl_kruise.objects.raw import Raw, labels_of

PATH = POD.path("default", "p", subresource="resize")
SMALL = {
    "requests": {"cpu": "100m", "memory": "128Mi"},
    "limits": {"cpu": "200m", "ephemeral-storage": "1Gi"},
}


@pytest.fixture
def pod(client: Client) -> Raw:
    spec = {
        "containers": [{"name": "c", "image": "a:1", "resources": SMALL}, {"name": "d", "image": "a:1"}],
        "initContainers": [
            {"name": "i", "image": "a:1", "resources": {"requests": {"cpu": "10m"}}},
            {
                "name": "s",
                "image": "a:1",
                "restartPolicy": "Always",
                "resources": {"requests": {"cpu": "10m"}},
            },
        ],
    }
    return client.create(
        POD.path("default"), {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
    )


def strategic(resources: Raw, name: str = "c", group: str = "containers", **fields: Any) -> Patch:
    return Patch(PatchType.STRATEGIC, {"spec": {group: [{"name": name, "resources": resources, **fields}]}})


def json(*operations: tuple[str, str, Any]) -> Patch:
    return Patch(PatchType.JSON, [{"op": op, "path": path, "value": value} for op, path, value in operations])


def test_new_cpu_and_memory_are_a_new_generation(client: Client, pod: Raw) -> None:
    done = client.patch(PATH, strategic({"limits": {"cpu": "300m"}, "requests": {"memory": "64Mi"}}))

    assert done["spec"]["containers"][0]["resources"] == {
        "limits": {"cpu": "300m", "ephemeral-storage": "1Gi"},
        "requests": {"cpu": "100m", "ephemeral-storage": "1Gi", "memory": "64Mi"},
    }
    assert done["metadata"]["generation"] == pod["metadata"]["generation"] + 1


def test_whatever_else_a_request_changes_is_dropped(client: Client, pod: Raw) -> None:
    body = strategic({"limits": {"cpu": "300m"}}, image="b:2").body
    body |= {"metadata": {"labels": {"x": "y"}}, "status": {"phase": "Failed"}}
    body["spec"]["nodeName"] = "elsewhere"

    done = client.patch(PATH, Patch(PatchType.STRATEGIC, body))

    assert (labels_of(done), done["status"], done["spec"].get("nodeName")) == ({}, pod["status"], None)
    assert done["spec"]["containers"][0]["image"] == "a:1"
    nothing = client.patch(PATH, Patch(PatchType.MERGE, {"metadata": {"labels": {"x": "z"}}}))
    assert nothing["metadata"]["resourceVersion"] == done["metadata"]["resourceVersion"]


def test_a_put_is_taken_too_and_a_get_gives_the_pod(client: Client, pod: Raw) -> None:
    pod["spec"]["containers"][0]["resources"]["limits"]["cpu"] = "300m"
    client.replace(PATH, pod)

    assert client.get(PATH)["spec"]["containers"][0]["resources"]["limits"]["cpu"] == "300m"
    with pytest.raises(KruiseError) as caught:
        client.replace(PATH, pod)
    assert caught.value.http == 409


def test_a_dry_run_changes_nothing(client: Client, pod: Raw) -> None:
    shown = client.patch(PATH, strategic({"limits": {"cpu": "300m"}}), dry_run=DryRun.SERVER)

    assert shown["spec"]["containers"][0]["resources"]["limits"]["cpu"] == "300m"
    assert client.get(PATH) == pod


def test_a_request_that_is_taken_away_becomes_the_limit(client: Client, pod: Raw) -> None:
    done = client.patch(PATH, strategic({"requests": {"cpu": None}}))

    assert done["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "200m"


C = "/spec/containers/0"
MUTABLE = "spec: Forbidden: only cpu and memory resources are mutable"
REFUSED = [
    (
        "a limit goes", strategic({"limits": {"cpu": None}}),
        "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed",
    ),
    (
        "a request without limit goes", strategic({"requests": {"memory": None}}),
        "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
    ),
    ("another resource", strategic({"limits": {"ephemeral-storage": "2Gi"}}), MUTABLE),
    ("another resource comes", strategic({"limits": {"nvidia.com/gpu": "1"}}), MUTABLE),
    ("a resizePolicy", json(("add", f"{C}/resizePolicy", [{"resourceName": "cpu", "restartPolicy": "NotRequired"}])), MUTABLE),
    (
        "more than the limit", strategic({"requests": {"cpu": "900m"}}),
        'spec.containers[0].resources.requests: Invalid value: "900m": must be less than or equal to cpu limit of 200m',
    ),
    (
        "a container comes", strategic({"limits": {"cpu": "1"}}, name="e", image="x"),
        "spec.containers: Forbidden: containers may not be added or removed on resize",
    ),
    (
        "a container gets a name", json(("replace", f"{C}/name", "z")),
        "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize",
    ),
    (
        "an init container goes", json(("remove", "/spec/initContainers/1", None)),
        "spec.initContainers: Forbidden: initContainers may not be added or removed on resize",
    ),
    (
        "policy of an init container",
        json(("add", "/spec/initContainers/0/resizePolicy", [{"resourceName": "cpu", "restartPolicy": "NotRequired"}])),
        "spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable",
    ),
    (
        "everything goes", json(("remove", f"{C}/resources", None)),
        (
            "[spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed, "
            f"spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed, {MUTABLE}]"
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("patch", "why"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_other_changes_are_refused(client: Client, pod: Raw, patch: Patch, why: str) -> None:
    with pytest.raises(KruiseError) as caught:
        client.patch(PATH, patch)

    assert (caught.value.http, caught.value.status["message"]) == (422, f'Pod "p" is invalid: {why}')
    assert client.get(PATH) == pod


@pytest.mark.parametrize(
    ("resources", "change", "shown"),
    [
        pytest.param({"limits": {"cpu": "1", "memory": "1Gi"}}, {"limits": {"cpu": "2"}}, "Guaranteed", id="guaranteed no more"),
        pytest.param({}, {"requests": {"cpu": "1"}}, "BestEffort", id="best effort no more"),
    ],
)  # fmt: skip
def test_the_qos_class_stays(client: Client, resources: Raw, change: Raw, shown: str) -> None:
    spec = {"containers": [{"name": "c", "image": "a:1", "resources": resources}]}
    client.create(
        POD.path("default"), {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
    )

    with pytest.raises(KruiseError) as caught:
        client.patch(PATH, strategic(change))

    why = f'spec: Invalid value: "{shown}": Pod QOS Class may not change as a result of resizing'
    assert caught.value.status["message"] == f'Pod "p" is invalid: {why}'


def test_pods_of_windows_are_not_resized(client: Client) -> None:
    spec = {"os": {"name": "windows"}, "containers": [{"name": "c", "image": "a:1", "resources": SMALL}]}
    client.create(
        POD.path("default"), {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
    )

    with pytest.raises(KruiseError) as caught:
        client.patch(PATH, strategic({"limits": {"cpu": "1"}}))

    assert (
        caught.value.status["message"] == 'Pod "p" is invalid: []: Forbidden: windows pods cannot be resized'
    )


@pytest.fixture
def bound(client: Client, pod: Raw) -> Raw:
    allocatable = {"cpu": "64", "memory": "256Gi"}
    meta = {"name": "n"}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": meta, "status": {"allocatable": allocatable}}
    client.create(NODE.path(), node)
    target = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "p"},
        "target": {"kind": "Node", "name": "n"},
    }
    client.create(POD.path("default", "p", subresource="binding"), target)
    return pod


BEYOND = [
    (
        "cpu, sidecars included", strategic({"requests": {"cpu": "70"}, "limits": {"cpu": "70"}}),
        "node didn't have enough allocatable resources: cpu, requested: 70010, allocatable: 64000",
    ),
    (
        "memory", strategic({"requests": {"memory": "900Gi"}}),
        "node didn't have enough allocatable resources: memory, requested: 966367641600, allocatable: 274877906944",
    ),
    (
        "init containers", strategic({"requests": {"cpu": "20m"}}, "i", "initContainers"),
        'pod update requires features InPlacePodVerticalScalingInitContainers which are not available on node "n"',
    ),
]  # fmt: skip


@pytest.mark.usefixtures("bound")
@pytest.mark.parametrize(("patch", "why"), [row[1:] for row in BEYOND], ids=[row[0] for row in BEYOND])
def test_what_the_node_cannot_do_is_refused(client: Client, patch: Patch, why: str) -> None:
    with pytest.raises(KruiseError) as caught:
        client.patch(PATH, patch)

    assert (caught.value.http, caught.value.status["message"]) == (403, f'pods "p" is forbidden: {why}')


@pytest.mark.usefixtures("bound")
def test_sidecars_are_resized_like_containers(client: Client) -> None:
    done = client.patch(PATH, strategic({"requests": {"cpu": "20m"}}, "s", "initContainers"))

    assert done["spec"]["initContainers"][1]["resources"] == {"requests": {"cpu": "20m"}}


@pytest.mark.usefixtures("bound")
def test_resources_of_the_pod_as_a_whole_are_not_resized(client: Client) -> None:
    whole = Patch(PatchType.STRATEGIC, {"spec": {"resources": {"limits": {"cpu": "1"}}}})
    with pytest.raises(KruiseError) as caught:
        client.patch(PATH, whole)

    assert caught.value.status["message"] == (
        'pods "p" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling'
        ' which are not available on node "n"'
    )

"""The sandbox's API server asks Kruise's webhooks on creations and on updates."""

from typing import Any

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.errors import ServerError
from kubectl_kruise.facts.kinds import CLONESET, POD
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.assembly import Server
from kubectl_kruise.sandbox.local import LocalTransport

WEB = CLONESET.path("default", "web")


@pytest.fixture
def client() -> Client:
    return Client(LocalTransport(Server(VirtualClock()).handler), namespace="default", context="sandbox")


def cloneset(**spec: Any) -> Raw:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "nginx:1.25"}]},
    }
    body = {"selector": {"matchLabels": {"app": "web"}}, "template": template, **spec}
    return {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "metadata": {"name": "web"},
        "spec": body,
    }


def test_a_creation_comes_back_with_its_defaults(client: Client) -> None:
    spec = client.create(CLONESET.path("default"), cloneset())["spec"]

    assert spec["updateStrategy"] == {
        "type": "ReCreate",
        "partition": 0,
        "maxUnavailable": "20%",
        "maxSurge": 0,
    }
    assert spec["template"]["spec"]["containers"][0]["imagePullPolicy"] == "Always"


UPDATES = [
    ({"updateStrategy": {"partition": "x%"}}, 'Invalid value: "x%": failed GetScaledValueFromIntOrPercent for partition'),
    ({"selector": {"matchLabels": {"app": "other"}}, "template": {"metadata": {"labels": {"app": "other"}}}}, "spec: Forbidden"),
    ({"scaleStrategy": {"podsToDelete": ["nope"]}}, 'find pod nope failed: Pod "nope" not found'),
]  # fmt: skip


@pytest.mark.parametrize(("change", "text"), UPDATES, ids=["partition", "selector", "pods to delete"])
def test_an_update_is_judged(client: Client, change: Raw, text: str) -> None:
    client.create(CLONESET.path("default"), cloneset())

    with pytest.raises(ServerError) as refused:
        client.patch(WEB, Patch(PatchType.MERGE, {"spec": change}))

    assert refused.value.http == 422
    assert text in refused.value.status["message"]


def test_pods_of_a_cloneset_get_gate_and_barriers(client: Client) -> None:
    owner = client.create(CLONESET.path("default"), cloneset())
    reference = {
        "apiVersion": owner["apiVersion"], "kind": "CloneSet", "name": "web", "uid": owner["metadata"]["uid"],
        "controller": True,
    }  # fmt: skip
    containers = [{"name": name, "image": "nginx:1.25"} for name in ("first", "second")]
    annotations = {"apps.kruise.io/container-launch-priority": "Ordered"}
    meta = {"name": "web-abcde", "annotations": annotations, "ownerReferences": [reference]}

    pod = client.create(POD.path("default"), {"metadata": meta, "spec": {"containers": containers}})

    assert pod["spec"]["readinessGates"] == [{"conditionType": "KruisePodReady"}]
    keys = [each["env"][0]["valueFrom"]["configMapKeyRef"]["key"] for each in pod["spec"]["containers"]]
    assert keys == ["p_0", "p_-1"]

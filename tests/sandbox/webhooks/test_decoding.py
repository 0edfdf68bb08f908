"""Webhooks and reviews read what they are sent as their Go types do: a wrong type is the client's fault, not theirs."""

from typing import Any

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.errors import ServerError
from kubectl_kruise.facts.kinds import CONTAINER_RECREATE_REQUEST, CRD, IMAGE_PULL_JOB
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.assembly import Server
from kubectl_kruise.sandbox.local import LocalTransport

RESTART = CONTAINER_RECREATE_REQUEST.path("default")
PULL = IMAGE_PULL_JOB.path("default", version="v1alpha1")
REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
KINDS = {RESTART: "ContainerRecreateRequest", PULL: "ImagePullJob"}
INTO = "cannot unmarshal {} into Go struct field {} of type {}"


@pytest.fixture
def client() -> Client:
    return Client(LocalTransport(Server(VirtualClock()).handler), namespace="default", context="sandbox")


@pytest.mark.parametrize(
    ("path", "spec", "found", "field", "wanted"),
    [
        (RESTART, 5, "number", "ContainerRecreateRequest.spec", "v1.ContainerRecreateRequestSpec"),
        (RESTART, {"podName": ["a"]}, "array", "ContainerRecreateRequestSpec.spec.podName", "string"),
        (RESTART, {"containers": 5}, "number", "ContainerRecreateRequestSpec.spec.containers", "[]map[string]interface {}"),
        (RESTART, {"containers": ["main"]}, "string", "ContainerRecreateRequestSpec.spec.containers", "map[string]interface {}"),
        (RESTART, {"activeDeadlineSeconds": "5"}, "string", "ContainerRecreateRequestSpec.spec.activeDeadlineSeconds", "int64"),
        (RESTART, {"strategy": []}, "array", "ContainerRecreateRequestSpec.spec.strategy", "map[string]interface {}"),
        (PULL, {"image": 5}, "number", "ImagePullJobSpec.spec.image", "string"),
        (PULL, {"image": "a", "pullPolicy": "Always"}, "string", "ImagePullJobSpec.spec.pullPolicy", "map[string]interface {}"),
        (PULL, {"image": "a", "parallelism": {}}, "object", "ImagePullJobSpec.spec.parallelism", "int32"),
    ],
)  # fmt: skip
def test_a_webhook_refuses_what_it_cannot_read(
    client: Client, path: str, spec: Any, found: str, field: str, wanted: str
) -> None:
    body = {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": KINDS[path],
        "metadata": {"name": "a"},
        "spec": spec,
    }

    with pytest.raises(ServerError) as refused:
        client.create(path, body)

    assert refused.value.status["code"] == 400
    webhook = f"m{KINDS[path].lower()}.kb.io"
    assert (
        refused.value.status["message"]
        == f'admission webhook "{webhook}" denied the request: json: {INTO.format(found, field, wanted)}'
    )


@pytest.mark.parametrize(
    ("spec", "found", "field", "wanted"),
    [
        (1.5, "number", "SelfSubjectAccessReviewSpec.spec", "v1.SelfSubjectAccessReviewSpec"),
        ({"resourceAttributes": "pods"}, "string", "SelfSubjectAccessReviewSpec.spec.resourceAttributes", "map[string]interface {}"),
        ({"resourceAttributes": {"verb": ["get"]}}, "array", ".spec.resourceAttributes.verb", "string"),
    ],
)  # fmt: skip
def test_a_review_that_cannot_be_read_is_refused(
    client: Client, spec: Any, found: str, field: str, wanted: str
) -> None:
    with pytest.raises(ServerError) as refused:
        client.create(REVIEW, {"spec": spec})

    assert refused.value.status["code"] == 400
    kind = "SelfSubjectAccessReview"
    assert (
        refused.value.status["message"] == f'{kind} in version "v1" cannot be handled as a {kind}: '
        f"json: {INTO.format(found, field, wanted)}"
    )


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"items": {"properties": {"a": []}}}, "json: cannot unmarshal array into Go struct field JSONSchemaProps."),
        ({"items": [{"type": 1}]}, "json: cannot unmarshal number into Go struct field JSONSchemaProps."),
        ({"additionalProperties": {"properties": {"a": "b"}}}, "json: cannot unmarshal string into Go struct field"),
        ({"additionalProperties": 5}, "boolean or JSON schema expected"),
        ({"dependencies": {"a": {"required": "b"}}}, "json: cannot unmarshal string into Go struct field JSONSchemaProps."),
    ],
)  # fmt: skip
def test_schemas_below_lists_and_maps_are_read_as_schemas(client: Client, schema: Raw, why: str) -> None:
    crd = {
        "metadata": {"name": "foos.x.io"},
        "spec": {
            "group": "x.io",
            "scope": "Namespaced",
            "names": {"plural": "foos", "kind": "Foo"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }  # fmt: skip

    with pytest.raises(ServerError) as refused:
        client.create(CRD.path(), crd)

    assert refused.value.status["code"] == 400
    assert why in refused.value.status["message"]

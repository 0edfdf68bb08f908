"""What no client should send is answered as a client's fault, whatever it is: never as a failure of the server."""

import json

import pytest

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Request
from kubectl_kruise.sandbox.assembly import Server

PODS, SECRETS = "/api/v1/namespaces/default/pods", "/api/v1/namespaces/default/secrets"
QUOTAS = "/api/v1/namespaces/default/resourcequotas"
BUDGETS = "/apis/policy.kruise.io/v1alpha1/namespaces/default/podunavailablebudgets"
RESTARTS = "/apis/apps.kruise.io/v1alpha1/namespaces/default/containerrecreaterequests"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
FOOS = "/apis/x.io/v1/namespaces/default/foos"
JSON, MERGE, STRATEGIC = (
    f"application/{kind}json" for kind in ("", "merge-patch+", "strategic-merge-patch+")
)

POD = {"metadata": {"name": "a", "finalizers": ["x.io/y"]}, "spec": {"containers": [{"name": "main", "image": "i"}]}}  # fmt: skip
BUDGET = {
    "kind": "PodUnavailableBudget",
    "apiVersion": "policy.kruise.io/v1alpha1",
    "metadata": {"name": "a"},
}
KEYED = {
    "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
    "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}},
}  # fmt: skip


def crd(lists):
    """Give a CRD whose objects have a list of this type."""
    schema = {"type": "object", "properties": {"l": lists}}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]
    names = {"plural": "foos", "kind": "Foo"}
    return {
        "metadata": {"name": "foos.x.io"},
        "spec": {"group": "x.io", "scope": "Namespaced", "names": names, "versions": versions},
    }


def restart(*containers):
    return {
        "apiVersion": "apps.kruise.io/v1alpha1", "kind": "ContainerRecreateRequest", "metadata": {"name": "a"},
        "spec": {"podName": "a", "containers": list(containers)},
    }  # fmt: skip


@pytest.fixture
def ask():
    server = Server(VirtualClock())
    for path, body in ((PODS, POD), (BUDGETS, {**BUDGET, "spec": {}}), (CRDS, crd(KEYED))):
        assert server.handler.handle(Request("POST", path, {}, json.dumps(body).encode())).code == 201
    stored = server.store.get("pods", "default", "a")
    stored.object["spec"]["nodeName"] = "n"

    def answer(method, path, kind, body):
        found = server.handler.handle(
            Request(method, path, {"content-type": kind}, json.dumps(body).encode())
        )
        return found.code, json.loads(found.body)["message"]

    return answer


@pytest.mark.parametrize(
    ("method", "path", "kind", "body", "code", "text"),
    [
        ("POST", SECRETS, JSON, {"metadata": {"name": "s"}, "data": {"a": "é"}}, 400, "illegal base64 data at input byte 0"),
        ("POST", BUDGETS, JSON, {**BUDGET, "kind": "Other", "metadata": [{}]}, 422, "must be PodUnavailableBudget"),
        ("POST", RESTARTS, JSON, restart({}), 400, "container  not found in Pod"),
        ("POST", FOOS, JSON, {"apiVersion": "x.io/v1", "kind": "Foo", "metadata": {"name": "a"}, "l": [5, 5]}, 422, "must be of type object"),
        ("POST", CRDS, JSON, {"metadata": {"name": "bars.x.io"}, "spec": {"group": "x.io"}}, 422, "spec.versions"),
        ("POST", CRDS, JSON, crd({**KEYED, "items": [{"type": "object"}]}), 422, "items must be a schema object and not an array"),
        ("PATCH", f"{FOOS}/a?fieldManager=m", "application/apply-patch+yaml", {"apiVersion": "x.io/v1", "kind": "Foo", "metadata": None}, 400, "name must be provided"),
        ("PATCH", f"{BUDGETS}/a", MERGE, {"apiVersion": [{}]}, 422, "cannot unmarshal array into Go struct field .apiVersion of type string"),
        ("PATCH", f"{PODS}/a", MERGE, {"kind": 5}, 422, "cannot unmarshal number into Go struct field .kind of type string"),
        ("PATCH", f"{PODS}/a", STRATEGIC, {"metadata": {"$patch": ["x"]}}, 500, "unknown patch type: [x] in map: map[$patch:[x]]"),
        ("PATCH", f"{PODS}/a", STRATEGIC, {"spec": {"containers": [{"name": "main", "$patch": {}}]}}, 500, "unknown patch type: map[]"),
        ("PATCH", f"{PODS}/a", STRATEGIC, {"metadata": {"finalizers": [[]]}}, 500, "lists of lists are not supported"),
        ("PATCH", f"{PODS}/a", STRATEGIC, {"metadata": {"$deleteFromPrimitiveList/finalizers": 5}}, 400, "invalid patch format of primitive list"),
        ("PATCH", f"{PODS}/a", STRATEGIC, {"metadata": {"$setElementOrder/finalizers": "x"}}, 400, "invalid patch format of setElementOrder list"),
    ],
    ids=[
        "data that is not ASCII", "another kind without metadata", "a container without a name", "items that are no objects",
        "a type without versions", "a schema with a list of items", "an apply without metadata", "a version that is a list", "a kind that is a number", "a directive that is a list", "a directive that is an object",
        "a list in a list", "values to remove that are none", "an order that is none",
    ],
)  # fmt: skip
def test_it_is_refused(ask, method, path, kind, body, code, text):
    found, message = ask(method, path, kind, body)

    assert (found, text in message) == (code, True), message


def test_a_null_among_quantities_is_none_of_it(ask):
    body = {"metadata": {"name": "q"}, "spec": {"hard": {"pods": None, "cpu": "1000m"}}}
    server = Server(VirtualClock())

    made = server.handler.handle(Request("POST", QUOTAS, {}, json.dumps(body).encode()))

    assert json.loads(made.body)["spec"]["hard"] == {"pods": "0", "cpu": "1"}

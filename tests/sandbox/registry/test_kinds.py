"""Kinds that come and go, kinds in two versions, and what Kruise's webhooks add."""

import json

import pytest

from kubectl_kruise.cluster.port import Patch, PatchType, Request
from kubectl_kruise.errors import NotAllowedError, NotFoundError, ServerError
from kubectl_kruise.objects.raw import metadata, name_of
from kubectl_kruise.sandbox.embedded import Sandbox

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
THINGS = "/apis/example.com/v1/namespaces/default/things"
CLONES = "/apis/apps.kruise.io/v1alpha1/namespaces/default/clonesets"


def _crd(plural="things", kind="Thing", **names):
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind, **names},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


def _thing(name, **meta):
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": name, **meta}}


def _conditions(crd):
    return {found["type"]: (found["status"], found["reason"]) for found in crd["status"]["conditions"]}


def test_a_kind_is_served_from_the_moment_its_definition_is_there(client):
    with pytest.raises(NotFoundError):
        client.list(THINGS)
    client.create(CRDS, _crd())

    assert client.served("example.com") == ("v1",)
    assert name_of(client.create(THINGS, _thing("a"))) == "a"
    assert _conditions(client.get(f"{CRDS}/things.example.com")) == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }


def test_a_definition_whose_names_are_taken_is_served_when_they_are_free(client):
    client.create(CRDS, _crd())
    client.create(CRDS, _crd("others", "Thing"))
    waiting = f"{CRDS}/others.example.com"
    assert _conditions(client.get(waiting)) == {
        "NamesAccepted": ("False", "ListKindConflict"),
        "Established": ("False", "NotAccepted"),
    }

    client.delete(f"{CRDS}/things.example.com")
    assert _conditions(client.get(waiting))["Established"][0] == "True"


def test_a_definition_goes_after_its_objects_and_ends_their_watches(sandbox, client):
    client.create(CRDS, _crd())
    client.create(THINGS, _thing("held", finalizers=["example.com/hold"]))
    client.create(THINGS, _thing("free"))
    watch = sandbox.server.handler.handle(Request("GET", f"{THINGS}?watch=true", {})).watch
    watch.pull()

    client.delete(f"{CRDS}/things.example.com")
    assert _conditions(client.get(f"{CRDS}/things.example.com"))["Terminating"] == (
        "True",
        "InstanceDeletionInProgress",
    )
    with pytest.raises(NotAllowedError):
        client.create(THINGS, _thing("late"))
    assert not watch.ended
    client.patch(f"{THINGS}/held", Patch(PatchType.MERGE, {"metadata": {"finalizers": None}}))

    lines = [json.loads(line) for line in watch.pull().splitlines()]
    seen = [(line["type"], name_of(line["object"])) for line in lines]
    assert sorted(seen) == [("DELETED", "free"), ("DELETED", "held"), ("MODIFIED", "held")]
    assert watch.ended
    with pytest.raises(NotFoundError):
        client.list(THINGS)


def test_events_are_seen_through_both_groups(client):
    involved = {"kind": "Pod", "name": "p", "namespace": "default"}
    client.create(
        "/api/v1/namespaces/default/events",
        {"metadata": {"name": "e"}, "involvedObject": involved, "reason": "R", "message": "m"},
    )

    seen = client.get("/apis/events.k8s.io/v1/namespaces/default/events/e")
    assert (seen["apiVersion"], seen["regarding"]["name"], seen["note"]) == ("events.k8s.io/v1", "p", "m")


def test_services_get_addresses_of_their_own(client):
    path = "/api/v1/namespaces/default/services"
    made = [
        client.create(
            path, {"metadata": {"name": name}, "spec": {"type": "NodePort", "ports": [{"port": 80}]}}
        )
        for name in ("a", "b")
    ]

    assert len({service["spec"]["clusterIP"] for service in made}) == 2
    assert len({service["spec"]["ports"][0]["nodePort"] for service in made}) == 2


def _cloneset(**spec):
    template = {
        "metadata": {"labels": {"app": "a"}},
        "spec": {"containers": [{"name": "c", "image": "nginx:1"}]},
    }
    return {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "metadata": {"name": "a"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template, **spec},
    }


def test_webhooks_complete_a_cloneset_and_its_pods():
    client = Sandbox().client()
    made = client.create(CLONES, _cloneset())
    assert made["spec"]["updateStrategy"] == {
        "type": "ReCreate", "partition": 0, "maxUnavailable": "20%", "maxSurge": 0,
    }  # fmt: skip

    owner = {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "name": "a", "controller": True}
    pod = {
        "metadata": {"name": "p", "ownerReferences": [owner | {"uid": metadata(made)["uid"]}]},
        "spec": {"containers": [{"name": "c", "image": "nginx:1"}]},
    }
    gated = client.create("/api/v1/namespaces/default/pods", pod)
    assert gated["spec"]["readinessGates"] == [{"conditionType": "KruisePodReady"}]


def test_webhooks_refuse_in_their_own_name_and_may_be_left_out():
    bad = _cloneset(selector={"matchLabels": {"other": "label"}})
    with pytest.raises(ServerError) as refusal:
        Sandbox().client().create(CLONES, bad)
    assert refusal.value.http == 422
    assert refusal.value.status["message"].startswith(
        'admission webhook "vcloneset.kb.io" denied the request: '
    )

    plain = Sandbox(webhooks=False).client().create(CLONES, bad)
    assert "updateStrategy" not in plain["spec"]


def test_pages_show_the_moment_of_the_first(sandbox, client):
    path = "/api/v1/namespaces/default/configmaps"
    for name in "abcd":
        client.create(path, {"metadata": {"name": name}})
    first = client.get(path, query={"limit": "2"})
    client.create(path, {"metadata": {"name": "bb"}})
    client.delete(f"{path}/c")

    token = metadata(first)["continue"]
    second = client.get(path, query={"limit": "2", "continue": token})
    assert [name_of(raw) for raw in first["items"] + second["items"]] == ["a", "b", "c", "d"]
    sandbox.server.store.forget_log()
    client.create(path, {"metadata": {"name": "e"}})
    refusal = sandbox.transport.send(Request("GET", f"{path}?limit=2&continue={token}", {}))
    assert refusal.status == 410
    goes_on = json.loads(refusal.body)["metadata"]["continue"]
    rest = client.get(path, query={"continue": goes_on})
    assert [name_of(raw) for raw in rest["items"]] == ["bb", "d", "e"]


def test_the_same_write_again_stores_nothing(sandbox, client):
    path = "/api/v1/namespaces/default/configmaps"
    made = client.create(path, {"metadata": {"name": "a"}, "data": {"k": "1"}})
    again = client.replace(f"{path}/a", made)
    patched = client.patch(f"{path}/a", Patch(PatchType.MERGE, {"data": {"k": "1"}}))

    assert (
        metadata(made)["resourceVersion"]
        == metadata(again)["resourceVersion"]
        == metadata(patched)["resourceVersion"]
    )


def test_a_node_brings_its_status_and_takes_no_pods_before_it_was_seen_ready(client):
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    made = client.create("/api/v1/nodes", {"metadata": {"name": "n"}, "status": ready})

    assert made["spec"]["taints"] == [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]
    assert made["status"]["conditions"][0]["type"] == "Ready"


def test_a_plain_deletion_of_an_account_shows_what_was_deleted(client):
    path = "/api/v1/namespaces/default/serviceaccounts"
    client.create(path, {"metadata": {"name": "a"}})

    assert client.delete(f"{path}/a")["kind"] == "ServiceAccount"
    with pytest.raises(NotFoundError):
        client.get(f"{path}/a")


TYPES = {
    "unknown to everybody": (
        "example.com/v1",
        "Foo",
        'no kind "Foo" is registered for version "example.com/v1"',
    ),
    "another kind": ("v1", "Secret", "converting (v1.Secret) to (core.ConfigMap): unknown conversion"),
    "another version": ("v2", "ConfigMap", 'no kind "ConfigMap" is registered for version "v2"'),
}


@pytest.mark.parametrize("name", TYPES)
def test_an_object_of_another_type_is_told_so(client, name):
    api_version, kind, why = TYPES[name]
    with pytest.raises(ServerError) as refusal:
        client.create(
            "/api/v1/namespaces/default/configmaps",
            {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}},
        )
    assert refusal.value.http == 400
    assert why in refusal.value.status["message"]

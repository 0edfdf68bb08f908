"""Owners and dependents: the three policies, and what the collector does when owners are gone (sandbox-apiserver.md §18)."""

import pytest

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.objects.raw import metadata, name_of, uid_of

PATH = "/api/v1/namespaces/default/configmaps"


def _make(client, name, *owners, blocking=True, **meta):
    references = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": name_of(owner),
            "uid": uid_of(owner),
            "blockOwnerDeletion": blocking,
        }
        for owner in owners
    ]
    return client.create(PATH, {"metadata": {"name": name, "ownerReferences": references, **meta}})


def _names(client):
    return {name_of(raw) for raw in client.list(PATH)["items"]} - {"kube-root-ca.crt"}


def _delete(client, name, policy):
    return client.delete(f"{PATH}/{name}", options={"propagationPolicy": policy})


def test_background_lets_the_owner_go_at_once_and_its_dependents_after_it(sandbox, client):
    owner = _make(client, "owner")
    child = _make(client, "child", owner)
    _make(client, "grandchild", child)
    sandbox.settle()

    _delete(client, "owner", "Background")
    assert _names(client) == {"child", "grandchild"}
    sandbox.settle()
    assert _names(client) == set()


def test_foreground_holds_the_owner_until_blocking_dependents_are_gone(sandbox, client):
    owner = _make(client, "owner")
    _make(client, "child", owner, finalizers=["example.com/hold"])
    _delete(client, "owner", "Foreground")
    sandbox.settle()

    assert metadata(client.get(f"{PATH}/owner"))["finalizers"] == ["foregroundDeletion"]
    client.patch(f"{PATH}/child", Patch(PatchType.MERGE, {"metadata": {"finalizers": None}}))
    sandbox.settle()
    assert _names(client) == set()


def test_a_dependent_made_meanwhile_stays_until_another_one_goes(sandbox, client):
    owner = _make(client, "owner")
    _make(client, "child", owner, finalizers=["example.com/hold"])
    _delete(client, "owner", "Foreground")
    sandbox.settle()
    _make(client, "late", owner)
    client.patch(f"{PATH}/owner", Patch(PatchType.MERGE, {"data": {"key": "value"}}))
    sandbox.settle()
    assert _names(client) == {"owner", "child", "late"}

    client.patch(f"{PATH}/child", Patch(PatchType.MERGE, {"metadata": {"finalizers": None}}))
    sandbox.settle()
    assert _names(client) == set()


def test_a_dependent_that_no_longer_blocks_lets_its_owner_go(sandbox, client):
    owner = _make(client, "owner")
    child = _make(client, "child", owner, finalizers=["example.com/hold"])
    _delete(client, "owner", "Foreground")
    sandbox.settle()

    reference = metadata(child)["ownerReferences"][0] | {"blockOwnerDeletion": False}
    client.patch(f"{PATH}/child", Patch(PatchType.MERGE, {"metadata": {"ownerReferences": [reference]}}))
    sandbox.settle()
    assert _names(client) == {"child"}


def test_foreground_does_not_wait_for_dependents_that_do_not_block(sandbox, client):
    owner = _make(client, "owner")
    _make(client, "child", owner, blocking=False, finalizers=["example.com/hold"])
    _delete(client, "owner", "Foreground")
    sandbox.settle()

    assert _names(client) == {"child"}
    assert metadata(client.get(f"{PATH}/child"))["deletionTimestamp"]


def test_orphan_takes_the_owner_off_its_dependents_before_it_goes(sandbox, client):
    owner = _make(client, "owner")
    _make(client, "child", owner)
    sandbox.settle()
    since = metadata(client.list(PATH))["resourceVersion"]
    _delete(client, "owner", "Orphan")
    sandbox.run(1)

    assert _names(client) == {"child"}
    assert "ownerReferences" not in metadata(client.get(f"{PATH}/child"))
    seen = [(change.type, name_of(change.object)) for change in client.watch(PATH, since, follow=False)]
    assert seen == [("MODIFIED", "owner"), ("MODIFIED", "child"), ("DELETED", "owner")]


def test_what_is_taken_back_from_an_owner_that_goes_alone_goes_with_it(sandbox, client):
    owner = _make(client, "owner")
    _make(client, "child", owner)
    sandbox.settle()
    reference = metadata(client.get(f"{PATH}/child"))["ownerReferences"][0]
    _delete(client, "owner", "Orphan")
    sandbox.settle()
    client.patch(f"{PATH}/child", Patch(PatchType.MERGE, {"metadata": {"ownerReferences": [reference]}}))
    sandbox.run(1)

    assert _names(client) == set()


def test_an_object_that_keeps_an_owner_loses_only_the_dead_reference(sandbox, client):
    first, second = _make(client, "first"), _make(client, "second")
    _make(client, "child", first, second)
    _delete(client, "first", "Background")
    sandbox.settle()

    references = metadata(client.get(f"{PATH}/child"))["ownerReferences"]
    assert [reference["uid"] for reference in references] == [uid_of(second)]


def test_another_object_under_the_owners_name_is_not_the_owner(sandbox, client):
    owner = _make(client, "owner")
    _delete(client, "owner", "Background")
    _make(client, "owner")
    _make(client, "child", owner)
    sandbox.settle()

    assert _names(client) == {"owner"}


def test_an_owner_of_a_kind_that_is_not_served_is_left_in_peace(sandbox, client):
    reference = {"apiVersion": "example.com/v1", "kind": "Gone", "name": "x", "uid": "1"}
    client.create(PATH, {"metadata": {"name": "child", "ownerReferences": [reference]}})
    sandbox.settle()

    assert _names(client) == {"child"}


def test_every_delete_of_the_collector_names_the_object_it_has_seen(sandbox, client):
    owner = _make(client, "owner")
    _make(client, "child", owner)
    _delete(client, "owner", "Background")
    sandbox.settle()

    (request,) = [
        entry
        for entry in sandbox.hooks.requests
        if entry.method == "DELETE" and entry.user_agent == "kube-controller-manager"
    ]
    assert '"uid"' in request.body
    assert '"resourceVersion"' in request.body


def test_a_namespace_takes_its_content_with_it(sandbox, client):
    client.create("/api/v1/namespaces", {"metadata": {"name": "doomed"}})
    sandbox.settle()
    client.create("/api/v1/namespaces/doomed/secrets", {"metadata": {"name": "s"}})
    client.delete("/api/v1/namespaces/doomed")
    sandbox.settle()

    with pytest.raises(NotFoundError):
        client.get("/api/v1/namespaces/doomed")
    assert client.list("/api/v1/namespaces/doomed/secrets")["items"] == []


def test_a_new_namespace_has_a_service_account_and_the_root_certificate(sandbox, client):
    client.create("/api/v1/namespaces", {"metadata": {"name": "fresh"}})
    sandbox.settle()

    assert name_of(client.get("/api/v1/namespaces/fresh/serviceaccounts/default")) == "default"
    assert name_of(client.get("/api/v1/namespaces/fresh/configmaps/kube-root-ca.crt")) == "kube-root-ca.crt"

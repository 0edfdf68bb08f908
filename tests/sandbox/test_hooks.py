"""Tests may break the server in defined ways, take rights away, and read what was asked (sandbox-apiserver.md §22)."""

import json

import pytest

from kubectl_kruise.cluster.port import Request
from kubectl_kruise.errors import ConflictError, ExpiredError, NotAllowedError, UnreachableError
from kubectl_kruise.objects.raw import metadata, name_of
from kubectl_kruise.sandbox.hooks import Fault, Rule

PATH = "/api/v1/namespaces/default/configmaps"


def _make(client, name="a"):
    return client.create(PATH, {"metadata": {"name": name}})


def test_a_fault_refuses_as_often_as_it_was_asked_to_and_nothing_is_done(sandbox, client):
    sandbox.hooks.faults.append(Fault(verb="create", code=409, reason="Conflict", count=2))

    for _ in range(2):
        with pytest.raises(ConflictError):
            _make(client)
    assert name_of(_make(client)) == "a"


def test_a_fault_meets_only_the_requests_it_describes(sandbox, client):
    sandbox.hooks.faults.append(
        Fault(resource="configmaps", name="b.*", user_agent="^other", code=500, count=-1)
    )

    assert name_of(_make(client, "b1")) == "b1"
    assert name_of(_make(sandbox.client("other"), "a")) == "a"


def test_a_connection_may_break_before_a_write_or_after_it(sandbox, client):
    sandbox.hooks.faults += [Fault(verb="create", drop="before"), Fault(verb="create", drop="after")]

    with pytest.raises(UnreachableError):
        _make(client, "before")
    with pytest.raises(UnreachableError):
        _make(client, "after")
    assert [name_of(raw) for raw in client.list(PATH)["items"]] == ["after"]


def test_a_watch_may_be_cut_and_may_begin_with_a_position_that_is_too_old(sandbox, client):
    since = metadata(client.list(PATH))["resourceVersion"]
    for name in "abc":
        _make(client, name)
    sandbox.hooks.faults += [Fault(verb="watch", cut_after=2), Fault(verb="watch", expire=True)]

    assert [name_of(change.object) for change in client.watch(PATH, since, follow=False)] == ["a", "b"]
    with pytest.raises(ExpiredError):
        list(client.watch(PATH, since, follow=False))
    assert len(list(client.watch(PATH, since, follow=False))) == 3


def test_what_is_denied_is_refused_in_the_words_of_access_rules(sandbox, client):
    sandbox.hooks.denied.append(Rule(verb="delete", resource="configmaps"))
    _make(client)

    with pytest.raises(NotAllowedError) as refusal:
        client.delete(f"{PATH}/a")
    assert refusal.value.status["message"] == (
        'configmaps "a" is forbidden: User "sandbox-admin" cannot delete resource "configmaps" '
        'in API group "" in the namespace "default"'
    )


@pytest.mark.parametrize(("verb", "allowed"), [("delete", False), ("get", True)])
def test_an_access_review_says_what_a_request_would_meet(sandbox, client, verb, allowed):
    sandbox.hooks.denied.append(Rule(verb="delete", resource="configmaps"))
    asked = {"verb": verb, "resource": "configmaps", "namespace": "default"}
    review = client.create(
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": asked},
        },
    )

    assert review["status"] == {"allowed": allowed}


def test_the_request_log_tells_who_asked_what_with_which_body(sandbox):
    _make(sandbox.client("somebody/1.0"))
    entry = sandbox.hooks.requests[-1]

    assert (entry.method, entry.path, entry.user_agent, entry.code) == ("POST", PATH, "somebody/1.0", 201)
    assert json.loads(entry.body)["metadata"] == {"name": "a"}


def test_rules_are_set_over_the_api_and_a_typo_is_no_rule(sandbox, client):
    def put(path, body):
        return sandbox.transport.send(Request("PUT", path, {}, json.dumps(body).encode()))

    assert (
        put("/sandbox/v1/faults", [{"verb": "get", "code": 503, "reason": "ServiceUnavailable"}]).status
        == 200
    )
    assert client.get("/sandbox/v1/config")["faults"][0]["code"] == 503
    refusal = put("/sandbox/v1/deny", [{"verbs": "get"}])
    assert refusal.status == 400
    assert b"unknown settings: verbs" in refusal.body

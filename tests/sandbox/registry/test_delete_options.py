"""Options of a deletion stand in its body or in the query; with a body, the query does not count (sandbox-apiserver.md G1)."""

import json

import pytest

from kubectl_kruise.cluster.port import Request
from kubectl_kruise.objects.raw import name_of

PATH = "/api/v1/namespaces/default/configmaps"
OPTIONS = {"kind": "DeleteOptions", "apiVersion": "v1"}


@pytest.fixture
def delete(sandbox, client):
    transport = sandbox.transport
    for name in ("a", "b"):
        client.create(PATH, {"metadata": {"name": name, "labels": {"name": name}}})

    def send(query, options=None):
        body = b"" if options is None else json.dumps(options).encode()
        answer = transport.send(Request("DELETE", PATH + query, {"Content-Type": "application/json"}, body))
        left = {name_of(raw) for raw in client.list(PATH)["items"]} - {"kube-root-ca.crt"}
        return answer.status, left

    return send


@pytest.mark.parametrize(
    ("query", "options", "left"),
    [
        ("?dryRun=All", None, {"a", "b"}),
        ("?dryRun=All", OPTIONS, {"b"}),
        ("?dryRun=All", {}, {"b"}),
        ("", OPTIONS | {"dryRun": ["All"]}, {"a", "b"}),
        ("?dryRun=nonsense", OPTIONS | {"dryRun": ["All"]}, {"a", "b"}),
    ],
    ids=["asked in the query", "the body wins", "an empty body wins", "asked in the body", "not looked at"],
)
def test_a_dry_run_counts_where_the_options_are(delete, query, options, left):
    assert delete("/a" + query, options) == (200, left)


def test_the_selection_of_a_collection_stays_in_the_query(delete):
    assert delete("?labelSelector=name%3Da&dryRun=All", OPTIONS) == (200, {"b"})

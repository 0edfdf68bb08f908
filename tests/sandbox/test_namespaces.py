"""What every namespace has from the start, and gets again (sandbox-apiserver.md §19)."""

import pytest

from kubectl_kruise.objects.raw import uid_of

SPACE = "/api/v1/namespaces/default"


@pytest.mark.parametrize("path", ["configmaps/kube-root-ca.crt", "serviceaccounts/default"])
def test_what_every_namespace_has_comes_back(sandbox, client, path):
    sandbox.settle()
    before = uid_of(client.get(f"{SPACE}/{path}"))
    client.delete(f"{SPACE}/{path}")
    sandbox.settle()

    assert uid_of(client.get(f"{SPACE}/{path}")) != before

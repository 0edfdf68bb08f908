import base64
import json
import sys

import pytest

from kubectl_kruise.cluster.login.logins import read_credentials
from kubectl_kruise.errors import UnreachableError


def web_token(**claims: object) -> str:
    claim = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"head.{claim}.sign"


def header(provider: object) -> str:
    return (
        read_credentials({"auth-provider": provider} if provider else {}, "joe", {}, environ={})
        .authorize()
        .get("Authorization", "")
    )


@pytest.mark.parametrize(
    "provider",
    [
        {"name": "gcp", "config": {"access-token": "t"}},
        {"name": "azure", "config": {"access-token": "t", "expires-on": "99999999999"}},
        {"name": "oidc", "config": {"id-token": web_token(exp=99999999999)}},
    ],
    ids=lambda provider: provider["name"],
)
def test_the_official_client_knows_old_logins(provider):
    token = provider["config"].get("access-token") or provider["config"]["id-token"]

    assert header(provider) == f"Bearer {token}"


@pytest.mark.parametrize(
    ("provider", "cause"),
    [
        ({"name": "openstack", "config": {}}, "the provider gave no token"),
        ({"config": {}}, "the provider gave no token"),
        (
            {"name": "azure", "config": {"access-token": "t", "expires-on": "1"}},
            "a package is missing: refresh token",
        ),
        ({"name": "oidc", "config": {"nothing": "x"}}, "ConfigException: "),
    ],
    ids=["unknown", "no name", "expired", "incomplete"],
)
def test_where_it_fails_exec_is_pointed_to(provider, cause):
    with pytest.raises(UnreachableError) as caught:
        header(provider)

    assert caught.value.message.startswith('user "joe" cannot log in by auth-provider')
    assert caught.value.cause.startswith(cause)
    assert "exec plugin" in caught.value.hint


def test_without_the_official_client(monkeypatch):
    monkeypatch.setitem(sys.modules, "kubernetes", None)

    with pytest.raises(UnreachableError, match="cannot log in by auth-provider gcp") as caught:
        header({"name": "gcp", "config": {"access-token": "t"}})

    assert "package is missing" in caught.value.cause
    assert caught.value.exit_code == 7


def test_it_is_asked_when_a_request_is_made_and_again_when_its_token_is_refused():
    provider = {"name": "gcp", "config": {"access-token": "one"}}
    credentials = read_credentials({"auth-provider": provider}, "joe", {}, environ={})
    provider["config"]["access-token"] = "two"
    refused = credentials.authorize()

    unchanged = credentials.renew(refused)
    provider["config"]["access-token"] = "three"

    assert refused == {"Authorization": "Bearer two"}
    assert (unchanged, credentials.renew(refused)) == (False, True)
    assert credentials.authorize() == {"Authorization": "Bearer three"}


def test_what_it_says_is_shown_without_what_the_entry_holds():
    with pytest.raises(UnreachableError) as caught:
        header({"name": "azure", "config": {"access-token": "secret", "expires-on": "secret"}})

    assert caught.value.cause.startswith("ValueError: time data '…'")


def test_a_null_provider_is_none():
    assert header(None) == ""

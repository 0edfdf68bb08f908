"""What must not be read from screens and logs."""

import pytest

from kubectl_kruise.objects.secrets import hide_private, private, private_values


@pytest.mark.parametrize(
    "name", ["DB_PASSWORD", "pass", "ClientSecret", "GITHUB_TOKEN", "AWS_ACCESS_KEY_ID", "APIKEY"]
)
def test_names_that_promise_a_secret(name: str) -> None:
    assert private(name)


@pytest.mark.parametrize("name", ["LOG_LEVEL", "KEY", "USER", "PORT"])
def test_other_names(name: str) -> None:
    assert not private(name)


def env(*pairs: tuple[str, str]) -> dict:
    return {
        "spec": {
            "containers": [{"name": "app", "env": [{"name": name, "value": value} for name, value in pairs]}]
        }
    }


def test_a_value_stays_hidden_and_its_change_is_told() -> None:
    old = env(("TOKEN", "a"), ("MODE", "x"))
    known = private_values(old)

    assert hide_private(old) == env(("TOKEN", "(hidden)"), ("MODE", "x"))
    assert hide_private(env(("TOKEN", "a"), ("MODE", "y")), known) == env(
        ("TOKEN", "(hidden)"), ("MODE", "y")
    )
    assert hide_private(env(("TOKEN", "b")), known) == env(("TOKEN", "(hidden, changed)"))


def test_a_variable_read_from_a_secret_shows_where_from() -> None:
    reference = {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}

    assert hide_private([reference]) == [reference]

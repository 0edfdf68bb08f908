import pytest

from kubectl_kruise.errors import KruiseError

PATH = "/api/v1/namespaces/default/configmaps"
UNABLE = ", the server was not able to generate a unique name for the object"


@pytest.mark.parametrize(
    ("meta", "held", "message"),
    [
        ({}, False, 'configmaps "a" already exists'),
        ({"generateName": "a-"}, False, f'configmaps "a" already exists{UNABLE}'),
        ({"generateName": "a-"}, True, f'object is being deleted: configmaps "a" already exists{UNABLE}'),
    ],
    ids=["a name", "a base beside the name", "while the other one ends"],
)
def test_a_taken_name_is_told_with_the_base_that_was_given(client, meta, held, message):
    """sandbox-apiserver.md V3."""
    client.create(PATH, {"metadata": {"name": "a", "finalizers": ["example.com/hold"]}})
    if held:
        client.delete(f"{PATH}/a")

    with pytest.raises(KruiseError) as refused:
        client.create(PATH, {"metadata": {"name": "a", **meta}})

    status = refused.value.status
    assert (status["code"], status["reason"], status["message"]) == (409, "AlreadyExists", message)
    assert status["details"].get("retryAfterSeconds") == (1 if meta else None)

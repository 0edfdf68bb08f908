"""Patches: guarded by what they replace, as small as can be, and checked against the answer."""

from typing import Any

import jsonpatch
import pytest

from kubectl_kruise.engine.changes.change import lost_fields, remove_field, set_field
from kubectl_kruise.objects.notation.pointer import parse_pointer, pointer
from kubectl_kruise.objects.raw import Raw

PATH = ("spec", "updateStrategy", "paused")
VERSION = {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"}


def live(**spec: Any) -> Raw:
    return {"metadata": {"resourceVersion": "7"}, "spec": spec}


@pytest.mark.parametrize(
    ("raw", "operations"),
    [
        pytest.param(
            live(updateStrategy={"paused": False}),
            [
                {"op": "test", "path": "/spec/updateStrategy/paused", "value": False},
                {"op": "replace", "path": "/spec/updateStrategy/paused", "value": True},
            ],
            id="there",
        ),
        pytest.param(
            live(updateStrategy={}),
            [{"op": "add", "path": "/spec/updateStrategy/paused", "value": True}],
            id="absent: adding a leaf overwrites nothing else",
        ),
        pytest.param(
            live(),
            [VERSION, {"op": "add", "path": "/spec/updateStrategy", "value": {"paused": True}}],
            id="absent with its parent: one made meanwhile would be lost",
        ),
    ],
)
def test_a_field_is_set_by_the_smallest_guarded_patch(raw: Raw, operations: list[Raw]) -> None:
    assert set_field(raw, PATH, value=True) == operations
    assert jsonpatch.apply_patch(raw, operations)["spec"]["updateStrategy"]["paused"] is True


def test_a_field_is_removed_only_as_it_was_seen() -> None:
    raw = live(updateStrategy={"paused": True})

    (guard, removal) = remove_field(raw, PATH)

    assert (guard["op"], guard["value"], removal["op"]) == ("test", True, "remove")


@pytest.mark.parametrize(
    ("operation", "answer", "lost"),
    [
        ({"op": "replace", "path": "/spec/paused", "value": True}, {"spec": {"paused": True}}, []),
        ({"op": "replace", "path": "/spec/paused", "value": True}, {"spec": {}}, ["spec.paused"]),
        ({"op": "replace", "path": "/spec/paused", "value": False}, {"spec": {}}, []),
        ({"op": "replace", "path": "/spec/replicas", "value": 0}, {"spec": {}}, []),
        ({"op": "add", "path": "/spec/a", "value": {"b": {"c": "x"}}}, {"spec": {"a": {}}}, ["spec.a.b.c"]),
        ({"op": "add", "path": "/spec/a", "value": {"b": "x", "c": "y"}}, {"spec": {}}, []),
        ({"op": "replace", "path": "/spec/list/1/image", "value": "x"}, {"spec": {"list": [{}, {}]}}, ["spec.list.1.image"]),
        ({"op": "add", "path": "/metadata/annotations", "value": {"a": "b"}}, {}, []),
        ({"op": "test", "path": "/spec/paused", "value": True}, {}, []),
        ({"op": "remove", "path": "/spec/paused"}, {}, []),
    ],
    ids=["kept", "dropped", "false left out", "zero left out", "dropped below", "several values", "in a list",
         "metadata is the server's", "a guard", "a removal"],
)  # fmt: skip
def test_a_server_that_drops_a_field_is_found_out(operation: Raw, answer: Raw, lost: list[str]) -> None:
    assert lost_fields([operation], answer) == lost


@pytest.mark.parametrize(
    ("path", "text"),
    [(("a", "b/c", 0, "d~e"), "/a/b~1c/0/d~0e"), ((), ""), (("~1",), "/~01")],
)
def test_pointers_go_there_and_back(path: tuple[str | int, ...], text: str) -> None:
    assert pointer(path) == text
    assert parse_pointer(text) == tuple(map(str, path))

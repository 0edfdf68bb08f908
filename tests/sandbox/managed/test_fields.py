"""Sets of field paths (sandbox-apiserver.md F1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.sandbox.managed import fields

A, B, AB = {"f:a": {}}, {"f:b": {}}, {"f:a": {}, "f:b": {}}
DEEP = {"f:a": {"f:b": {}}}
"""b below a, which is no member itself."""
BOTH = {"f:a": {".": {}, "f:b": {}}}


@pytest.mark.parametrize(
    ("one", "other", "union", "difference", "intersection"),
    [
        ({}, {}, {}, {}, {}),
        (A, {}, A, A, {}),
        (A, B, AB, A, {}),
        (A, A, A, {}, A),
        (AB, A, AB, B, A),
        (A, DEEP, BOTH, A, {}),
        (DEEP, A, BOTH, DEEP, {}),
        (BOTH, A, BOTH, DEEP, A),
        (BOTH, DEEP, BOTH, A, DEEP),
        (DEEP, BOTH, BOTH, {}, DEEP),
        (BOTH, BOTH, BOTH, {}, BOTH),
    ],
)
def test_sets_know_members_from_steps_to_members(one, other, union, difference, intersection):
    assert fields.union(one, other) == union
    assert fields.difference(one, other) == difference
    assert fields.intersection(one, other) == intersection


ELEMENTS = st.sampled_from(["f:a", "f:b", 'k:{"name":"x"}', 'v:"y"'])
PATHS = st.lists(ELEMENTS, min_size=1, max_size=3).map(tuple)
MEMBERS = st.frozensets(PATHS, max_size=6)


def of(paths):
    found = {}
    for path in paths:
        found = fields.union(found, fields.single(path))
    return found


@given(MEMBERS, MEMBERS)
def test_sets_are_the_sets_of_their_paths(one, other):
    assert set(fields.members(of(one))) == one
    assert fields.union(of(one), of(other)) == of(one | other)
    assert fields.difference(of(one), of(other)) == of(one - other)
    assert fields.intersection(of(one), of(other)) == of(one & other)
    assert all(fields.contains(of(one), path) == (path in one) for path in one | other)


@given(MEMBERS, MEMBERS)
def test_no_operation_changes_a_set(one, other):
    first, second = of(one), of(other)
    before = (fields.json_text(first), fields.json_text(second))

    fields.union(first, second)
    fields.difference(first, second)
    fields.intersection(first, second)

    assert (fields.json_text(first), fields.json_text(second)) == before


@given(MEMBERS, MEMBERS)
def test_without_leaves_nothing_below_either(one, roots):
    left = set(fields.members(fields.without(of(one), of(roots))))

    assert left == {path for path in one if not any(path[: len(root)] == root for root in roots)}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (None, {}),
        ({}, {}),
        ({"f:a": {}}, {"f:a": {}}),
        ({"f:a": {".": {}}}, {"f:a": {}}),
        ({"f:a": {".": {}, "f:b": {}}}, {"f:a": {".": {}, "f:b": {}}}),
        ({'k:{"b": 1, "a": "x"}': {}}, {'k:{"a":"x","b":1}': {}}),
        ({"q:a": {}, "f:b": {}}, {"f:b": {}}),
        ({"x": {}}, None),
        ({"f:a": 5}, None),
        ({"k:[1]": {}}, None),
        ({"k:{": {}}, None),
        ({"i:x": {}}, None),
        ("x", None),
    ],
)
def test_what_clients_write_is_read_or_refused(written, read):
    assert fields.read(written) == read


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("f:spec", "f:replicas"), ".spec.replicas"),
        (("f:containers", 'k:{"name":"c"}', "f:image"), '.containers[name="c"].image'),
        (("f:ports", 'k:{"containerPort":80,"protocol":"TCP"}'), '.ports[containerPort=80,protocol="TCP"]'),
        (("f:finalizers", 'v:"a/b"'), '.finalizers[="a/b"]'),
        (("f:list", "i:3"), ".list[3]"),
    ],
)
def test_paths_are_written_as_messages_show_them(path, text):
    assert fields.path_text(path) == text


def test_members_come_before_what_is_below_their_neighbours():
    found = fields.members({"f:a": {"f:z": {}}, "f:b": {}, "f:c": {".": {}, "f:d": {}}})

    assert list(map(fields.path_text, found)) == [".b", ".c", ".a.z", ".c.d"]

"""Merging a configuration into the live object, and taking fields out of it (sandbox-apiserver.md F6, F7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.sandbox.managed.apply.merging import merge
from kubectl_kruise.sandbox.managed.apply.removing import remove
from kubectl_kruise.sandbox.managed.owned import fields_of, with_named
from tests.sandbox.managed.shapes import SHAPE


@pytest.mark.parametrize(
    ("live", "config", "wanted"),
    [
        ({"size": 1}, {"text": "x"}, {"size": 1, "text": "x"}),
        ({"size": 1}, {"size": 2}, {"size": 2}),
        ({"size": 1}, {"size": None}, {"size": None}),
        ({"labels": {"a": "1"}}, {"labels": {"b": "2"}}, {"labels": {"a": "1", "b": "2"}}),
        ({"labels": {"a": "1"}}, {"labels": None}, {"labels": {"a": "1"}}),
        ({"labels": {"a": "1"}}, {"labels": {}}, {"labels": {"a": "1"}}),
        ({"atom": {"a": "1"}}, {"atom": {"b": "2"}}, {"atom": {"b": "2"}}),
        ({"words": ["a"]}, {"words": ["b"]}, {"words": ["b"]}),
        ({"tags": ["a"]}, {"tags": ["b"]}, {"tags": ["a", "b"]}),
        ({"free": {"a": {"b": [1]}}}, {"free": {"a": {"b": [2], "c": 1}}}, {"free": {"a": {"b": [2], "c": 1}}}),
        ({"free": {"a": {"b": 1}}}, {"free": {"a": 5}}, {"free": {"a": 5}}),
        (
            {"items": [{"name": "x", "v": 1}]}, {"items": [{"name": "y"}, {"name": "x"}]},
            {"items": [{"name": "y"}, {"name": "x", "v": 1}]},
        ),
        (
            {"ports": [{"port": 1, "protocol": "TCP"}]}, {"ports": [{"port": 1}, {"port": 1, "protocol": "UDP"}]},
            {"ports": [{"port": 1, "protocol": "TCP"}, {"port": 1, "protocol": "UDP"}]},
        ),
    ],
)  # fmt: skip
def test_merges(live, config, wanted):
    before = repr(live)

    assert merge(live, config, SHAPE) == wanted
    assert repr(live) == before


@pytest.mark.parametrize(
    ("live", "config", "wanted"),
    [
        ("abc", "cb", "acb"),
        ("abc", "dca", "bdca"),
        ("axb", "ab", "axb"),
        ("bax", "abc", "axbc"),
        ("ab", "xay", "xaby"),
        ("", "ba", "ba"),
        ("ab", "", "ab"),
    ],
)
def test_the_configuration_decides_the_order_of_its_items(live, config, wanted):
    merged = merge({"tags": list(live)}, {"tags": list(config)}, SHAPE)

    assert "".join(merged["tags"]) == wanted


NAMES = st.lists(st.sampled_from("abcdefg"), unique=True)


@given(NAMES, NAMES)
def test_merged_lists_hold_each_item_once_and_keep_both_orders(live, config):
    merged = merge({"tags": live}, {"tags": config}, SHAPE)["tags"]

    assert sorted(merged) == sorted({*live, *config})
    assert [tag for tag in merged if tag in config] == config
    others = [tag for tag in live if tag not in config]
    assert [tag for tag in merged if tag in others] == others


OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "size": st.integers(0, 3),
        "labels": st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy")),
        "tags": NAMES,
        "sub": st.fixed_dictionaries({}, optional={"a": st.sampled_from("xy"), "b": st.sampled_from("xy")}),
        "items": st.lists(st.sampled_from("xy"), unique=True).map(
            lambda names: [{"name": name} for name in names]
        ),
    },
)


@given(OBJECTS, OBJECTS)
def test_a_configuration_merged_twice_changes_nothing_more(live, config):
    once = merge(live, config, SHAPE)

    assert merge(once, config, SHAPE) == once


@given(OBJECTS)
def test_an_object_without_all_its_fields_is_empty(live):
    assert remove(live, with_named(fields_of(live, SHAPE), SHAPE), SHAPE) in (
        {},
        {"tags": []},
        {"items": []},
        {"tags": [], "items": []},
    )


@pytest.mark.parametrize(
    ("live", "fields", "wanted"),
    [
        ({"size": 1, "text": "x"}, {"f:size": {}}, {"text": "x"}),
        ({"labels": {"a": "1", "b": "2"}}, {"f:labels": {"f:a": {}}}, {"labels": {"b": "2"}}),
        ({"labels": {"a": "1"}}, {"f:labels": {"f:a": {}}}, {"labels": None}),
        ({"tags": ["a", "b"]}, {"f:tags": {'v:"a"': {}}}, {"tags": ["b"]}),
        (
            {"items": [{"name": "x", "v": 1}]},
            {"f:items": {'k:{"name":"x"}': {"f:v": {}}}},
            {"items": [{"name": "x"}]},
        ),
        (
            {"items": [{"name": "x"}, {"name": "y"}]},
            {"f:items": {'k:{"name":"x"}': {}}},
            {"items": [{"name": "y"}]},
        ),
        ({"atom": {"a": "1"}}, {"f:atom": {"f:a": {}}}, {"atom": {"a": "1"}}),
        ({"size": 1}, {}, {"size": 1}),
    ],
)
def test_fields_are_removed(live, fields, wanted):
    assert remove(live, fields, SHAPE) == wanted


@pytest.mark.parametrize(
    ("config", "owned"),
    [
        ({"size": 1}, {"f:size": {}}),
        ({"size": None}, {"f:size": {}}),
        ({"labels": {"a": "1"}}, {"f:labels": {"f:a": {}}}),
        ({"labels": {}}, {"f:labels": {}}),
        ({"tags": []}, {}),
        ({"words": []}, {"f:words": {}}),
        ({"atom": {"a": "1"}}, {"f:atom": {}}),
        ({"sub": {"a": "1"}}, {"f:sub": {"f:a": {}}}),
        ({"free": {"a": {"b": 1}}}, {"f:free": {"f:a": {".": {}, "f:b": {}}}}),
        ({"items": [{"name": "x"}]}, {"f:items": {'k:{"name":"x"}': {".": {}, "f:name": {}}}}),
    ],
)
def test_a_configuration_owns_what_it_names(config, owned):
    assert fields_of(config, SHAPE) == owned

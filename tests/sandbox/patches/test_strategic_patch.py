"""Strategic merge patches, driven by the schema of the kind (sandbox-apiserver.md P5)."""

import copy
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.sandbox.native import model
from kubectl_kruise.sandbox.patches import PatchError, strategic_patch

POD = model("v1", "Pod").patch_schema
LIVE = {
    "metadata": {"name": "a", "finalizers": ["a"], "labels": {"x": "1"}},
    "spec": {
        "containers": [
            {"name": "c1", "image": "one", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
            {"name": "c2", "image": "two", "command": ["sleep", "1"]},
        ],
        "volumes": [{"name": "v", "emptyDir": {}}],
        "tolerations": [{"key": "x"}],
        "nodeSelector": {"a": "1", "b": "2"},
    },
}


def patched(patch):
    return strategic_patch(copy.deepcopy(LIVE), patch, POD)


def containers(patch):
    return [item["name"] for item in patched({"spec": patch})["spec"]["containers"]]


@pytest.mark.parametrize(
    ("patch", "wanted"),
    [
        ([{"name": "c3"}], ["c3", "c1", "c2"]),
        ([{"name": "c3"}, {"name": "c2"}, {"name": "c4"}], ["c3", "c1", "c2", "c4"]),
        ([{"name": "c2"}], ["c1", "c2"]),
        ([{"name": "c1", "$patch": "delete"}], ["c2"]),
        ([{"name": "zz", "$patch": "delete"}], ["c1", "c2"]),
        ([{"name": "n"}, {"$patch": "replace"}], ["n"]),
        ([], ["c1", "c2"]),
    ],
    ids=str,
)
def test_items_of_a_keyed_list(patch, wanted):
    assert containers({"containers": patch}) == wanted


@pytest.mark.parametrize(
    ("order", "patch", "wanted"),
    [
        (["c2", "c1"], None, ["c2", "c1"]),
        (["c2", "c1", "c3"], [{"name": "c3"}], ["c2", "c1", "c3"]),
        (["c3"], [{"name": "c3"}], ["c3", "c1", "c2"]),
        (["c2"], [{"name": "c1", "$patch": "delete"}, {"name": "c2"}], ["c2"]),
    ],
)
def test_a_prescribed_order_wins(order, patch, wanted):
    spec = {"$setElementOrder/containers": [{"name": name} for name in order]}

    assert containers(spec if patch is None else {**spec, "containers": patch}) == wanted


@pytest.mark.parametrize(
    ("patch", "path", "wanted"),
    [
        ({"spec": {"containers": [{"name": "c1", "image": "new"}]}}, ("spec", "containers", 0, "image"), "new"),
        (
            {"spec": {"containers": [{"name": "c1", "env": [{"name": "B", "value": "9"}]}]}},
            ("spec", "containers", 0, "env"),
            [{"name": "A", "value": "1"}, {"name": "B", "value": "9"}],
        ),
        ({"spec": {"containers": [{"name": "c2", "command": ["true"]}]}}, ("spec", "containers", 1, "command"), ["true"]),
        ({"spec": {"tolerations": [{"key": "y"}]}}, ("spec", "tolerations"), [{"key": "y"}]),
        ({"spec": {"nodeSelector": {"a": None}}}, ("spec", "nodeSelector"), {"b": "2"}),
        ({"spec": {"nodeSelector": {"$patch": "replace", "c": "3"}}}, ("spec", "nodeSelector"), {"c": "3"}),
        ({"spec": {"nodeSelector": {"$patch": "delete"}}}, ("spec", "nodeSelector"), {}),
        ({"spec": {"volumes": [{"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/x"}}]}},
         ("spec", "volumes"), [{"name": "v", "hostPath": {"path": "/x"}}]),
        ({"spec": {"volumes": None}}, ("spec",), {k: v for k, v in LIVE["spec"].items() if k != "volumes"}),
        ({"metadata": {"finalizers": ["b"]}}, ("metadata", "finalizers"), ["b", "a"]),
        ({"metadata": {"$setElementOrder/finalizers": ["a", "b"], "finalizers": ["b"]}}, ("metadata", "finalizers"), ["a", "b"]),
        ({"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}}, ("metadata", "finalizers"), []),
        ({"spec": {"affinity": {"nodeAffinity": None, "podAffinity": {}}}}, ("spec", "affinity"), {"podAffinity": {}}),
        ({"status": {"conditions": [{"type": "T", "$patch": "delete"}, {"type": "U"}]}}, ("status", "conditions"), [{"type": "U"}]),
    ],
)  # fmt: skip
def test_merges_by_the_strategy_of_the_field(patch, path, wanted):
    assert reduce(lambda value, step: value[step], path, patched(patch)) == wanted


@pytest.mark.parametrize(
    ("patch", "code", "text"),
    [
        ({"spec": {"containers": [{"image": "x"}]}}, 500, "map: map[image:x] does not contain declared merge key: name"),
        (
            {"spec": {"$setElementOrder/containers": [{"name": "c1"}], "containers": [{"name": "c2", "image": "b:2"}]}},
            500,
            "The order in patch list:\n[map[image:b:2 name:c2]]\n doesn't match $setElementOrder list:\n[map[name:c1]]\n",
        ),
        ({"spec": {"nodeSelector": {"$patch": "eat"}}}, 500, "unknown patch type: eat in map: map[$patch:eat]"),
        ({"spec": {"volumes": [{"name": "v", "$retainKeys": ["name"], "secret": {}}]}}, 400, "invalid patch format of retainKeys"),
        ({"spec": []}, 422, ' "" is invalid: patch: Invalid value: "map[spec:[]]": cannot restore struct from: slice'),
        (
            {"spec": {"containers": {}}}, 422,
            ' "" is invalid: patch: Invalid value: "map[spec:map[containers:map[]]]": cannot restore slice from map',
        ),
        (
            {"spec": {"activeDeadlineSeconds": "5"}}, 422,
            ' "" is invalid: patch: Invalid value: "map[spec:map[activeDeadlineSeconds:5]]": unrecognized type: int64',
        ),
        ([1], 400, "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"),
    ],
)  # fmt: skip
def test_what_cannot_be_merged(patch, code, text):
    with pytest.raises(PatchError) as failure:
        patched(patch)

    assert (failure.value.code, failure.value.message) == (code, text)


NAMES = st.lists(st.sampled_from(["c1", "c2", "c3", "c4"]), unique=True)


@given(NAMES, NAMES)
def test_merging_keeps_both_orders_and_loses_nothing(live, patch):
    schema = POD.properties["spec"]
    spec = {"containers": [{"name": name} for name in live]}
    before = copy.deepcopy(spec)

    merged = [
        item["name"]
        for item in strategic_patch(spec, {"containers": [{"name": name} for name in patch]}, schema)[
            "containers"
        ]
    ]

    assert sorted(merged) == sorted({*live, *patch})
    assert [name for name in merged if name in patch] == patch
    assert [name for name in merged if name not in patch] == [name for name in live if name not in patch]
    assert spec == before

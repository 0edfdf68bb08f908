"""What can be updated in place (cloneset.md §16, §28 ex. 34)."""

import copy
from collections.abc import Callable

import pytest

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.inplace.eligibility import pick_change
from kubectl_kruise.engine.inplace.metadata import apply_metadata_patch

BASE = {
    "metadata": {"creationTimestamp": None, "labels": {"app": "demo", "k2": "v2", "ver": "1"}, "finalizers": ["fz1", "fz2"]},
    "spec": {
        "containers": [
            {"name": "main", "image": "nginx:1.25", "resources": {}, "env": [{"name": "V", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['ver']"}}}, {"name": "W", "value": "w"}]},
            {"name": "side", "image": "envoy:1", "resources": {}},
        ],
        "initContainers": [{"name": "init", "image": "busybox:1", "resources": {}}],
        "nodeSelector": {"disk": "ssd"},
    },
}  # fmt: skip


def revised(*edits: Callable[[dict], object], name: str = "demo-2", **annotations: str) -> dict:
    template = copy.deepcopy(BASE)
    for edit in edits:
        edit(template)
    return {
        "metadata": {"name": name, "annotations": annotations},
        "data": {"spec": {"template": {"$patch": "replace", **template}}},
    }


def image(index: int, text: str, kind: str = "containers") -> Callable[[dict], object]:
    return lambda template: template["spec"][kind][index].update(image=text)


def label(key: str, value: str | None) -> Callable[[dict], object]:
    return lambda template: (
        template["metadata"]["labels"].update({key: value})
        if value
        else template["metadata"]["labels"].pop(key)
    )


def container(index: int, **fields: object) -> Callable[[dict], object]:
    return lambda template: template["spec"]["containers"][index].update(fields)


def reordered(template: dict) -> None:
    template["spec"]["containers"][0]["env"].reverse()


IN_PLACE = [
    ("ex. 34: one image", [image(0, "nginx:1.26")], {"main": "nginx:1.26"}, None),
    ("ex. 34: both images", [image(0, "nginx:1.26"), image(1, "envoy:2")], {"main": "nginx:1.26", "side": "envoy:2"}, None),
    ("ex. 34, fault B120: label and image", [image(0, "n:2"), label("k1", "v1")], {"main": "n:2"}, {"metadata": {"labels": {"k1": "v1"}}}),
    (
        "ex. 34: label and finalizer gone",
        [image(0, "n:2"), label("k2", None), lambda template: template["metadata"].update(finalizers=["fz2"])],
        {"main": "n:2"},
        {"metadata": {"labels": {"k2": None}, "$deleteFromPrimitiveList/finalizers": ["fz1"], "$setElementOrder/finalizers": ["fz2"]}},
    ),
    (
        "ex. 34: annotation map where there was none",
        [lambda template: template["metadata"].update(annotations={"note": "a"})],
        {},
        {"metadata": {"annotations": {"note": "a"}}},
    ),
    ("nothing", [], {}, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edits", "images", "patch"), [case[1:] for case in IN_PLACE], ids=[case[0] for case in IN_PLACE]
)
def test_in_place(edits: list, images: dict, patch: dict | None) -> None:
    change = pick_change(revised(name="demo-1"), revised(*edits), Gates()).change

    assert change is not None
    assert (dict(change.images), change.metadata, change.revision) == (images, patch, "demo-2")
    assert not change.env_from_metadata


RECREATE = [
    ("ex. 34: init image", image(0, "busybox:2", "initContainers")),
    ("ex. 34: environment", container(0, env=[{"name": "V", "value": "x"}])),
    ("ex. 34: arguments", container(0, args=["-v"])),
    ("ex. 34: probe", container(1, readinessProbe={"tcpSocket": {"port": 1}})),
    ("ex. 34: pull policy", container(0, imagePullPolicy="Always")),
    ("ex. 34, fault B120: another container", lambda template: template["spec"]["containers"].append({"name": "third", "image": "c:1"})),
    ("a container less", lambda template: template["spec"]["containers"].pop()),
    ("ex. 34, fault B120: swapped containers", lambda template: template["spec"]["containers"].reverse()),
    ("node selector", lambda template: template["spec"].update(nodeSelector={"disk": "hdd"})),
    ("ex. 34, fault B118: resources behind a closed gate", container(0, resources={"requests": {"cpu": "1"}})),
    ("fault B120: a container renamed", container(0, name="other")),
    ("fault B114: environment in another order", reordered),
    ("grace period", lambda template: template["spec"].update(terminationGracePeriodSeconds=5)),
]  # fmt: skip


@pytest.mark.parametrize("edit", [case[1] for case in RECREATE], ids=[case[0] for case in RECREATE])
def test_recreate(edit: Callable[[dict], object]) -> None:
    assert pick_change(revised(name="demo-1"), revised(edit), Gates()).change is None


@pytest.mark.parametrize(
    ("old", "new"), [(None, revised()), (revised(), None)], ids=["ex. 34: old one trimmed", "new one unknown"]
)
def test_unknown_revisions_mean_recreate(old: dict | None, new: dict | None) -> None:
    assert pick_change(old, new, Gates()).change is None


def test_a_label_read_as_environment_restarts_its_reader() -> None:  # ex. 34
    change = pick_change(revised(name="demo-1"), revised(label("ver", "2")), Gates()).change

    assert change is not None
    assert change.references == {"main": {"labels": {"ver": "2"}}}
    assert (change.metadata, change.env_from_metadata, dict(change.images)) == ({}, True, {})


def test_without_the_gate_the_label_is_only_patched() -> None:  # ex. 34
    change = pick_change(
        revised(name="demo-1"), revised(label("ver", "2")), Gates(env_from_metadata=False)
    ).change

    assert change is not None
    assert (change.metadata, change.references) == ({"metadata": {"labels": {"ver": "2"}}}, {})


def test_an_annotation_read_as_environment_restarts_only_where_it_has_a_value() -> None:  # fault B116
    def reader(value: str | None) -> Callable[[dict], object]:
        def edit(template: dict) -> None:
            field = {"fieldRef": {"fieldPath": "metadata.annotations['cfg']"}}
            template["spec"]["containers"][0]["env"].append({"name": "CONF", "valueFrom": field})
            template["metadata"]["annotations"] = {"cfg": value, "other": "x"} if value else {"other": "x"}

        return edit

    before = revised(reader("a"), name="demo-1")
    changed = pick_change(before, revised(reader("b")), Gates()).change
    removed = pick_change(before, revised(reader(None)), Gates()).change

    assert changed is not None
    assert removed is not None
    assert (changed.references, changed.env_from_metadata) == ({"main": {"annotations": {"cfg": "b"}}}, True)
    assert (removed.references, removed.env_from_metadata) == ({}, False)
    assert removed.metadata == {"metadata": {"annotations": {"cfg": None}}}


CLAIMS = "kruise.io/cloneset-volumeclaimtemplate-hash"


@pytest.mark.parametrize(
    ("gate", "only", "before", "after", "possible"),
    [(False, False, "1", "2", True), (True, False, "1", "2", False), (True, True, "1", "2", True), (True, False, "", "", True)],
    ids=["gate off", "ex. 34: gate on", "ex. 34: gate on, in place only", "never hashed"],
)  # fmt: skip
def test_changed_claim_templates(
    gate: bool, only: bool, before: str, after: str, possible: bool
) -> None:  # §16.3
    old, new = revised(name="demo-1", **{CLAIMS: before}), revised(image(0, "n:2"), **{CLAIMS: after})

    verdict = pick_change(old, new, Gates(recreate_on_claim_change=gate), in_place_only=only)

    assert (verdict.change is not None) is possible


@pytest.mark.parametrize(
    ("own", "patch", "expected"),
    [
        (
            ["a", "b"],
            {"$deleteFromPrimitiveList/finalizers": ["a"], "$setElementOrder/finalizers": ["b"]},
            ["b"],
        ),
        (["x", "b"], {"finalizers": ["c"], "$setElementOrder/finalizers": ["b", "c"]}, ["b", "c", "x"]),
        (["a"], {"finalizers": None}, None),
    ],
)
def test_finalizers_are_merged(own: list[str], patch: dict, expected: list[str] | None) -> None:
    patched = apply_metadata_patch(
        {"metadata": {"finalizers": own, "labels": {"a": "1"}}}, {"metadata": patch}
    )

    assert patched["metadata"].get("finalizers") == expected
    assert patched["metadata"]["labels"] == {"a": "1"}

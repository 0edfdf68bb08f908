"""CloneSets on their way in, as the real webhooks defaulted and refused them."""

import copy
import json
from typing import Any

import jsonpatch
import pytest

from kubectl_kruise.engine.admission.cloneset_defaults import default_cloneset
from kubectl_kruise.engine.admission.cloneset_validation import validate_cloneset
from kubectl_kruise.engine.admission.complaint import Refusal, refusal, undecodable
from kubectl_kruise.objects.raw import Raw
from tests.places import DATA

FOLDER = DATA / "admission"
UID = "u1"
PODS: dict[str, Raw] = {
    "web-p1": {"metadata": {"name": "web-p1", "ownerReferences": [{"controller": True, "uid": UID}]}},
    "loner": {"metadata": {"name": "loner"}},
}
TERMINATING = {
    "web-p1": {"metadata": {**PODS["web-p1"]["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}
}


def rows(name: str) -> list[Raw]:
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


CREATED, UPDATED = rows("cloneset-create.jsonl"), rows("cloneset-update.jsonl")
BY_KUBERNETES = {  # complaints about the pod template itself are Kubernetes' own, checked with the sandbox
    "csc-024", "csc-026", "csc-054", "csc-056", "csc-058", "csc-060", "csc-062", "csc-066", "csc-070", "csc-182",
}  # fmt: skip


def admit(obj: Raw, old: Raw | None = None, pods: dict[str, Raw] = PODS) -> Raw | Refusal:
    try:
        defaulted = default_cloneset(obj, old)
    except ValueError as error:
        return undecodable("mcloneset.kb.io", error)
    return refusal("vcloneset.kb.io", validate_cloneset(defaulted, old, pods.get)) or defaulted


def merge(target: Any, change: Any) -> Any:
    if not isinstance(change, dict):
        return change
    base = dict(target) if isinstance(target, dict) else {}
    for key, value in change.items():
        if value is None:
            base.pop(key, None)
        else:
            base[key] = merge(base.get(key), value)
    return base


@pytest.mark.parametrize(
    "row", [row for row in CREATED if row["id"] not in BY_KUBERNETES], ids=lambda row: row["title"]
)
def test_creation(row: Raw) -> None:
    answer = admit(row["object"])

    if row["code"] == 201:
        assert isinstance(answer, dict), answer
        assert answer["spec"] == row["spec"]
    else:
        assert answer == Refusal(row["code"], row["message"])


@pytest.mark.parametrize("row", UPDATED, ids=lambda row: row["title"])
def test_update(row: Raw) -> None:
    old = default_cloneset({**row["from"], "metadata": {**row["from"]["metadata"], "uid": UID}})
    change = row["change"]
    new = merge(old, change) if isinstance(change, dict) else jsonpatch.apply_patch(old, change)

    answer = admit(new, old, TERMINATING if "terminating" in row["title"] else PODS)

    if row["code"] == 200:
        assert isinstance(answer, dict), answer
        assert answer["spec"] == row["spec"]
    else:
        assert answer == Refusal(row["code"], row["message"])


def minimal(**spec: Any) -> Raw:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "nginx:1.25"}]},
    }
    return {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template, **spec},
    }


def test_a_complete_update_is_stored_as_sent() -> None:
    """cloneset.md §4: unknown template fields stay until something is missing."""
    stored = default_cloneset(minimal())
    sent = copy.deepcopy(stored)
    sent["spec"]["template"]["spec"]["notAField"] = 1
    sent["spec"]["scaleStrategy"] = None

    assert default_cloneset(sent, stored) is sent


def test_writing_back_drops_what_the_type_does_not_know() -> None:
    stored = default_cloneset(minimal())
    sent = copy.deepcopy(stored)
    sent["spec"]["template"]["spec"]["notAField"] = 1
    del sent["spec"]["updateStrategy"]["partition"]

    written = default_cloneset(sent, stored)

    assert "notAField" not in written["spec"]["template"]["spec"]
    assert written["spec"]["updateStrategy"]["partition"] == 0


def test_defaulting_is_idempotent_and_leaves_its_input_alone() -> None:
    sent = minimal(updateStrategy={"type": "InPlaceOnly"})
    before = copy.deepcopy(sent)

    once = default_cloneset(sent)

    assert sent == before
    assert default_cloneset(once, once) is once
    assert default_cloneset(once)["spec"] == once["spec"]


V1BETA1 = [
    ({}, {"type": "RollingUpdate", "rollingUpdate": {"podUpdatePolicy": "ReCreate", "partition": 0, "maxUnavailable": "20%", "maxSurge": 0}}),
    ({"rollingUpdate": {"podUpdatePolicy": "InPlaceOnly", "partition": 2}},
     {"type": "RollingUpdate", "rollingUpdate": {"podUpdatePolicy": "InPlaceOnly", "partition": 2, "maxUnavailable": "20%", "maxSurge": 0, "inPlaceUpdateStrategy": {}}}),
    ({"type": "OnDelete"}, {"type": "OnDelete"}),
    ({"type": "OnDelete", "rollingUpdate": {"maxSurge": 1}}, {"type": "OnDelete", "rollingUpdate": {"maxSurge": 1}}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "written"), V1BETA1, ids=["nothing", "in place", "on delete", "on delete with a block"]
)
def test_v1beta1_strategies(given: Raw, written: Raw) -> None:
    """cloneset.md §4."""
    spec = default_cloneset({**minimal(updateStrategy=given), "apiVersion": "apps.kruise.io/v1beta1"})["spec"]

    assert spec["updateStrategy"] == written
    assert spec["scaleStrategy"] == {}, "enablePVCReuse is a default of the schema"


REFUSED = [
    ("§5.3 OnDelete", minimal(updateStrategy={"type": "OnDelete"}), "spec.updateStrategy.type: Invalid value: \"OnDelete\": must be 'ReCreate', InPlaceIfPossible or 'InPlaceOnly'"),
    ("§5.1 partition -50% of 3", minimal(replicas=3, updateStrategy={"partition": "-50%"}), "spec.updateStrategy.partition: Invalid value: -1: must be greater than or equal to 0"),
    ("§28 ex. 59 surge", minimal(updateStrategy={"maxSurge": "5"}), 'spec.updateStrategy.maxSurge: Invalid value: "5": failed GetScaledValueFromIntOrPercent for maxSurge: invalid type: string is not a percentage'),
    ("§28 ex. 59 deadline", minimal(progressDeadlineSeconds=10, minReadySeconds=10), "spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds"),
    ("§5.1 both priorities", minimal(updateStrategy={"priorityStrategy": {"orderPriority": [{"orderedKey": "a"}], "weightPriority": [{"weight": 1, "matchSelector": {"matchLabels": {"a": "b"}}}]}}), "spec.updateStrategy.priorityStrategy: Required value: only one of weightPriority and orderPriority can be used"),
    ("§5.1 empty weight selector", minimal(updateStrategy={"priorityStrategy": {"weightPriority": [{"weight": 1}]}}), "spec.updateStrategy.priorityStrategy: Required value: selector can not be empty"),
    ("§5.1 empty scatter key", minimal(updateStrategy={"scatterStrategy": [{"value": "x"}]}), "spec.updateStrategy.scatterStrategy: Required value: key should not be empty"),
]  # fmt: skip


@pytest.mark.parametrize(("obj", "text"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refusals(obj: Raw, text: str) -> None:
    assert admit(obj) == Refusal(422, f'admission webhook "vcloneset.kb.io" denied the request: {text}')


ACCEPTED = [
    ("§28 ex. 59 both unlimited", minimal(progressDeadlineSeconds=2147483647, minReadySeconds=2147483647)),
    ("§28 ex. 58 no downtime", minimal(replicas=4, updateStrategy={"maxUnavailable": 0, "maxSurge": 1})),
    ("§5.1 partition beyond replicas", minimal(replicas=2, updateStrategy={"partition": 7})),
    ("§5.1 a negative surge", minimal(updateStrategy={"maxSurge": -1})),
]


@pytest.mark.parametrize("obj", [row[1] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_accepted(obj: Raw) -> None:
    assert isinstance(admit(obj), dict)


def test_pods_already_named_are_not_asked_about_again() -> None:
    """cloneset.md §5.3."""
    old = default_cloneset(minimal(scaleStrategy={"podsToDelete": ["gone"]}))

    assert isinstance(admit({**old, "metadata": {"name": "web", "labels": {"a": "b"}}}, old), dict)


def test_v1beta1_wants_pods_that_may_be_down() -> None:
    """cloneset.md §28 ex. 58: with recreation and nothing to spare nothing could ever be updated."""
    rolling = {"podUpdatePolicy": "ReCreate", "maxUnavailable": 0, "maxSurge": 1}
    obj = minimal(replicas=4, updateStrategy={"type": "RollingUpdate", "rollingUpdate": rolling})

    refused = admit(obj | {"apiVersion": "apps.kruise.io/v1beta1"})

    assert isinstance(refused, Refusal)
    assert "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value" in refused.message


def test_the_selector_stays_as_it_is() -> None:
    """cloneset.md §28 ex. 59: refused as a change of the spec."""
    stored = default_cloneset(minimal())
    changed = copy.deepcopy(stored)
    changed["spec"]["selector"]["matchLabels"] = {"app": "other"}
    changed["spec"]["template"]["metadata"]["labels"] = {"app": "other"}

    (complaint, *others) = validate_cloneset(changed, stored, lambda _: None)

    assert (str(complaint.field), others) == ("spec", [])

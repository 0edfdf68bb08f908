"""Lifecycle states that change by themselves (cloneset.md §20.2, §28 ex. 42, 43)."""

import pytest

from kubectl_kruise.engine.lifecycle import next_state, prepare_patch, state_patch
from tests.engine.cloneset.builders import NEW, OLD, pod

HOOK = {"inPlaceUpdate": {"finalizersHandler": ["slb/online"]}}
STARTED = {"preNormal": {"labelsHandler": {"ok": "yes"}}}
EMPTY: dict = {}
CASES = [
    ("scheduled", "PreparingNormal", {}, None, "Normal"),
    ("not scheduled", "PreparingNormal", {"node": ""}, None, ""),
    ("preNormal hook not set", "PreparingNormal", {}, STARTED, ""),
    ("preNormal hook set", "PreparingNormal", {"node": "", "labels": {"ok": "yes"}}, STARTED, "Normal"),
    ("prepares for another revision", "PreparingUpdate", {"revision": OLD}, HOOK, ""),
    ("ex. 43: undone, still hooked", "PreparingUpdate", {"finalizers": ["slb/online"]}, HOOK, "Normal"),
    ("ex. 43: undone, unhooked", "PreparingUpdate", {}, HOOK, "Updated"),
    ("updated, no hooks", "Updating", {}, None, "Normal"),
    ("ex. 42: complete, unhooked", "Updating", {}, HOOK, "Updated"),
    ("a lifecycle without this hook", "Updating", {}, EMPTY, "Updated"),
    ("hook not put back", "Updated", {}, HOOK, ""),
    ("hook put back", "Updated", {"finalizers": ["slb/online"]}, HOOK, "Normal"),
    ("no hook left", "Updated", {}, EMPTY, "Normal"),
    ("normal", "Normal", {}, HOOK, ""),
    ("being deleted", "PreparingDelete", {}, None, ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("state", "fields", "lifecycle", "expected"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_next_state(state: str, fields: dict, lifecycle: dict | None, expected: str) -> None:
    finalizers = fields.pop("finalizers", []) if (fields := dict(fields)) else []
    one = pod("p0", state=state, **fields)
    one["metadata"]["finalizers"] = finalizers

    assert next_state(one, lifecycle, NEW) == expected


def test_an_unfinished_update_stays() -> None:
    waiting = pod("p0", state="Updating", annotations={"apps.kruise.io/inplace-update-grace": ""})

    assert next_state(waiting, None, NEW) == ""


def test_patches() -> None:
    assert state_patch("Normal", "T") == {
        "metadata": {
            "labels": {"lifecycle.apps.kruise.io/state": "Normal"},
            "annotations": {"lifecycle.apps.kruise.io/timestamp": "T"},
        }
    }
    hook = {"labelsHandler": {"held": "yes"}, "finalizersHandler": ["slb/online"]}
    patch = prepare_patch(pod("p0"), hook, "T")["metadata"]
    assert patch["labels"] == {"lifecycle.apps.kruise.io/state": "PreparingUpdate", "held": "yes"}
    assert patch["finalizers"] == ["slb/online"]

"""The lock of a CloneSet: neither creations nor updates (migration.md §2.1 C7, C8)."""

from typing import Any

import pytest

from kubectl_kruise.engine.migration.lock import lock_patch, locked, unlock_patch, with_lock
from tests.convert import sources
from tests.engine.migration.objects import cloneset

NEWER = "apps.kruise.io/v1beta1"


@pytest.mark.parametrize(
    ("version", "paused"),
    [
        pytest.param("apps.kruise.io/v1alpha1", {"paused": True}, id="v1alpha1"),
        pytest.param(NEWER, {"rollingUpdate": {"paused": True}}, id="v1beta1"),
    ],
)
def test_the_lock_sits_where_the_version_has_it(version: str, paused: dict[str, Any]) -> None:
    live = sources.cloneset(strategy={}) | {"apiVersion": version}
    patch = {"spec": {"scaleStrategy": {"maxUnavailable": 0}, "updateStrategy": paused}}

    assert lock_patch(live) == patch
    assert locked(with_lock(live))
    assert not locked(live)


@pytest.mark.parametrize(
    ("spec", "is_locked"),
    [
        pytest.param({"scaleStrategy": {"maxUnavailable": 0}, "updateStrategy": {"paused": True}}, True, id="both"),
        pytest.param({"updateStrategy": {"paused": True}}, False, id="paused alone"),
        pytest.param({"scaleStrategy": {"maxUnavailable": 0}}, False, id="no creations alone"),
        pytest.param(
            {"scaleStrategy": {"maxUnavailable": "0%"}, "updateStrategy": {"paused": True}}, False, id="0%"
        ),
    ],
)  # fmt: skip
def test_half_a_lock_is_none(spec: dict[str, Any], is_locked: bool) -> None:
    assert locked({"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "spec": spec}) is is_locked


@pytest.mark.parametrize(
    ("wanted", "spec"),
    [
        pytest.param({}, {"scaleStrategy": {"maxUnavailable": None}, "updateStrategy": {"paused": False}}, id="usual"),
        pytest.param(
            {"updateStrategy": {"paused": True}},
            {"scaleStrategy": {"maxUnavailable": None}, "updateStrategy": {"paused": True}},
            id="row 7: the source was paused",
        ),
        pytest.param(
            {"scaleStrategy": {"maxUnavailable": 3}},
            {"scaleStrategy": {"maxUnavailable": 3}, "updateStrategy": {"paused": False}},
            id="it has a scale strategy of its own",
        ),
    ],
)  # fmt: skip
def test_unlocking_gives_back_what_was_wanted(wanted: dict[str, Any], spec: dict[str, Any]) -> None:
    target = {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "spec": wanted}

    assert unlock_patch(cloneset(), target) == {"metadata": {"resourceVersion": "7"}, "spec": spec}

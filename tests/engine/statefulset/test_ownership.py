"""Which pods and revisions belong to a set (advanced-statefulset.md §9 [I-8], [I-9])."""

from dataclasses import replace
from typing import Any

import pytest

from kubectl_kruise.engine.statefulset.ownership import adoption, claim_pods, release, unowned_revisions
from kubectl_kruise.objects.selector import selector_of
from tests.engine.statefulset.builders import statefulset

MINE = {"kind": "StatefulSet", "name": "web", "uid": "set", "controller": True}
THEIRS = {"kind": "StatefulSet", "name": "web", "uid": "another", "controller": True}
LOOSE = {"kind": "ConfigMap", "name": "c", "uid": "c"}


def _pod(owner: Any, *, name: str = "web-0", app: str = "web", **meta: Any) -> dict[str, Any]:
    owners = [owner] if owner else []
    return {"metadata": {"name": name, "uid": "p", "labels": {"app": app}, "ownerReferences": owners, **meta}}


@pytest.mark.parametrize(
    ("pod", "set_goes", "outcome"),
    [
        pytest.param(_pod(MINE), False, "kept", id="mine and a match"),
        pytest.param(_pod(MINE, name="web-01"), False, "kept", id="a name that is not canonical parses"),
        pytest.param(_pod(MINE, app="else"), False, "released", id="mine by other labels"),
        pytest.param(_pod(MINE, name="db-0"), False, "released", id="mine by another name"),
        pytest.param(_pod(MINE, app="else"), True, "", id="a set that goes releases nothing"),
        pytest.param(_pod(THEIRS), False, "", id="another uid"),
        pytest.param(_pod(None), False, "adopted", id="nobody's"),
        pytest.param(_pod(LOOSE), False, "adopted", id="nobody's with an owner that controls nothing"),
        pytest.param(_pod(None, name="web-x"), False, "", id="nobody's without an ordinal"),
        pytest.param(_pod(None, name="web-web-0"), False, "", id="nobody's of a longer name"),
        pytest.param(_pod(None, app="else"), False, "", id="nobody's by other labels"),
        pytest.param(_pod(None), True, "", id="a set that goes adopts nothing"),
        pytest.param(_pod(None, deletionTimestamp="t"), False, "", id="nobody's that goes"),
    ],
)
def test_claims(pod: dict[str, Any], set_goes: bool, outcome: str) -> None:
    view = replace(statefulset(), deleting=set_goes)
    found = claim_pods(view, selector_of(view.selector), [pod])

    assert [name for name in found._fields if getattr(found, name)] == ([outcome] if outcome else [])


def test_what_is_written() -> None:
    view = statefulset()
    reference = {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "StatefulSet",
        "name": "web",
        "uid": "set",
        "controller": True,
        "blockOwnerDeletion": True,
    }

    assert adoption(view, _pod(None)) == {"metadata": {"ownerReferences": [reference], "uid": "p"}}
    assert release(view, _pod(MINE)) == {
        "metadata": {"ownerReferences": [{"$patch": "delete", "uid": "set"}], "uid": "p"}
    }


def test_revisions_that_nobody_controls() -> None:
    mine, orphan = {"metadata": {"ownerReferences": [MINE]}}, {"metadata": {}}

    assert unowned_revisions([mine, orphan]) == [orphan]

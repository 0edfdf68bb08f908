"""Which pods are kept, released and adopted (cloneset.md §24.1)."""

from dataclasses import replace

import pytest

from kubectl_kruise.engine.cloneset.ownership import claim_pods
from kubectl_kruise.objects.selector import selector_of
from tests.engine.cloneset.builders import cloneset, pod

MINE = {"uid": "cs-uid", "kind": "CloneSet", "controller": True}
THEIRS = {"uid": "rs-uid", "kind": "ReplicaSet", "controller": True}
LOOSE = {"uid": "cs-uid", "kind": "CloneSet"}


@pytest.mark.parametrize(
    ("owners", "app", "deleting", "outcome"),
    [
        ([MINE], "demo", False, "kept"),
        ([MINE], "debug", False, "released"),
        ([MINE], "debug", True, "ignored"),
        ([THEIRS, LOOSE], "demo", False, "ignored"),
        ([LOOSE], "demo", False, "adopted"),
        ([LOOSE], "debug", False, "ignored"),
        ([LOOSE], "demo", True, "ignored"),
    ],
)
def test_claims(owners: list[dict], app: str, deleting: bool, outcome: str) -> None:
    one = pod("p0", labels={"app": app})
    one["metadata"]["ownerReferences"] = owners
    view = cloneset()
    if deleting:
        view = replace(view, deleting=True)

    found = claim_pods(view, selector_of(view.selector), [one])

    assert {name: len(getattr(found, name)) for name in found._fields if getattr(found, name)} == (
        {} if outcome == "ignored" else {outcome: 1}
    )


def test_released_and_adopted_pods_as_they_are_written() -> None:
    mine, loose = pod("p0", labels={"app": "debug"}), pod("p1")
    mine["metadata"]["ownerReferences"] = [MINE]
    loose["metadata"]["ownerReferences"] = [LOOSE]
    view = cloneset()

    found = claim_pods(view, selector_of(view.selector), [mine, loose])

    assert "ownerReferences" not in found.released[0]["metadata"]
    (owner,) = found.adopted[0]["metadata"]["ownerReferences"]
    assert (owner["apiVersion"], owner["controller"], owner["blockOwnerDeletion"]) == (
        "apps.kruise.io/v1alpha1",
        True,
        True,
    )

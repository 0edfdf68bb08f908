"""The label that keeps an object from being deleted (cloneset.md §5.5, install.md §10)."""

from typing import Any

import pytest

from kubectl_kruise.engine.admission.deletion_protection import why_protected

LABEL = "policy.kruise.io/delete-protection"
REFUSED = f"forbidden by ResourcesProtectionDeletion for {LABEL}="


def thing(value: str | None, **meta: Any) -> dict[str, Any]:
    return {"metadata": {"name": "web", "labels": {} if value is None else {LABEL: value}, **meta}}


@pytest.mark.parametrize(
    ("raw", "remains", "why"),
    [
        (thing(None), [("replicas", 3)], ""),
        (thing("Always"), [("replicas", 0)], f"{REFUSED}Always"),
        (thing("Cascading"), [("replicas", 2)], f"{REFUSED}Cascading and replicas 2>0"),
        (thing("Cascading"), [("replicas", 0)], ""),
        (thing("Cascading"), [("active pods", 0), ("bound pvc", 1)], f"{REFUSED}Cascading and bound pvc 1>0"),
        (thing("always"), [("replicas", 3)], ""),
        (thing("Always", deletionTimestamp="2026-01-01T00:00:00Z"), [("replicas", 3)], ""),
    ],
    ids=[
        "no label",
        "always",
        "cascading",
        "nothing left",
        "the second count",
        "another case",
        "going already",
    ],
)
def test_protection(raw: dict[str, Any], remains: list[tuple[str, int]], why: str) -> None:
    assert why_protected(raw, lambda: remains) == why


def test_what_nothing_depends_on_knows_no_cascading() -> None:
    assert why_protected(thing("Cascading")) == ""

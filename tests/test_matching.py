"""The replay's comparison itself: what it forgives, and what it does not."""

from typing import Any

import pytest

from tests.conformance.comparing.matching import CLAIMS, INSTANCE, Histories
from tests.conformance.comparing.writes import Write


def claim(number: str, *, kind: str = "fast") -> dict[str, Any]:
    instance = number if number == "xxxxx" else f"id-{number}"
    return {
        "name": f"data-web-{number}",
        "labels": {INSTANCE: instance, "kind": kind},
        "owners": ["CloneSet/web"],
        "deleting": False,
    }


def pod(number: str) -> dict[str, Any]:
    labels = {"app": "web", INSTANCE: f"id-{number}"}
    return {"name": f"web-{number}", "labels": labels, "node": "fake-0", "images": {"main": "nginx:1"}}


def histories(early: str, *, kind: str = "fast") -> Histories:
    """A claim is there one step before its pod."""
    found = Histories()
    found.record([], [claim(early, kind=kind)], [])
    created = Write("create", "pods", "web-p1", 201, {})
    found.record([pod("p1")], [claim("p1", kind=kind)], [created])
    return found


def test_an_instance_may_have_its_number_before_its_pod_comes_to_be_or_not() -> None:
    assert histories("xxxxx").all() == histories("p1").all()


def test_other_claims_are_another_history() -> None:
    assert histories("p1", kind="slow").all() != histories("p1").all()


@pytest.mark.parametrize("names", [("p1", "p2"), ("p2", "p1")], ids=["listed in order", "listed by chance"])
def test_claims_are_compared_with_their_pods_in_any_order(names: tuple[str, str]) -> None:
    found, swapped = Histories(), Histories()
    pods = [pod("p1"), pod("p2")]
    found.record(pods, [claim(name) for name in names], [])
    swapped.record(pods, [claim(name) for name in reversed(names)], [])

    assert found.all() == swapped.all()


def test_a_claim_that_is_not_deleted_is_noticed_after_its_pod_is_gone() -> None:
    deletion = Write("delete", CLAIMS, "data-web-p1", 200, None)
    kept, gone = histories("p1"), histories("p1")
    kept.record([], [claim("p1")], [])
    gone.record([], [], [deletion])

    assert kept.all() != gone.all()

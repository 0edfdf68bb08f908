import json
from typing import Any

import pytest

from kubectl_kruise.engine.revisions.template_hash import hash_text, template_hash
from tests.places import DATA

ROWS = [json.loads(line) for line in (DATA / "templates" / "hashes.jsonl").read_text().splitlines()]
MINIMAL: dict[str, Any] = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "main", "image": "nginx:1.25"}]},
}


@pytest.mark.parametrize(("release", "expected", "template"), ROWS, ids=[f"1.{r[0]} {r[1]}" for r in ROWS])
def test_every_template_has_the_hash_that_go_computes(
    release: int, expected: str, template: dict[str, Any]
) -> None:
    assert template_hash(template, release=release) == expected


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("nginx:1.25", "9c7695b86"),
        ("nginx:1.26", "75f5dc8cbf"),
        ("nginx:1.27", "688f7bd688"),
        ("nginx:1.28", "75dcfcfb95"),
        ("bad:1", "5dc4cc99fd"),
    ],
)
def test_the_layout_of_1_32_gives_the_names_of_daemonset_revisions(image: str, expected: str) -> None:
    """As recorded of Kruise 1.9.0, which is built with that library."""
    template = {**MINIMAL, "spec": {"containers": [{"name": "main", "image": image}]}}

    assert template_hash(template, release=32) == expected


def test_a_count_of_collisions_changes_the_hash_even_when_it_is_zero() -> None:
    assert len({template_hash(MINIMAL, count) for count in (None, 0, 1, 2)}) == 4


def test_empty_and_absent_are_the_same_because_the_store_keeps_no_difference() -> None:
    emptied = {**MINIMAL, "metadata": {**MINIMAL["metadata"], "annotations": {}, "creationTimestamp": None}}

    assert template_hash(emptied) == template_hash(MINIMAL)


def test_an_empty_struct_behind_a_pointer_is_not_absent() -> None:
    spec = {**MINIMAL["spec"], "securityContext": {}}

    assert template_hash({**MINIMAL, "spec": spec}) != template_hash(MINIMAL)


@pytest.mark.parametrize(
    ("path", "value"),
    [("creationTimestamp", "yesterday"), ("deletionTimestamp", "")],
    ids=["no time at all", "an empty time"],
)
def test_what_go_cannot_read_has_no_hash(path: str, value: str) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        template_hash({"metadata": {path: value}})


def test_hashes_are_written_without_vowels() -> None:
    assert hash_text(1234567890) == "56789bcdf4"

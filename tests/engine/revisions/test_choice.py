"""Choosing the update and the current revision, colliding, and trimming."""

from typing import Any

import pytest

from kubectl_kruise.engine.revisions.choice import (
    Write,
    after_name_taken,
    build_revision,
    choose_current,
    choose_update,
    owned_revisions,
)
from kubectl_kruise.engine.revisions.history import excess_revisions
from kubectl_kruise.facts.names import CLAIM_HASH, HASH_LABEL
from kubectl_kruise.objects.raw import Raw, annotations_of, labels_of, name_of, owner_of


def cloneset(image: str = "nginx:1.25", *, claims: str = "", **status: Any) -> Raw:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": image}]},
    }
    spec: Raw = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    if claims:
        resources = {"requests": {"storage": claims}}
        spec["volumeClaimTemplates"] = [
            {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": resources}}
        ]
    return {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "metadata": {"name": "web", "namespace": "shop", "uid": "u1", "annotations": {"owner": "a team"}},
        "spec": spec,
        "status": status,
    }


A, B, C = "nginx:1.25", "nginx:1.26", "nginx:1.27"


def test_the_first_revision() -> None:
    """cloneset.md §9.3."""
    choice = choose_update(cloneset(), [])

    assert (choice.write, choice.collisions, choice.update["revision"]) == (Write.CREATE, 0, 1)
    assert labels_of(choice.update) == {"app": "web", HASH_LABEL: name_of(choice.update).removeprefix("web-")}
    assert annotations_of(choice.update) == {"owner": "a team", CLAIM_HASH: ""}
    assert owner_of(choice.update) == {
        "apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "name": "web", "uid": "u1",
        "controller": True, "blockOwnerDeletion": True,
    }  # fmt: skip


def test_new_content_gets_the_next_number() -> None:
    choice = choose_update(cloneset(B), [build_revision(cloneset(A), 4)])

    assert (choice.write, choice.update["revision"]) == (Write.CREATE, 5)


def test_unchanged_content_writes_nothing() -> None:
    revisions = [build_revision(cloneset(A), 1), build_revision(cloneset(B), 2)]

    choice = choose_update(cloneset(B), revisions)

    assert choice.write is Write.NONE
    assert choice.update is revisions[1]


def test_older_content_is_renumbered() -> None:
    """cloneset.md §28 ex. 50."""
    revisions = [build_revision(cloneset(A), 1), build_revision(cloneset(B), 2)]

    choice = choose_update(cloneset(A, currentRevision=name_of(revisions[1])), revisions)

    assert choice.write is Write.UPDATE
    assert choice.update == {**revisions[0], "revision": 3}
    assert (
        choose_current(cloneset(A, currentRevision=name_of(revisions[1])), revisions, choice.update)
        is revisions[1]
    )


def test_renumbering_takes_the_claims_of_today() -> None:
    """cloneset.md §9.4: only the claim hash is overwritten, other annotations stay as they were."""
    revisions = [build_revision(cloneset(A), 1), build_revision(cloneset(B, claims="1Gi"), 2)]

    choice = choose_update(cloneset(A, claims="1Gi"), revisions)

    assert annotations_of(choice.update) == {"owner": "a team", CLAIM_HASH: "3636919212"}


def test_claims_alone_make_no_revision() -> None:
    revisions = [build_revision(cloneset(A), 1)]

    choice = choose_update(cloneset(A, claims="1Gi"), revisions)

    assert (choice.write, choice.update) == (Write.NONE, revisions[0])


def test_a_taken_name_with_the_same_content_is_used() -> None:
    choice = choose_update(cloneset(), [])
    existing = {
        **choice.update,
        "revision": 7,
        "metadata": {"name": name_of(choice.update), "labels": {"not": "matching"}},
    }

    settled = after_name_taken(choice, existing)

    assert (settled.write, settled.update, settled.collisions) == (Write.NONE, existing, 0)


def test_a_taken_name_with_other_content_counts_a_collision() -> None:
    """cloneset.md §9.4: the name has the new hash, the label keeps the first."""
    choice = choose_update(cloneset(A), [])

    settled = after_name_taken(
        choice, {**build_revision(cloneset(B), 5), "metadata": {"name": name_of(choice.update)}}
    )

    assert (settled.write, settled.collisions) == (Write.CREATE, 1)
    assert name_of(settled.update) != name_of(choice.update)
    assert labels_of(settled.update)[HASH_LABEL] == name_of(choice.update).removeprefix("web-")
    assert name_of(choose_update(cloneset(A, collisionCount=1), []).update) == name_of(settled.update)


def test_without_a_known_current_revision_it_is_the_update_revision() -> None:
    update = build_revision(cloneset(A), 1)

    assert choose_current(cloneset(A, currentRevision="web-gone"), [], update) is update


def test_lists_own_and_orphaned_revisions_that_match_in_order() -> None:
    def revision(name: str, number: int, created: str = "", *, owner: str = "u1", app: str = "web") -> Raw:
        reference = [{"uid": owner, "controller": True}] if owner else []
        meta = {
            "name": name,
            "creationTimestamp": created,
            "labels": {"app": app},
            "ownerReferences": reference,
        }
        return {"metadata": meta, "revision": number}

    listed = [
        revision("e", 3), revision("d", 2, "2026-01-02"), revision("c", 2, "2026-01-01"), revision("b", 2, "2026-01-02"),
        revision("orphan", 1, owner=""), revision("other", 1, owner="u2"), revision("foreign", 1, app="db"),
    ]  # fmt: skip

    assert [name_of(each) for each in owned_revisions(cloneset(), listed)] == ["orphan", "c", "b", "d", "e"]


HISTORY = [
    ("cloneset.md §28 ex. 51", 2, ["web-2"], ["web-1"]),
    ("none kept", 0, ["web-2"], ["web-1", "web-3", "web-4"]),
    ("short labels count", 0, ["2", "3"], ["web-1", "web-4"]),
    ("a negative limit keeps none", -1, [], ["web-1", "web-2", "web-3", "web-4"]),
    ("room for all", 4, [], []),
]


@pytest.mark.parametrize(
    ("limit", "pods", "gone"), [row[1:] for row in HISTORY], ids=[row[0] for row in HISTORY]
)
def test_trims_the_oldest_that_nobody_uses(limit: int, pods: list[str], gone: list[str]) -> None:
    revisions: list[Raw] = [
        {"metadata": {"name": f"web-{number}"}, "revision": number} for number in range(1, 7)
    ]

    excess = excess_revisions(revisions, {"web-5", "web-6"}, pods, limit=limit)

    assert [name_of(each) for each in excess] == gone


def test_undo_and_undo_again_renumber_two_revisions() -> None:
    """fault B056: no revision is duplicated, and the text of A stays A's."""
    a = build_revision(cloneset(A), 1)
    a["metadata"].setdefault("annotations", {})["kubernetes.io/change-cause"] = "a"
    b = build_revision(cloneset(B), 2)

    first = choose_update(cloneset(A, currentRevision=name_of(b)), [a, b])
    second = choose_update(cloneset(B, currentRevision=name_of(a)), [b, first.update])

    assert (first.write, first.update) == (Write.UPDATE, {**a, "revision": 3})
    assert (second.write, second.update) == (Write.UPDATE, {**b, "revision": 4})

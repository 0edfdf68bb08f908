"""The one patch per pod (migration.md §4.2, §5.1.1 D9, §5.1.2)."""

import pytest

from kubectl_kruise.engine.migration.handover import adoption_patch, instance_ids, owners_of, release_patch
from tests.engine.migration.objects import HASH, cloneset, pod

REFERENCE = {
    "apiVersion": "apps.kruise.io/v1alpha1",
    "kind": "CloneSet",
    "name": "web",
    "uid": "c",
    "controller": True,
    "blockOwnerDeletion": True,
}


@pytest.mark.parametrize(
    ("revision", "short"),
    [
        pytest.param("web-557f55d569", "557f55d569", id="the revision's name"),
        pytest.param("557f55d569", "557f55d569", id="its hash alone, where the name does not fit (C13)"),
    ],
)
def test_a_pod_gets_its_new_owner_and_three_labels(revision: str, short: str) -> None:
    assert adoption_patch(pod("p1", "r"), ["r"], cloneset(), revision, "x7k2q") == {
        "metadata": {
            "uid": "p1",
            "ownerReferences": [{"$patch": "delete", "uid": "r"}, REFERENCE],
            "labels": {
                "controller-revision-hash": revision,
                "pod-template-hash": short,
                "apps.kruise.io/cloneset-instance-id": "x7k2q",
            },
        }
    }


def test_who_may_not_block_deletions_does_without() -> None:
    """migration.md §2.3 K7."""
    patch = adoption_patch(pod("p1"), ["r"], cloneset(), "web-1", "x7k2q", block=False)

    (_, reference) = patch["metadata"]["ownerReferences"]
    assert "blockOwnerDeletion" not in reference
    assert reference["controller"] is True


def test_a_pod_is_left_without_owner_for_its_replicaset() -> None:
    assert release_patch(pod("p1", "c"), ["c", "r"], HASH) == {
        "metadata": {
            "uid": "p1",
            "ownerReferences": [{"$patch": "delete", "uid": "c"}, {"$patch": "delete", "uid": "r"}],
            "labels": {
                "pod-template-hash": HASH,
                "controller-revision-hash": None,
                "apps.kruise.io/cloneset-instance-id": None,
            },
        }
    }


@pytest.mark.parametrize(
    ("names", "taken", "given", "left"),
    [
        pytest.param(["7cffcc7b48-x7k2q"], [], {"7cffcc7b48-x7k2q": "x7k2q"}, [], id="the end of the name"),
        pytest.param(["a-x7k2q"], ["x7k2q"], {}, ["a-x7k2q"], id="one that a pod of the CloneSet has"),
        pytest.param(
            ["a-x7k2q", "b-x7k2q"], [], {"a-x7k2q": "x7k2q"}, ["b-x7k2q"], id="one that comes twice"
        ),
        pytest.param(["a-aeiou"], [], {}, ["a-aeiou"], id="letters that no id has"),
        pytest.param(["a-x7k2"], [], {}, ["a-x7k2"], id="too short"),
        pytest.param(["a-x7k2q4"], [], {}, ["a-x7k2q4"], id="too long"),
        pytest.param(["a-X7K2Q"], [], {}, ["a-X7K2Q"], id="capitals"),
    ],
)
def test_instance_ids_are_the_ends_of_names(
    names: list[str], taken: list[str], given: dict[str, str], left: list[str]
) -> None:
    found, without = instance_ids([pod(name) for name in names], taken)

    assert (found, [each["metadata"]["uid"] for each in without]) == (given, left)


def test_all_owners_count() -> None:
    assert owners_of(pod("p1", "r", "x")) == {"r", "x"}
    assert owners_of(pod("p1")) == set()

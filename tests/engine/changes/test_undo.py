"""Undo restores a template exactly, and takes a leftover partition away with it."""

import copy
from typing import Any

import jsonpatch
import pytest

from kubectl_kruise.engine.changes.change import Change, Decision, Unchanged
from kubectl_kruise.engine.changes.undo import Undo, plan_undo
from kubectl_kruise.engine.revisions.choice import build_revision
from kubectl_kruise.engine.revisions.listing import Revision, list_history
from kubectl_kruise.errors import NotFoundError, RefusedError
from kubectl_kruise.objects.raw import Raw, annotations_of, dig
from kubectl_kruise.objects.workload import Workload
from tests.engine.changes.workloads import UID, cloneset, deployment

IN_PLACE = {"type": "InPlaceIfPossible"}


def template(image: str = "shop/web:1", **pod: Any) -> Raw:
    return {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "image": image}], **pod},
    }


ONE, TWO, THREE = (
    template("shop/web:1"),
    template("shop/web:2", nodeSelector={"disk": "ssd"}),
    template("shop/web:3"),
)


def history(*templates: Raw) -> list[Revision]:
    stored = [build_revision(cloneset(template=each).raw, number) for number, each in enumerate(templates, 1)]
    return list_history(cloneset(), stored)


def undone(workload: Workload, revisions: list[Revision], revision: str = "", **asked: bool) -> Change:
    decision = plan_undo(workload, revisions, Undo(revision, **asked))
    assert isinstance(decision, Change), decision
    return decision


def applied(workload: Workload, change: Change) -> Raw:
    raw: Raw = jsonpatch.apply_patch(workload.raw, change.operations)
    return raw


def test_what_was_added_since_is_gone() -> None:
    """fault B10: a merge of the old template leaves the node selector where it is."""
    workload = cloneset(template=TWO)

    change = undone(workload, history(ONE, TWO))

    restored = applied(workload, change)["spec"]["template"]
    assert "nodeSelector" not in restored["spec"]
    assert "$patch" not in restored, "fault B10a: the directive must not be stored"
    assert "creationTimestamp" not in restored["metadata"]
    assert restored["spec"]["containers"][0]["image"] == "shop/web:1"


def test_the_write_holds_only_the_template_and_the_version_it_was_decided_on() -> None:
    change = undone(cloneset(template=TWO), history(ONE, TWO))

    assert [(step["op"], step["path"]) for step in change.operations] == [
        ("replace", "/metadata/resourceVersion"),
        ("replace", "/spec/template"),
    ]
    assert change.did.startswith("rolled back to revision 1 (web-")


def test_a_template_full_of_defaults_is_known_again() -> None:
    live = copy.deepcopy(TWO)
    live["metadata"]["creationTimestamp"] = None
    live["spec"] |= {"restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "volumes": None}
    live["spec"]["containers"][0] |= {"resources": {}, "imagePullPolicy": "Always"}

    change = undone(cloneset(template=live), history(ONE, TWO))

    assert change.notes[0].startswith("template: revision 2 (web-")


REVISIONS = [
    ("previous", "", 2), ("zero", "0", 2), ("number", "1", 1), ("one back", "-1", 2), ("two back", "-2", 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "number"), [row[1:] for row in REVISIONS], ids=[row[0] for row in REVISIONS]
)
def test_finds_the_revision_meant(wanted: str, number: int) -> None:
    change = undone(cloneset(template=THREE), history(ONE, TWO, THREE), wanted)

    assert change.did.startswith(f"rolled back to revision {number} (")


def test_finds_a_revision_by_name_or_hash() -> None:
    revisions = history(ONE, TWO, THREE)

    for wanted in (revisions[0].name, revisions[0].hash):
        assert undone(cloneset(template=THREE), revisions, wanted).did.endswith(f"({revisions[0].name})")


def test_previous_means_the_highest_other_one_not_the_second_of_the_list() -> None:
    """rollout-operations.md §10 rule 4: a concurrent edit can have added one."""
    change = undone(cloneset(template=TWO), history(ONE, TWO, THREE))

    assert change.did.startswith("rolled back to revision 3 (")


MISSING = [
    ("9", 'cloneset "web" has no revision "9"'),
    ("web-nothash", 'cloneset "web" has no revision "web-nothash"'),
    ("-5", 'cloneset "web" has only 2 earlier revisions to go back to'),
]


@pytest.mark.parametrize(("wanted", "message"), MISSING)
def test_a_revision_that_is_not_there(wanted: str, message: str) -> None:
    with pytest.raises(NotFoundError) as missing:
        plan_undo(cloneset(template=THREE), history(ONE, TWO, THREE), Undo(wanted))

    assert missing.value.message == message
    assert missing.value.hint == "kubectl kruise rollout history cloneset/web -n shop"


def test_a_first_revision_has_none_before_it() -> None:
    """rollout-operations.md §9: revision 0 with fewer than two revisions is an error."""
    with pytest.raises(NotFoundError, match='cloneset "web" has no earlier revision to go back to'):
        plan_undo(cloneset(template=ONE), history(ONE), Undo())


def test_already_there_changes_nothing() -> None:
    revisions = history(ONE, TWO)

    decision: Decision = plan_undo(cloneset(template=TWO), revisions, Undo("2"))

    assert decision == Unchanged(f"already at revision 2 ({revisions[1].name})")


def test_refused_while_paused() -> None:
    with pytest.raises(RefusedError, match='cloneset "web" is paused') as refused:
        plan_undo(cloneset(template=TWO, strategy={"paused": True}), history(ONE, TWO), Undo())

    assert "--resume" in refused.value.hint


def test_resume_goes_along_in_the_same_write() -> None:
    workload = cloneset(template=TWO, strategy={"paused": True})

    after = applied(workload, undone(workload, history(ONE, TWO), resume=True))

    assert after["spec"]["updateStrategy"]["paused"] is False
    assert after["spec"]["template"]["spec"]["containers"][0]["image"] == "shop/web:1"


def test_resume_of_what_is_not_paused_writes_no_switch() -> None:
    workload = cloneset(template=TWO)

    change = undone(workload, history(ONE, TWO), resume=True)

    assert not any("paused" in step["path"] for step in change.operations)
    assert "resumed" not in change.notes


def test_nothing_to_undo_leaves_a_pause_alone() -> None:
    workload = cloneset(template=TWO, strategy={"paused": True})

    assert isinstance(plan_undo(workload, history(ONE, TWO), Undo("2")), Unchanged)


@pytest.mark.parametrize(
    ("strategy", "warned"), [(IN_PLACE, False), ({"type": "ReCreate"}, True)], ids=["in place", "recreate"]
)
def test_only_pods_that_are_recreated_lose_their_claims(strategy: dict[str, Any], warned: bool) -> None:
    live = template("shop/web:2")
    workload = cloneset(template=live, strategy=strategy, volumeClaimTemplates=claims("10Gi"))

    change = undone(workload, history(ONE, live))

    assert any("their data is lost" in text for text in change.warnings) is warned


def test_resume_without_anything_to_undo_only_resumes() -> None:
    workload = cloneset(template=TWO, strategy={"paused": True})

    change = undone(workload, history(ONE, TWO), "2", resume=True)

    assert change.did == "resumed"
    assert applied(workload, change)["spec"]["template"] == TWO


@pytest.mark.parametrize("partition", [3, "60%", "100%"])
def test_a_leftover_partition_goes_in_the_same_write(partition: int | str) -> None:
    """rollout-operations.md §3, the trap: the bad canary pods would be kept."""
    workload = cloneset(template=TWO, strategy={"partition": partition})

    change = undone(workload, history(ONE, TWO))

    assert applied(workload, change)["spec"]["updateStrategy"]["partition"] == 0
    assert any(note.startswith(f"partition {partition} → 0:") for note in change.notes)
    assert not change.warnings


def test_the_partition_may_be_kept_with_a_warning() -> None:
    workload = cloneset(template=TWO, strategy={"partition": 3})

    change = undone(workload, history(ONE, TWO), keep_partition=True)

    assert applied(workload, change)["spec"]["updateStrategy"]["partition"] == 3
    assert change.warnings == (
        "partition 3 stays: up to 3 of 5 pods are not moved, also those of the revision left behind",
    )


@pytest.mark.parametrize("partition", [None, 0, "0%"])
def test_no_partition_no_word_about_it(partition: int | str | None) -> None:
    change = undone(cloneset(template=TWO, strategy={"partition": partition}), history(ONE, TWO))

    assert not any("partition" in text for text in (*change.notes, *change.warnings))


def test_says_what_there_is_to_go_back_to() -> None:
    with pytest.raises(NotFoundError, match="has only 1 earlier revision to go back to"):
        undone(cloneset(template=TWO), history(ONE, TWO), "-2")
    with pytest.raises(NotFoundError) as missing:
        undone(cloneset(template=TWO), [], "7")
    assert missing.value.cause == "revisions: none"


WAYS = [
    (
        template("shop/web:2"),
        IN_PLACE,
        "updates in place: the containers restart, pods keep their names, IPs and nodes",
    ),
    (
        {**ONE, "metadata": {"labels": {"app": "web", "tier": "a"}}},
        IN_PLACE,
        "updates in place: pods keep their names, IPs and nodes",
    ),
    (TWO, IN_PLACE, "recreates the pods: spec.template.spec.nodeSelector cannot be updated in place"),
    (template("shop/web:2"), {"type": "ReCreate"}, "recreates the pods (update type ReCreate)"),
]


@pytest.mark.parametrize(
    ("live", "strategy", "text"), WAYS, ids=["image", "label", "node selector", "recreate"]
)
def test_says_how_the_pods_go_back(live: Raw, strategy: dict[str, Any], text: str) -> None:
    change = undone(cloneset(template=live, strategy=strategy), history(ONE, live))

    assert change.notes[-1] == text


def test_tells_what_becomes_different() -> None:
    change = undone(cloneset(template=TWO), history(ONE, TWO))

    assert change.notes[1:3] == (
        "spec.containers[app].image shop/web:2 → shop/web:1",
        "spec.nodeSelector.disk ssd → –",
    )


def test_tells_the_first_of_many_changes() -> None:
    labels = {f"label-{index:02}": "x" for index in range(14)}

    change = undone(
        cloneset(template=template(nodeSelector=labels)), history(ONE, template(nodeSelector=labels))
    )

    assert change.notes[10] == "spec.nodeSelector.label-09 x → –"
    assert change.notes[11] == "and 4 more fields"


def test_in_place_only_refuses_what_it_could_not_follow() -> None:  # cloneset.md §26 Q16
    with pytest.raises(RefusedError, match="InPlaceOnly"):
        plan_undo(cloneset(template=TWO, strategy={"type": "InPlaceOnly"}), history(ONE, TWO), Undo())


def replicaset(number: int, image: str, cause: str) -> Raw:
    labels = {"app": "web", "pod-template-hash": f"hash{number}"}
    spec = {"containers": [{"name": "app", "image": image}]}
    return {
        "metadata": {
            "name": f"web-hash{number}",
            "annotations": {
                "deployment.kubernetes.io/revision": str(number),
                "deployment.kubernetes.io/desired-replicas": "2",
                "kubernetes.io/change-cause": cause,
            },
            "ownerReferences": [{"controller": True, "uid": UID}],
        },
        "spec": {"template": {"metadata": {"labels": labels}, "spec": spec}},
    }


def test_a_deployment_goes_back_to_a_replicaset_and_its_cause() -> None:
    """rollout-operations.md §9: the cause travels back, the revision's own numbers do not."""
    workload = deployment()
    workload.raw["metadata"]["annotations"] = {
        "deployment.kubernetes.io/revision": "2",
        "kubernetes.io/change-cause": "two",
    }
    revisions = list_history(workload, [replicaset(2, "web:1", "two"), replicaset(1, "web:0", "one")])

    change = undone(workload, revisions)

    after = applied(workload, change)
    assert change.did == "rolled back to revision 1 (web-hash1)"
    assert after["spec"]["template"] == {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "image": "web:0"}]},
    }
    assert annotations_of(after) == {
        "deployment.kubernetes.io/revision": "2",
        "kubernetes.io/change-cause": "one",
    }


def test_a_paused_deployment_is_refused_too() -> None:
    workload = deployment(paused=True)
    revisions = list_history(workload, [replicaset(2, "web:1", "two"), replicaset(1, "web:0", "one")])

    with pytest.raises(RefusedError):
        plan_undo(workload, revisions, Undo())
    assert dig(applied(workload, undone(workload, revisions, resume=True)), ("spec", "paused")) is False


def test_only_revisions_that_it_controls_count() -> None:
    """fault B058: another workload of the same name and labels has revisions of its own."""
    foreign = build_revision({**cloneset(template=THREE).raw, "metadata": {"name": "web", "uid": "x"}}, 9)
    stray = build_revision(cloneset(template=THREE).raw, 8)
    del stray["metadata"]["ownerReferences"]
    stray["metadata"]["labels"] = {"app": "another"}

    listed = list_history(cloneset(), [foreign, stray, *(each.raw for each in history(ONE))])

    assert [revision.number for revision in listed] == [1]


def test_revisions_that_a_workload_left_behind_count() -> None:
    """cloneset.md §9.4: those of nobody are used as they are where the selector matches."""
    orphan = build_revision(cloneset(template=THREE).raw, 8)
    del orphan["metadata"]["ownerReferences"]

    listed = list_history(cloneset(), [orphan, *(each.raw for each in history(ONE))])

    assert [revision.number for revision in listed] == [1, 8]


def test_numbers_sort_as_numbers() -> None:
    """fault B064."""
    stored = [
        build_revision(cloneset(template=template(f"web:{number}")).raw, number) for number in (9, 10, 11, 2)
    ]

    assert [revision.number for revision in list_history(cloneset(), stored)] == [2, 9, 10, 11]


def test_the_only_revision_is_already_there() -> None:
    """fault B050."""
    revisions = history(ONE)

    decision = plan_undo(cloneset(template=ONE), revisions, Undo("1"))

    assert decision == Unchanged(f"already at revision 1 ({revisions[0].name})")


def claims(size: str) -> list[Raw]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    return [{"metadata": {"name": "data"}, "spec": spec}]


CLAIMS = [("changed since", "20Gi", True), ("as they were", "10Gi", False)]


@pytest.mark.parametrize(("size", "told"), [row[1:] for row in CLAIMS], ids=[row[0] for row in CLAIMS])
def test_says_that_claim_templates_stay(size: str, told: bool) -> None:  # cloneset.md §26 Q9
    """fault B060."""
    old = build_revision(cloneset(template=ONE, volumeClaimTemplates=claims("10Gi")).raw, 1)
    new = build_revision(cloneset(template=TWO, volumeClaimTemplates=claims(size)).raw, 2)
    workload = cloneset(template=TWO, volumeClaimTemplates=claims(size))

    change = undone(workload, list_history(workload, [old, new]))

    assert applied(workload, change)["spec"]["volumeClaimTemplates"] == claims(size)
    assert (
        "the volume claim templates are not part of a revision: they are not rolled back" in change.notes
    ) is told


def test_on_delete_is_told_once() -> None:
    change = undone(cloneset(template=TWO, strategy={"type": "OnDelete"}), history(ONE, TWO))

    assert sum("OnDelete" in text for text in (*change.notes, *change.warnings)) == 1

"""Each revision with its pods and marks, also while the status is behind."""

from typing import Any

from kubectl_kruise.engine.revisions.choice import build_revision
from kubectl_kruise.engine.revisions.listing import list_history
from kubectl_kruise.engine.revisions.timeline import Entry, build_timeline
from kubectl_kruise.objects.raw import Raw, name_of
from tests.engine.changes.workloads import cloneset, deployment, pod


def template(image: str) -> Raw:
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": image}]}}


STORED = [build_revision(cloneset(template=template(f"web:{number}")).raw, number) for number in (1, 2, 3)]
ONE, TWO, THREE = map(name_of, STORED)


def timeline(*pods: Raw, **status: Any) -> list[Entry]:
    workload = cloneset(template=template("web:3"), status=status)
    return build_timeline(workload, list_history(workload, STORED), pods)


def of(revision: str, name: str = "p", **how: Any) -> Raw:
    return pod(name, labels={"controller-revision-hash": revision}, **how)


def test_the_newest_comes_first_and_is_compared_with_the_one_below() -> None:
    entries = timeline()

    assert [entry.revision.number for entry in entries] == [3, 2, 1]
    assert [[delta.location for delta in entry.deltas or []] for entry in entries] == [
        ["spec.containers[app].image"], ["spec.containers[app].image"], [],
    ]  # fmt: skip


def test_marks_follow_the_status() -> None:
    entries = timeline(observedGeneration=1, updateRevision=THREE, currentRevision=ONE)

    assert [entry.marks for entry in entries] == [("update",), (), ("current",)]


def test_marks_of_a_status_that_is_behind_follow_the_template() -> None:
    entries = timeline(observedGeneration=0, updateRevision=TWO, currentRevision=ONE)

    assert [entry.marks for entry in entries] == [("update",), (), ("current",)]


def test_one_revision_may_carry_both_marks() -> None:
    entries = timeline(observedGeneration=1, updateRevision=THREE, currentRevision=THREE)

    assert entries[0].marks == ("update", "current")


def test_counts_active_pods_of_the_workload_in_both_label_forms() -> None:
    ending = of(THREE, deletionTimestamp="2026-01-01T00:00:00Z")
    foreign = of(THREE, owner="someone-else")

    entries = timeline(of(THREE), of(THREE.removeprefix("web-")), of(ONE), ending, foreign)

    assert [entry.pods for entry in entries] == [2, 0, 1]


def test_a_deployment_has_a_current_revision_only() -> None:
    workload = deployment()
    reference = {"controller": True, "uid": workload.uid}
    labels = {"app": "web", "pod-template-hash": "abc"}
    replicaset = {
        "metadata": {
            "name": "web-abc",
            "annotations": {"deployment.kubernetes.io/revision": "4"},
            "ownerReferences": [reference],
        },
        "spec": {"template": {**workload.raw["spec"]["template"], "metadata": {"labels": labels}}},
        "status": {"replicas": 2},
    }

    (entry,) = build_timeline(workload, list_history(workload, [replicaset]), [])

    assert (entry.revision.number, entry.revision.hash, entry.pods, entry.marks) == (
        4,
        "abc",
        2,
        ("current",),
    )

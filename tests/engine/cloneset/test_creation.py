"""New pods, instance ids and claims (cloneset.md §12, §28 ex. 52, 53)."""

from collections.abc import Iterator

from kubectl_kruise.engine.cloneset.claims import hand_over, sort_claims
from kubectl_kruise.engine.cloneset.creation import new_pod, pick_instance_ids
from kubectl_kruise.engine.gates import Gates
from tests.engine.cloneset.builders import NEW, cloneset, revision

ID = "apps.kruise.io/cloneset-instance-id"
TEMPLATE = {
    "metadata": {"creationTimestamp": None, "labels": {"app": "demo"}, "annotations": {"note": "a"}, "finalizers": ["f/z"]},
    "spec": {"containers": [{"name": "main", "image": "a:1"}], "volumes": [{"name": "data", "emptyDir": {}}, {"name": "tmp", "emptyDir": {}}]},
}  # fmt: skip
CLAIM = {
    "metadata": {"name": "data", "labels": {"app": "other", "kind": "fast"}},
    "spec": {"accessModes": ["ReadWriteOnce"]},
}
OWNER = {
    "apiVersion": "apps.kruise.io/v1alpha1",
    "kind": "CloneSet",
    "name": "demo",
    "uid": "cs-uid",
    "controller": True,
    "blockOwnerDeletion": True,
}


def labelled(instance_id: str, name: str = "x") -> dict:
    return {
        "metadata": {
            "name": name,
            "uid": f"uid-{name}",
            "labels": {ID: instance_id},
            "ownerReferences": [OWNER],
        }
    }


def test_a_new_pod() -> None:  # §12.2
    made, claims = new_pod(cloneset(), revision(NEW, TEMPLATE), "x7k2q", (), "2024-05-01T10:00:00Z")

    assert claims == ()
    assert made["metadata"] == {
        "name": "demo-x7k2q",
        "generateName": "demo-",
        "namespace": "ns",
        "labels": {
            "app": "demo",
            "controller-revision-hash": NEW,
            "pod-template-hash": "1111",
            ID: "x7k2q",
            "lifecycle.apps.kruise.io/state": "PreparingNormal",
        },
        "annotations": {"note": "a", "lifecycle.apps.kruise.io/timestamp": "2024-05-01T10:00:00Z"},
        "ownerReferences": [OWNER],
        "finalizers": ["f/z"],
    }
    assert made["spec"] == {**TEMPLATE["spec"], "readinessGates": [{"conditionType": "InPlaceUpdateReady"}]}


def test_the_gate_is_there_once() -> None:
    template = {
        "spec": {"readinessGates": [{"conditionType": "InPlaceUpdateReady"}, {"conditionType": "other"}]}
    }

    made = new_pod(cloneset(), revision(NEW, template), "x7k2q", (), "t").pod

    assert made["spec"]["readinessGates"] == template["spec"]["readinessGates"]


def test_short_hashes() -> None:
    made = new_pod(cloneset(gates=Gates(short_hash=True)), revision(NEW, TEMPLATE), "x7k2q", (), "t").pod

    assert made["metadata"]["labels"]["controller-revision-hash"] == "1111"


def test_claims_come_with_the_pod() -> None:  # §12.3, ex. 52
    made, (claim,) = new_pod(
        cloneset(volumeClaimTemplates=[CLAIM]), revision(NEW, TEMPLATE), "x7k2q", (), "t"
    )

    assert claim["metadata"] == {
        "name": "data-demo-x7k2q",
        "namespace": "ns",
        "labels": {"app": "demo", "kind": "fast", ID: "x7k2q"},
        "ownerReferences": [OWNER],
    }
    assert claim["spec"] == CLAIM["spec"]
    assert made["spec"]["volumes"] == [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data-demo-x7k2q", "readOnly": False}},
        {"name": "tmp", "emptyDir": {}},
    ]


def test_a_claim_that_exists_is_not_made() -> None:  # ex. 53
    view = cloneset(volumeClaimTemplates=[CLAIM])

    assert new_pod(view, revision(NEW, TEMPLATE), "x7k2q", {"data-demo-x7k2q"}, "t").claims == ()


def drawing(*ids: str) -> Iterator[str]:
    return iter(ids)


def test_free_ids_of_claims_come_first() -> None:  # §12.1
    drawn = drawing("ccccc", "bbbbb", "ddddd", "zzzzz", "zzzzz", "fffff")

    found = pick_instance_ids(
        3,
        pods=[labelled("bbbbb"), labelled("ddddd")],
        active=[labelled("bbbbb")],
        claims=[labelled("bbbbb"), labelled("ccccc")],
        draw=lambda: next(drawn),
    )

    assert found == ("ccccc", "fffff", "zzzzz")


def test_claims_follow_their_pods() -> None:  # §12.4
    kept, orphaned, unused = (
        labelled("aaaaa", "data-a"),
        labelled("bbbbb", "data-b"),
        labelled("ccccc", "data-c"),
    )
    ending = labelled("bbbbb", "demo-b")

    found = sort_claims([kept, orphaned, unused], [labelled("aaaaa", "demo-a")], [ending])

    assert found == ((kept,), ((orphaned, ending),), (unused,))
    assert hand_over(cloneset(), orphaned, ending)["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": "demo-b",
            "uid": "uid-demo-b",
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]

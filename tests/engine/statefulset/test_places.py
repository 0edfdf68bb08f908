"""Names, identity, new pods and the claims of places (advanced-statefulset.md §9, §12.3, §16)."""

from typing import Any

import pytest

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.revisions.choice import build_revision
from kubectl_kruise.engine.statefulset.creation import new_pod, with_identity
from kubectl_kruise.engine.statefulset.ordinals import PodName, claim_name, pod_name, split_name
from kubectl_kruise.engine.statefulset.slots import assign_slots
from kubectl_kruise.objects.raw import labels_of, metadata
from tests.engine.statefulset.builders import (
    NOW,
    START_ORDINAL,
    TEMPLATE,
    decide,
    pod,
    pods,
    revision,
    situation,
    statefulset,
    stop_reason,
)

R1 = revision("r1")
DATA = [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}]
TIME = "2027-01-15T08:00:00Z"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("web-1", PodName("web", 1)),
        ("web-01", PodName("web", 1)),
        ("my-web-10", PodName("my-web", 10)),
        ("web--1", PodName("web-", 1)),
        ("web-2147483647", PodName("web", 2147483647)),
        ("web-2147483648", PodName("web", -1)),
        ("web-x", PodName("", -1)),
        ("web", PodName("", -1)),
    ],
)
def test_parsing_names(name: str, expected: PodName) -> None:
    """I-1."""
    assert split_name(name) == expected


def test_names() -> None:
    """I-1, I-2; a negative first ordinal is read back as its positive one (§3 `ordinals.start`)."""
    assert (pod_name("web", 3), claim_name("data", "web", 3)) == ("web-3", "data-web-3")
    assert pod_name("web", -1) == "web-1"


def test_a_negative_first_ordinal() -> None:
    """§3: pod web-1 is made, and then has no place: the pass tries again to make one of its name."""
    view = statefulset("PA n 1", gates=START_ORDINAL, ordinals={"start": -1})
    first = assign_slots(view, [], current=R1, update=R1, now=NOW)
    (made,) = first.replicas
    second = assign_slots(view, [pod(1)], current=R1, update=R1, now=NOW)

    assert (made.name, made.ordinal, labels_of(made.pod)["apps.kubernetes.io/pod-index"]) == (
        "web-1",
        -1,
        "1",
    )
    assert [member.name for member in second.condemned] == ["web-1"]
    assert [member.name for member in second.replicas] == ["web-1"]


def test_a_new_pod() -> None:
    """I-3."""
    view = statefulset("PA", serviceName="svc", volumeClaimTemplates=DATA)
    volumes = [{"name": "data", "emptyDir": {}}, {"name": "tmp", "emptyDir": {}}]
    template: dict[str, Any] = {
        "metadata": {"labels": {"app": "web"}, "annotations": {"a": "1"}, "finalizers": ["f/f"]},
        "spec": {"containers": [{"name": "main", "image": "a:1"}], "volumes": volumes},
    }
    made = new_pod(view, revision("web-abc", **template), 2, TIME)

    assert metadata(made) == {
        "name": "web-2",
        "generateName": "web-",
        "namespace": "ns",
        "labels": {
            "app": "web",
            "statefulset.kubernetes.io/pod-name": "web-2",
            "apps.kubernetes.io/pod-index": "2",
            "controller-revision-hash": "web-abc",
            "lifecycle.apps.kruise.io/state": "Normal",
        },
        "annotations": {"a": "1", "lifecycle.apps.kruise.io/timestamp": TIME},
        "finalizers": ["f/f"],
        "ownerReferences": [
            {
                "apiVersion": "apps.kruise.io/v1beta1",
                "kind": "StatefulSet",
                "name": "web",
                "uid": "set",
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }
    assert (made["spec"]["hostname"], made["spec"]["subdomain"]) == ("web-2", "svc")
    assert made["spec"]["volumes"] == [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data-web-2", "readOnly": False}},
        {"name": "tmp", "emptyDir": {}},
    ]


@pytest.mark.parametrize(("service", "subdomain"), [("svc", "svc"), ("", None)])
def test_names_of_the_template_do_not_count(service: str, subdomain: str | None) -> None:
    """I-3: host name and subdomain are those of the place, even without a service."""
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"hostname": "own", "subdomain": "own", "containers": [{"name": "main", "image": "a:1"}]},
    }
    view = statefulset("PA", template=template, serviceName=service)
    made = new_pod(view, build_revision(view.raw, 1), 2, TIME)

    assert (made["spec"]["hostname"], made["spec"].get("subdomain")) == ("web-2", subdomain)


def test_the_index_label_needs_its_gate() -> None:
    view = statefulset("PA", gates=Gates(pod_index_label=False))

    assert "apps.kubernetes.io/pod-index" not in labels_of(new_pod(view, R1, 0, TIME))


@pytest.mark.parametrize(
    ("hook", "expected"),
    [
        (None, "Normal"),
        ({"labelsHandler": {"app": "web"}}, "Normal"),
        ({"labelsHandler": {"a": "true"}}, "PreparingNormal"),
        ({}, "Normal"),
    ],
    ids=["no hook", "the template carries it", "it is still to come", "an empty hook"],
)
def test_the_first_lifecycle_state(hook: Any, expected: str) -> None:
    """I-4."""
    view = statefulset("PA", lifecycle={"preNormal": hook} if hook is not None else None)

    assert labels_of(new_pod(view, R1, 0, TIME))["lifecycle.apps.kruise.io/state"] == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ""),
        ({"apps.kubernetes.io/pod-index": "7"}, ""),
        ({"statefulset.kubernetes.io/pod-name": "web-7"}, "repair 0"),
    ],
    ids=["as it should be", "the index label is not compared", "another pod-name label"],
)
def test_identity(change: dict[str, str], expected: str) -> None:
    """I-5, [P-26]."""
    at = situation(statefulset("PA n 1"), [pod(0, labels=change)], current=R1, update=R1)

    assert decide(at) == expected


def test_a_name_with_leading_zeros_is_repaired() -> None:
    """I-1, [I-5]."""
    one = pod(1)
    one["metadata"]["name"] = "web-01"
    one["metadata"]["labels"]["statefulset.kubernetes.io/pod-name"] = "web-01"
    at = situation(statefulset("PA n 2"), [pod(0), one], current=R1, update=R1)

    assert decide(at) == "repair 1"
    assert metadata(with_identity(at.view, one))["name"] == "web-1"


def _with_volume(claim: str, name: str = "data") -> dict[str, Any]:
    volumes = [
        {"name": name, "persistentVolumeClaim": {"claimName": claim}},
        {"name": "extra", "emptyDir": {}},
    ]
    return pod(0, spec={"volumes": volumes})


@pytest.mark.parametrize(
    ("templates", "one", "expected"),
    [
        (DATA, _with_volume("data-web-0"), ""),
        (DATA, _with_volume("data-web-7"), "repair 0"),
        (DATA, pod(0), "repair 0"),
        ([], _with_volume("data-web-0"), ""),
    ],
    ids=["as it should be", "another claim", "§22 quirk 7: a template was added", "one was removed"],
)
def test_storage(templates: Any, one: dict[str, Any], expected: str) -> None:
    """I-6, [P-26]."""
    view = statefulset("PA n 1", volumeClaimTemplates=templates)

    assert decide(situation(view, [one], current=R1, update=R1)) == expected


def test_pods_whose_ordinal_nobody_can_read_have_no_place_and_are_not_condemned() -> None:
    """P-3."""
    one = pod(0)
    one["metadata"]["name"] = "web-99999999999"
    slots = assign_slots(statefulset("PA n 1"), [one], current=R1, update=R1, now=NOW)

    assert not slots.condemned
    assert [member.created for member in slots.replicas] == [False]
    assert len(slots.claimed) == 1


def _claim(owner: dict[str, Any] | None = None, ordinal: int = 0) -> dict[str, Any]:
    return {
        "metadata": {"name": f"data-web-{ordinal}", "ownerReferences": [owner] if owner else []},
        "spec": DATA[0]["spec"],
    }


OF_POD = {"apiVersion": "v1", "kind": "Pod", "name": "web-0", "uid": "an earlier one"}


@pytest.mark.parametrize(
    ("spec", "owner", "expected", "reason"),
    [
        ("OR n 2", OF_POD, "", "a volume claim of pod web-0 still belongs to the one before it"),
        ("PA n 2", OF_POD, "create 1@r1", ""),
        ("OR n 2", None, "create 0@r1", "pod web-0 has to be available first"),
    ],
    ids=["OrderedReady waits", "Parallel goes on to the next place", "claims without an owner are fine"],
)
def test_a_claim_that_dies_with_the_pod_before(spec: str, owner: Any, expected: str, reason: str) -> None:
    """P-21 a, [V-20]."""
    view = statefulset(
        spec,
        volumeClaimTemplates=DATA,
        persistentVolumeClaimRetentionPolicy={"whenScaled": "Delete", "whenDeleted": "Retain"},
    )
    at = situation(view, [], current=R1, update=R1, claims={"data-web-0": _claim(owner)}.get)

    assert (decide(at), stop_reason(at)) == (expected, reason)


@pytest.mark.parametrize(
    ("claims", "expected"),
    [({}, "claims of 0"), ({"data-web-0": _claim()}, "")],
    ids=["it is gone", "it is there"],
)
def test_claims_of_pending_pods_are_made_again(claims: dict[str, Any], expected: str) -> None:
    """P-22, [V-3]."""
    view = statefulset("PA n 1", volumeClaimTemplates=DATA)
    one = pod(0, marks="P", spec=_with_volume("data-web-0")["spec"])
    at = situation(view, [one], current=R1, update=R1, claims=claims.get)

    assert decide(at) == expected


@pytest.mark.parametrize(
    ("gates", "expected"),
    [(Gates(), "repair 0"), (Gates(auto_delete_claims=False), "")],
    ids=["P-26", "V-17 without its gate"],
)
def test_owners_of_claims_are_put_right(gates: Gates, expected: str) -> None:
    policy = {"whenScaled": "Retain", "whenDeleted": "Delete"}
    view = statefulset(
        "PA n 1", gates=gates, volumeClaimTemplates=DATA, persistentVolumeClaimRetentionPolicy=policy
    )
    at = situation(
        view, [_with_volume("data-web-0")], current=R1, update=R1, claims={"data-web-0": _claim()}.get
    )

    assert decide(at) == expected


@pytest.mark.parametrize(
    ("gates", "expected"),
    [
        (Gates(), "owners of claims of 4, owners of claims of 3; delete 4, delete 3"),
        (Gates(auto_delete_claims=False), "delete 4, delete 3"),
    ],
    ids=["P-30", "P-30 without its gate"],
)
def test_claims_of_condemned_pods_are_handed_over_first(gates: Gates, expected: str) -> None:
    view = statefulset("PA n 1", gates=gates, volumeClaimTemplates=DATA)
    listed = [_with_volume("data-web-0"), *pods("3 4")]
    at = situation(view, listed, current=R1, update=R1, claims={"data-web-0": _claim()}.get)

    assert decide(at) == expected


def test_the_claim_of_the_highest_pod_goes_where_lower_ordinals_are_reserved() -> None:
    """Fault B156: pods 1 to 3, one fewer is wanted; those within the range keep theirs."""
    view = statefulset(
        "PA n 2",
        reserveOrdinals=[0],
        volumeClaimTemplates=DATA,
        persistentVolumeClaimRetentionPolicy={"whenScaled": "Delete", "whenDeleted": "Retain"},
    )
    listed = [
        pod(
            ordinal,
            spec={
                "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": f"data-web-{ordinal}"}}]
            },
        )
        for ordinal in (1, 2, 3)
    ]
    claims = {f"data-web-{ordinal}": _claim(ordinal=ordinal) for ordinal in (1, 2, 3)}
    at = situation(view, listed, current=R1, update=R1, claims=claims.get)

    assert decide(at) == "owners of claims of 3; delete 3"


# Claims that grow (§16.5): gate and type are on.

GROWING: dict[str, Any] = {
    "gates": Gates(resize_claims=True),
    "volumeClaimTemplates": [
        {
            "metadata": {"name": "data"},
            "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "20Gi"}}},
        }
    ],
    "volumeClaimUpdateStrategy": {"type": "OnPodRollingUpdate"},
}


def _grown(asked: str, has: str, *, pending: bool = False) -> dict[str, Any]:
    conditions = [{"type": "FileSystemResizePending", "status": "True"}] if pending else []
    return {
        "metadata": {"name": "data-web-0"},
        "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": asked}}},
        "status": {"capacity": {"storage": has}, "conditions": conditions},
    }


@pytest.mark.parametrize(
    ("of", "claim", "expected"),
    [
        pytest.param("r1", _grown("1Gi", "1Gi"), "resize 0", id="V-35 the claim first"),
        pytest.param("r1", _grown("20Gi", "1Gi"), "", id="V-35 then wait for it"),
        pytest.param(
            "r1", _grown("20Gi", "1Gi", pending=True), "in place 0", id="V-34 the file system is left"
        ),
        pytest.param("r1", _grown("20Gi", "20Gi"), "in place 0", id="V-35 then the pod"),
        pytest.param("r1", _grown("30Gi", "30Gi"), "in place 0", id="V-37 larger than the template"),
        pytest.param("r2", _grown("1Gi", "1Gi"), "resize 0", id="V-36 only the size changed"),
        pytest.param("r2", _grown("20Gi", "20Gi"), "", id="V-36 the pod is left alone"),
    ],
)
def test_claims_grow_before_their_pod_is_updated(of: str, claim: dict[str, Any], expected: str) -> None:
    view = statefulset("PA n 1 InPlaceIfPossible", **GROWING)
    one = pod(0, of, spec={"volumes": _with_volume("data-web-0")["spec"]["volumes"]})

    assert decide(situation(view, [one], claims={"data-web-0": claim}.get)) == expected


def test_a_pod_whose_volume_waits_uses_up_the_budget() -> None:
    """P-55 d."""
    view = statefulset("PA n 2 InPlaceIfPossible", **GROWING)
    volumes = _with_volume("data-web-0")["spec"]["volumes"]
    other = [{"name": "data", "persistentVolumeClaim": {"claimName": "data-web-1"}}]
    listed = [pod(0, spec={"volumes": volumes}), pod(1, spec={"volumes": other})]
    at = situation(view, listed, claims={"data-web-0": _grown("20Gi", "1Gi")}.get)

    assert decide(at) == ""
    assert stop_reason(at) == "pod web-1 waits: at most 1 may be unavailable, web-0 is"


def test_the_template_of_a_new_pod_is_that_of_its_revision() -> None:
    """P-4: not the one of the set."""
    changed = {**TEMPLATE, "spec": {"containers": [{"name": "main", "image": "a:9"}]}}
    at = situation(statefulset("PA n 1 part 1", template=changed), [])

    assert at.slots.replicas[0].pod["spec"]["containers"][0]["image"] == "a:1"

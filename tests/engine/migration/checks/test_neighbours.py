"""What is checked of everything else in the namespace (migration.md §10, §11.2)."""

from typing import Any

import pytest

from kubectl_kruise.engine.migration.checks.neighbours import check_neighbours, check_strangers
from kubectl_kruise.engine.migration.surroundings import Surroundings
from kubectl_kruise.facts.kinds import (
    CLONESET,
    DEPLOYMENT,
    HPA,
    NATIVE_DAEMONSET,
    PDB,
    REPLICASET,
    SERVICE,
    Kind,
)  # fmt: skip
from kubectl_kruise.facts.neighbours import (
    ARGO_ROLLOUT,
    FLAGGER_CANARY,
    JOB,
    KRUISE_ROLLOUT,
    NETWORK_POLICY,
    SCALED_OBJECT,
)  # fmt: skip
from kubectl_kruise.objects.raw import Raw, controller_reference
from kubectl_kruise.objects.workload import Workload
from tests.convert import sources
from tests.engine.migration.objects import pod

WEB = {"matchLabels": {"app": "web"}}
TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
HASHED = {"app": "web", "pod-template-hash": "7cffcc7b48"}


def other(kind: Kind, spec: Any, *, uid: str = "o", **meta: Any) -> tuple[Kind, Raw]:
    version = f"{kind.group}/{kind.versions[0]}" if kind.group else kind.versions[0]
    metadata = {"name": "other", "uid": uid, **meta}
    return kind, {"apiVersion": version, "kind": kind.kind, "metadata": metadata, "spec": spec}


def codes(*others: tuple[Kind, Raw], unseen: dict[Kind, str] | None = None, **spec: Any) -> list[str]:
    objects: dict[Kind, list[Raw]] = {}
    for kind, raw in others:
        objects.setdefault(kind, []).append(raw)
    workload = Workload(sources.deployment(**spec), DEPLOYMENT)
    return [
        check.code
        for check in check_neighbours(workload, Surroundings(objects, unseen or {}))
        if not check.passed
    ]


@pytest.mark.parametrize(
    ("neighbour", "found"),
    [
        pytest.param(other(DEPLOYMENT, {"selector": WEB}), ["P-OVERLAP"], id="row 33: a Deployment, same selector"),
        pytest.param(other(DEPLOYMENT, {"selector": WEB}, uid="3f0c"), [], id="the workload itself"),
        pytest.param(other(CLONESET, {"selector": WEB}), ["P-OVERLAP"], id="a CloneSet"),
        pytest.param(other(NATIVE_DAEMONSET, {"selector": WEB}), ["P-OVERLAP"], id="a DaemonSet"),
        pytest.param(other(JOB, {"selector": WEB}), ["P-OVERLAP"], id="a Job"),
        pytest.param(
            other(DEPLOYMENT, {"selector": WEB}, deletionTimestamp="2026-01-01T00:00:00Z"), [], id="one on its way out"
        ),
        pytest.param(other(REPLICASET, {"selector": WEB}), ["P-OVERLAP"], id="a ReplicaSet of nobody"),
        pytest.param(
            other(REPLICASET, {"selector": WEB}, ownerReferences=[controller_reference("apps/v1", "Deployment", "web", "3f0c")]),
            [],
            id="a ReplicaSet of the workload",
        ),
        pytest.param(other(DEPLOYMENT, {"selector": {"matchLabels": {"app": "x"}}}), [], id="a stranger"),
        pytest.param(other(DEPLOYMENT, {"selector": {}}), [], id="one that selects nothing"),
        pytest.param(other(SERVICE, {"selector": HASHED}), ["P-HASHREF"], id="row 34: a Service by the hash"),
        pytest.param(
            other(SERVICE, {"selector": {"app": "x", "pod-template-hash": "1"}}), [], id="a Service of other pods"
        ),
        pytest.param(other(SERVICE, {"selector": {"app": "web"}}), [], id="a Service by labels"),
        pytest.param(
            other(NETWORK_POLICY, {"podSelector": {"matchLabels": HASHED}}), ["P-HASHREF"], id="a NetworkPolicy"
        ),
        pytest.param(
            other(PDB, {"minAvailable": 1, "selector": {"matchLabels": HASHED}}), ["P-HASHREF"], id="a budget"
        ),
        pytest.param(other(HPA, {"scaleTargetRef": TARGET}), ["P-HPA"], id="an autoscaler"),
        pytest.param(other(HPA, {"scaleTargetRef": {**TARGET, "name": "x"}}), [], id="an autoscaler of another"),
        pytest.param(other(SCALED_OBJECT, {"scaleTargetRef": {"name": "web"}}), ["P-HPA"], id="KEDA, kind left out"),
        pytest.param(other(ARGO_ROLLOUT, {"workloadRef": TARGET}), ["P-CANARY"], id="Argo Rollouts"),
        pytest.param(other(FLAGGER_CANARY, {"targetRef": TARGET}), ["P-CANARY"], id="Flagger"),
        pytest.param(other(KRUISE_ROLLOUT, {"workloadRef": TARGET}), ["P-CANARY"], id="Kruise Rollout"),
        pytest.param(
            other(KRUISE_ROLLOUT, {"objectRef": {"workloadRef": TARGET}}), ["P-CANARY"], id="the same, old form"
        ),
        pytest.param(other(PDB, {"maxUnavailable": 1, "selector": WEB}), ["P-PDB"], id="a budget that counts owners"),
        pytest.param(other(PDB, {"minAvailable": "50%", "selector": WEB}), ["P-PDB"], id="a budget of a share"),
        pytest.param(other(PDB, {"minAvailable": 2, "selector": WEB}), [], id="a budget of a number"),
    ],
)  # fmt: skip
def test_one_neighbour(neighbour: tuple[Kind, Raw], found: list[str]) -> None:
    assert codes(neighbour) == found


def test_an_affinity_to_a_hash_counts() -> None:
    affinity = {
        "podAntiAffinity": {"x": [{"labelSelector": {"matchExpressions": [{"key": "pod-template-hash"}]}}]}
    }
    spec = {"containers": [{"name": "main", "image": "web:1"}], "affinity": affinity}

    assert codes(template={"metadata": {"labels": {"app": "web"}}, "spec": spec}) == ["P-HASHREF"]


def test_what_could_not_be_listed_is_said() -> None:
    assert codes(unseen={HPA: "forbidden"}) == ["P-UNSEEN"]


@pytest.mark.parametrize(
    ("one", "found"),
    [
        pytest.param(pod("p1", "r"), [], id="one of its own"),
        pytest.param(pod("p1"), ["P-OVERLAP"], id="one without owner"),
        pytest.param(pod("p1", "x"), ["P-OVERLAP"], id="one of somebody else"),
        pytest.param({**pod("p1"), "status": {"phase": "Succeeded"}}, [], id="one that has ended"),
    ],
)
def test_pods_that_the_selector_matches(one: Raw, found: list[str]) -> None:
    workload = Workload(sources.deployment(), DEPLOYMENT)

    assert [check.code for check in check_strangers(workload, [one], {"r"})] == found


def test_many_strangers_are_one_finding() -> None:
    workload = Workload(sources.deployment(), DEPLOYMENT)
    pods = [pod(f"p{at}") for at in range(5)]

    (found,) = check_strangers(workload, pods, {"r"})

    assert found.evidence.startswith("pods web-p0, web-p1, web-p2 and 2 more, without owner, are matched by")
    assert found.fix == "change their labels, or delete them"

"""Manifests that bring a deleted object back, or make one that takes over pods (migration.md §4.1, §5.3)."""

from typing import Any

import pytest

from kubectl_kruise.engine.migration.manifests import manifest_of, replicaset_for, same_template
from kubectl_kruise.objects.raw import Raw
from tests.convert import sources

NUMBER = "deployment.kubernetes.io/revision"


def _live(kind: str) -> Raw:
    made = sources.deployment(
        {"labels": {"team": "shop"}, "annotations": {NUMBER: "4", "example.com/a": "b"}}
    )
    made["metadata"]["ownerReferences"] = [{"uid": "x"}]
    return made | {"kind": kind}


@pytest.mark.parametrize(
    ("kind", "annotations"),
    [
        pytest.param("Deployment", {"example.com/a": "b"}, id="a Deployment counts its revisions anew"),
        pytest.param("ReplicaSet", {NUMBER: "4", "example.com/a": "b"}, id="a ReplicaSet keeps its number"),
    ],
)
def test_what_the_server_gave_is_left_out(kind: str, annotations: dict[str, str]) -> None:
    made = manifest_of(_live(kind))

    assert made["metadata"] == {"name": "web", "labels": {"team": "shop"}, "annotations": annotations}
    assert made["spec"] == _live(kind)["spec"]
    assert made.keys() == {"apiVersion", "kind", "metadata", "spec"}


def test_who_it_was_is_noted_on_demand() -> None:
    assert manifest_of(_live("ReplicaSet"), uid=True)["metadata"]["uid"] == "3f0c"


def test_a_replicaset_that_takes_pods_of_a_hash() -> None:
    made = replicaset_for(sources.deployment(minReadySeconds=5), "658fcd5c79")

    labels = {"app": "web", "pod-template-hash": "658fcd5c79"}
    assert made["metadata"] == {"name": "web-658fcd5c79", "labels": labels}
    assert made["spec"]["selector"] == {"matchLabels": labels}
    assert made["spec"]["template"]["metadata"]["labels"] == labels
    assert (made["spec"]["replicas"], made["spec"]["minReadySeconds"]) == (3, 5)


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        pytest.param({}, True, id="but for the hash"),
        pytest.param(
            {"metadata": {"labels": {"app": "web", "pod-template-hash": "x"}}}, True, id="whatever the hash"
        ),
        pytest.param({"spec": {"containers": []}}, False, id="other containers"),
        pytest.param({"metadata": {"labels": {"app": "x"}}}, False, id="other labels"),
    ],
)
def test_templates_are_compared_but_for_the_hash(changes: dict[str, Any], same: bool) -> None:
    deployment = sources.deployment()
    replicaset = replicaset_for(deployment, "658fcd5c79")
    deployment["spec"]["template"] |= changes

    assert same_template(deployment, replicaset) is same

"""Deployments become CloneSets that behave the same (migration.md §3.1, §11.1)."""

import pytest

from kubectl_kruise.convert.deployment import Target, deployment_to_cloneset, unknown_fields
from kubectl_kruise.objects.raw import dig
from tests.convert.sources import deployment, rolling


def test_defaults_become_explicit_and_no_lock_is_left_in() -> None:
    """migration.md §11.1 row 1, faults B011, B013."""
    made = deployment_to_cloneset(deployment()).obj
    assert made == {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "web"}},
            "template": deployment()["spec"]["template"],
            "minReadySeconds": 0,
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
            "updateStrategy": {
                "type": "ReCreate", "partition": 0, "maxSurge": "25%", "maxUnavailable": "25%", "paused": False,
            },
        },
    }  # fmt: skip


def test_the_newer_version_keeps_its_switches_elsewhere() -> None:
    """migration.md §3.1, column v1beta1."""
    made = deployment_to_cloneset(deployment(), Target(version="v1beta1")).obj
    assert made["apiVersion"] == "apps.kruise.io/v1beta1"
    assert made["spec"]["updateStrategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {
            "podUpdatePolicy": "ReCreate", "partition": 0, "maxSurge": "25%", "maxUnavailable": "25%",
            "paused": False,
        },
    }  # fmt: skip


def test_a_release_without_progress_deadline_drops_it_with_a_word() -> None:
    """migration.md §11.1 row 2."""
    result = deployment_to_cloneset(deployment(), Target(deadline=False))
    assert "progressDeadlineSeconds" not in result.obj["spec"]
    assert [fate.path for fate in result.dropped] == ["spec.progressDeadlineSeconds"]


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "remark"),
    [
        pytest.param(1, "25%", "25%", "", id="one pod"),
        pytest.param(3, "25%", "25%", "", id="three pods"),
        pytest.param(10, "25%", "25%", "", id="ten pods"),
        pytest.param(10, 0, "25%", "takes 2 at a time, the CloneSet 3", id="migration.md §11.1 row 4"),
        pytest.param(5, 0, "25%", "takes 1 at a time, the CloneSet 2", id="fault B011"),
        pytest.param(3, 0, "25%", "", id="both would be zero: the Deployment repairs it to one"),
        pytest.param(10, 1, 0, "", id="surge alone, migration.md §11.1 row 3"),
    ],
)
def test_shares_are_copied_and_other_roundings_told(
    replicas: int, surge: int | str, unavailable: int | str, remark: str
) -> None:
    result = deployment_to_cloneset(deployment(replicas=replicas, strategy=rolling(surge, unavailable)))
    strategy = result.obj["spec"]["updateStrategy"]
    assert (strategy["maxSurge"], strategy["maxUnavailable"]) == (surge, unavailable)
    assert [one.code for one in result.remarks] == (["W-ROUND"] if remark else [])
    assert all(remark in one.text for one in result.remarks)


def test_recreate_has_no_twin() -> None:
    """migration.md §11.1 row 5."""
    result = deployment_to_cloneset(deployment(strategy={"type": "Recreate"}))
    strategy = result.obj["spec"]["updateStrategy"]
    assert (strategy["type"], strategy["maxSurge"], strategy["maxUnavailable"]) == ("ReCreate", 0, "100%")
    assert [one.code for one in result.remarks] == ["W-RECREATE"]


def test_a_paused_deployment_stays_paused() -> None:
    """migration.md §11.1 row 7."""
    assert deployment_to_cloneset(deployment(paused=True)).obj["spec"]["updateStrategy"]["paused"] is True


def test_what_speaks_of_the_source_alone_stays_behind() -> None:
    """migration.md §11.1 rows 11 and 12, faults B007 and B009."""
    annotations = {
        "deployment.kubernetes.io/revision": "7",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "kubernetes.io/change-cause": "new logo",
        "argocd.argoproj.io/tracking-id": "shop:apps/Deployment:shop/web",
        "argocd.argoproj.io/sync-wave": "3",
        "reloader.stakater.com/auto": "true",
        "meta.helm.sh/release-name": "shop",
        "meta.helm.sh/release-namespace": "shop",
        "kruise-migrate/id": "m1",
    }
    labels = {
        "app": "web",
        "app.kubernetes.io/managed-by": "Helm",
        "kustomize.toolkit.fluxcd.io/name": "apps",
        "policy.kruise.io/delete-protection": "Always",
    }
    owners = [{"kind": "Shop", "name": "s", "controller": True}]
    source = deployment(
        {
            "annotations": annotations,
            "labels": labels,
            "finalizers": ["example.com/x"],
            "ownerReferences": owners,
        }
    )
    result = deployment_to_cloneset(source)
    assert result.obj["metadata"] == {
        "name": "web",
        "namespace": "shop",
        "labels": {"app": "web", "policy.kruise.io/delete-protection": "Always"},
        "annotations": {
            "kubernetes.io/change-cause": "new logo",
            "argocd.argoproj.io/sync-wave": "3",
            "reloader.stakater.com/auto": "true",
        },
    }
    assert {fate.path for fate in result.dropped} == {
        "metadata.labels[app.kubernetes.io/managed-by]",
        "metadata.labels[kustomize.toolkit.fluxcd.io/name]",
        "metadata.annotations[deployment.kubernetes.io/revision]",
        "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
        "metadata.annotations[argocd.argoproj.io/tracking-id]",
        "metadata.annotations[meta.helm.sh/release-name]",
        "metadata.annotations[meta.helm.sh/release-namespace]",
        "metadata.annotations[kruise-migrate/id]",
        "metadata.finalizers",
        "metadata.ownerReferences",
    }


def test_helm_marks_are_kept_where_they_are_wanted() -> None:
    annotations = {"meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "shop"}
    labels = {"app.kubernetes.io/managed-by": "Helm"}
    source = deployment({"annotations": annotations, "labels": labels})
    made = deployment_to_cloneset(source, Target(keep_helm=True)).obj
    assert (made["metadata"]["labels"], made["metadata"]["annotations"]) == (labels, annotations)


def test_the_hash_of_a_replicaset_is_stripped_from_template_and_selector() -> None:
    """migration.md §11.1 row 13."""
    labels = {"app": "web", "pod-template-hash": "5d9f"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "web:1"}]}}
    result = deployment_to_cloneset(deployment(selector={"matchLabels": labels}, template=template))
    assert result.obj["spec"]["selector"] == {"matchLabels": {"app": "web"}}
    assert result.obj["spec"]["template"]["metadata"]["labels"] == {"app": "web"}
    assert len(result.dropped) == 2
    assert labels == {"app": "web", "pod-template-hash": "5d9f"}, "the source is not touched"


def test_in_place_waits_for_the_endpoints_and_leaves_the_template_alone() -> None:
    """migration.md §3.7, §11.1 row 14."""
    result = deployment_to_cloneset(deployment(), Target(policy="InPlaceIfPossible"))
    strategy = result.obj["spec"]["updateStrategy"]
    assert (strategy["type"], strategy["inPlaceUpdateStrategy"]) == (
        "InPlaceIfPossible",
        {"gracePeriodSeconds": 10},
    )
    assert result.obj["spec"]["template"] == deployment()["spec"]["template"]


def test_template_fields_nobody_knows_survive() -> None:
    """fault B025."""
    template = {
        "metadata": {"labels": {"app": "web"}, "creationTimestamp": None},
        "spec": {
            "initContainers": [{"name": "i", "image": "i:1", "restartPolicy": "Always"}],
            "containers": [{"name": "main", "image": "web:1", "resizePolicy": [{"resourceName": "cpu"}]}],
            "hostUsers": False,
            "resourceClaims": [{"name": "gpu"}],
            "futureKnob": 1,
        },
    }
    assert deployment_to_cloneset(deployment(template=template)).obj["spec"]["template"] == template


def test_fields_of_the_spec_nobody_knows_are_dropped_with_a_word() -> None:
    source = deployment(podReplacementPolicy="TerminationComplete")
    assert unknown_fields(source) == ("spec.podReplacementPolicy",)
    assert [fate.path for fate in deployment_to_cloneset(source).dropped] == ["spec.podReplacementPolicy"]
    assert unknown_fields(deployment()) == ()


def test_a_long_min_ready_is_remarked() -> None:
    """kruise#1478 of migration.md §9."""
    assert [one.code for one in deployment_to_cloneset(deployment(minReadySeconds=301)).remarks] == [
        "W-MINREADY"
    ]
    assert deployment_to_cloneset(deployment(minReadySeconds=300)).remarks == ()


def test_the_report_counts_values_that_stay() -> None:
    """Here: replicas, selector, label, three of the container, history, deadline, two shares."""
    result = deployment_to_cloneset(deployment())
    assert (result.kept, result.changed, result.dropped) == (10, (), ())


def test_status_and_server_fields_never_follow() -> None:
    made = deployment_to_cloneset(deployment(), Target(name="shop-web")).obj
    assert dig(made, ("metadata", "name")) == "shop-web"
    assert not {"status"} & made.keys()
    assert not {"uid", "resourceVersion", "generation", "creationTimestamp"} & made["metadata"].keys()

"""What is checked of a workload and its pods before anything is done (migration.md §10, §11.2, §3.5)."""

from typing import Any

import pytest

from kubectl_kruise.engine.migration.checks.source import (
    check_in_place,
    check_replicaset,
    check_rollout,
    check_settled,
    check_source,
)
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload
from tests.convert import sources
from tests.engine.migration.objects import pod

OPERATOR = {"apiVersion": "example.com/v1", "kind": "App", "name": "shop", "uid": "a", "controller": True}


def failed(checks: Any) -> list[str]:
    return [check.code for check in checks if not check.passed]


def found(metadata: Raw | None = None, name: str = "web", **spec: Any) -> list[str]:
    live = sources.deployment(metadata, **spec)
    return failed(check_source(Workload(live, DEPLOYMENT), name))


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        pytest.param({}, [], id="nothing against it"),
        pytest.param({"name": "w" * 52}, [], id="52 characters"),
        pytest.param({"name": "w" * 53}, ["P-NAME"], id="row 32: 53 characters"),
        pytest.param({"metadata": {"ownerReferences": [OPERATOR]}}, ["P-OWNED"], id="row 35: of an operator"),
        pytest.param(
            {"metadata": {"annotations": {"meta.helm.sh/release-name": "shop"}}}, ["P-GITOPS"], id="row 36: Helm"
        ),
        pytest.param(
            {"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": "a:apps/Deployment:shop/web"}}},
            ["P-GITOPS"],
            id="Argo CD",
        ),
        pytest.param(
            {"metadata": {"labels": {"kustomize.toolkit.fluxcd.io/name": "apps"}}}, ["P-GITOPS"], id="Flux"
        ),
        pytest.param(
            {"metadata": {"labels": {"policy.kruise.io/delete-protection": "Always"}}}, ["P-PROTECT"], id="row 37"
        ),
        pytest.param({"metadata": {"finalizers": ["example.com/x"]}}, ["P-FINALIZER"], id="row 12: finalizers"),
        pytest.param({"strategy": {"type": "Recreate"}}, ["P-RECREATE"], id="row 5: Recreate"),
        pytest.param({"selector": {}}, ["P-SELECTOR"], id="an empty selector"),
        pytest.param({"selector": {"matchLabels": {"app": "x"}}}, ["P-SELECTOR"], id="a selector of others"),
        pytest.param(
            {"selector": {"matchLabels": {"app": "web", "controller-revision-hash": "x"}}},
            ["P-SELECTOR"],
            id="a selector by what a hand-over writes",
        ),
        pytest.param(
            {"selector": {"matchExpressions": [{"key": "pod-template-hash", "operator": "Exists"}]}},
            ["P-SELECTOR"],
            id="the same as an expression",
        ),
    ],
)  # fmt: skip
def test_the_workload_itself(given: dict[str, Any], codes: list[str]) -> None:
    assert found(**given) == codes


def _pod(name: str, **changes: Any) -> Raw:
    made = pod(name, "r")
    for part, values in changes.items():
        made[part] = {**made[part], **values}
    return made


def ready_pods(count: int) -> list[Raw]:
    return [pod(f"p{at}", "r") for at in range(count)]


UNREADY = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}}
GOING = {"metadata": {**pod("p9", "r")["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}


@pytest.mark.parametrize(
    ("pods", "revisions", "codes"),
    [
        pytest.param(ready_pods(3), ["web-1"], [], id="all there, all ready"),
        pytest.param(ready_pods(3), ["web-1", "web-2"], ["P-ROLLOUT"], id="row 31: two ReplicaSets with pods"),
        pytest.param(ready_pods(2), ["web-1"], ["P-COUNT"], id="one too few"),
        pytest.param(ready_pods(4), ["web-1"], ["P-COUNT"], id="one too many"),
        pytest.param([*ready_pods(2), _pod("p9", **UNREADY)], ["web-1"], ["P-READY"], id="one that is not ready"),
        pytest.param([*ready_pods(3), _pod("p9", **GOING)], ["web-1"], ["P-READY"], id="one on its way out"),
        pytest.param(
            [*ready_pods(3), _pod("p9", status={"phase": "Failed"})], ["web-1"], ["P-READY"], id="one that failed"
        ),
        pytest.param(
            [*ready_pods(2), pod("p9", "r", **{"apps.kruise.io/specified-delete": "true"})],
            ["web-1"],
            ["P-SPECDEL"],
            id="one that is labelled for deletion",
        ),
    ],
)  # fmt: skip
def test_a_workload_stands_still(pods: list[Raw], revisions: list[str], codes: list[str]) -> None:
    live = sources.deployment() | {"status": {"observedGeneration": 2}}
    assert failed(check_rollout(Workload(live, DEPLOYMENT), pods, revisions=revisions)) == codes


@pytest.mark.parametrize(
    ("metadata", "codes"),
    [
        pytest.param({}, [], id="nothing against it"),
        pytest.param({"finalizers": ["kruise-migrate/hold"]}, [], id="held by an earlier run"),
        pytest.param({"finalizers": ["example.com/x"]}, ["P-FINALIZER"], id="a finalizer of others"),
        pytest.param(
            {"labels": {"policy.kruise.io/delete-protection": "Always"}}, ["P-PROTECT"], id="protected"
        ),
    ],
)
def test_the_replicaset(metadata: Raw, codes: list[str]) -> None:
    assert failed(check_replicaset({"metadata": {"name": "web-1", **metadata}})) == codes


def test_a_change_that_is_held_back_is_a_rollout() -> None:
    live = Workload(sources.deployment(paused=True) | {"status": {"observedGeneration": 2}}, DEPLOYMENT)
    (check,) = [
        each
        for each in check_rollout(live, ready_pods(3), revisions=["web-1"], held_back=True)
        if not each.passed
    ]
    assert (check.code, check.evidence) == (
        "P-ROLLOUT",
        "its pods are of web-1, and its template has changed since",
    )
    assert check.fix == "kubectl kruise rollout resume deployment/web, or undo the change"


def test_pods_that_a_pause_keeps_away_are_not_waited_for() -> None:
    live = Workload(sources.deployment(paused=True) | {"status": {"observedGeneration": 2}}, DEPLOYMENT)
    (check,) = [each for each in check_rollout(live, [], revisions=[]) if not each.passed]
    assert (check.code, check.fix) == ("P-COUNT", "kubectl kruise rollout resume deployment/web")


def test_a_change_that_nobody_has_seen_yet_is_a_rollout() -> None:
    live = sources.deployment() | {"status": {"observedGeneration": 1}}
    assert failed(check_rollout(Workload(live, DEPLOYMENT), ready_pods(3), revisions=["web-1"])) == [
        "P-ROLLOUT"
    ]


@pytest.mark.parametrize(
    ("labels", "annotations", "codes"),
    [
        pytest.param({"lifecycle.apps.kruise.io/state": "Normal"}, {}, [], id="at rest"),
        pytest.param(
            {"lifecycle.apps.kruise.io/state": "PreparingDelete"}, {}, ["P-BACK"], id="held by a hook"
        ),
        pytest.param({}, {"apps.kruise.io/inplace-update-grace": "{}"}, ["P-BACK"], id="in grace"),
    ],
)
def test_pods_on_the_way_back_are_at_rest(
    labels: dict[str, str], annotations: dict[str, str], codes: list[str]
) -> None:
    one = pod("p1", "c", **labels)
    one["metadata"]["annotations"] = annotations
    assert failed(check_settled([one])) == codes


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param({"strategy": sources.rolling(0, 1)}, ["adopted pods lack the readiness gate"], id="always"),
        pytest.param({}, ["adopted pods lack the readiness gate", "with maxSurge 25%"], id="with a surge"),
        pytest.param(
            {
                "strategy": sources.rolling(0, 1),
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"initContainers": [{"name": "first"}]}},
            },
            ["adopted pods lack the readiness gate", "init containers do not run again"],
            id="row 14: with init containers",
        ),
    ],
)  # fmt: skip
def test_in_place_says_what_it_means(given: dict[str, Any], told: list[str]) -> None:
    checks = list(check_in_place(Workload(sources.deployment(**given), DEPLOYMENT)))

    assert [check.code for check in checks] == ["P-INPLACE"] * len(told)
    assert all(check.evidence.startswith(text) for check, text in zip(checks, told, strict=True))


@pytest.mark.parametrize("name", ["web", "w" * 60])
def test_a_cloneset_has_no_recreate_check_and_a_deployment_any_name(name: str) -> None:
    assert failed(check_source(Workload(sources.cloneset(), CLONESET), name)) == []

from typing import Any

import pytest

from kubectl_kruise.engine.changes.stewards import stewards_of

OWNER = {
    "apiVersion": "apps.kruise.io/v1alpha1",
    "kind": "UnitedDeployment",
    "name": "shop",
    "controller": True,
}


@pytest.mark.parametrize(
    ("meta", "found"),
    [
        pytest.param({}, (), id="nobody"),
        pytest.param(
            {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}},
            (),
            id="kubectl apply is a person",
        ),
        pytest.param(
            {"ownerReferences": [OWNER]}, ("UnitedDeployment shop",), id="an owner that controls it"
        ),
        pytest.param({"ownerReferences": [{**OWNER, "controller": False}]}, (), id="an owner that does not"),
        pytest.param(
            {"annotations": {"argocd.argoproj.io/tracking-id": "shop-prod:apps/Deployment:shop/web"}},
            ("Argo CD application shop-prod",),
            id="Argo CD by annotation",
        ),
        pytest.param(
            {"labels": {"argocd.argoproj.io/instance": "shop-prod"}},
            ("Argo CD application shop-prod",),
            id="by label",
        ),
        pytest.param(
            {"labels": {"kustomize.toolkit.fluxcd.io/name": "apps"}}, ("Flux Kustomization apps",), id="Flux"
        ),
        pytest.param(
            {
                "labels": {"helm.toolkit.fluxcd.io/name": "web", "app.kubernetes.io/managed-by": "Helm"},
                "annotations": {"meta.helm.sh/release-name": "web"},
            },
            ("Flux HelmRelease web",),
            id="Helm by Flux is Flux's",
        ),
        pytest.param(
            {
                "labels": {"app.kubernetes.io/managed-by": "Helm"},
                "annotations": {"meta.helm.sh/release-name": "rel-7"},
            },
            ("Helm release rel-7",),
            id="Helm",
        ),
        pytest.param(
            {
                "managedFields": [
                    {"manager": "stack-operator", "operation": "Apply"},
                    {"manager": "kubectl", "operation": "Apply"},
                    {"manager": "kube-controller-manager", "operation": "Update"},
                ]
            },
            ("field manager stack-operator",),
            id="an operator by server-side apply",
        ),
    ],
)
def test_those_who_may_revert_an_edit_are_named(meta: dict[str, Any], found: tuple[str, ...]) -> None:
    assert stewards_of({"metadata": meta}) == found

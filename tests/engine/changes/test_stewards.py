from typing import Any

import pytest

from kubectl_kruise.engine.changes.stewards import migration_of, stewards_of, way_on

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


@pytest.mark.parametrize(
    ("annotations", "found"),
    [
        pytest.param({}, "", id="none"),
        pytest.param({"kruise-migrate/source": "StatefulSet/db/u1"}, "", id="one that has ended"),
        pytest.param(
            {"kruise-migrate/id": "6e1b", "kruise-migrate/source": "StatefulSet/db/u1"},
            "the unfinished migration of StatefulSet db",
            id="one that goes on",
        ),
        pytest.param(
            {"kruise-migrate/id": "6e1b"}, "an unfinished migration", id="of a source that nobody noted"
        ),
    ],
)
def test_a_migration_that_holds_an_object_is_named(annotations: dict[str, str], found: str) -> None:
    assert migration_of({"metadata": {"annotations": annotations}}) == found


@pytest.mark.parametrize(
    ("kind", "annotations", "command"),
    [
        pytest.param(
            "StatefulSet", {"kruise-migrate/source": "StatefulSet/db/u1"}, "", id="one that has ended"
        ),
        pytest.param("StatefulSet", {"kruise-migrate/id": "6e1b"}, "", id="of a source that nobody noted"),
        pytest.param(
            "StatefulSet",
            {"kruise-migrate/id": "6e1b", "kruise-migrate/source": "StatefulSet/db/u1"},
            "kubectl kruise migrate statefulset/db -n shop --resume, or --rollback",
            id="of a set",
        ),
        pytest.param(
            "CloneSet",
            {"kruise-migrate/id": "6e1b", "kruise-migrate/source": "Deployment/web/u1"},
            "kubectl kruise migrate deployment/web -n shop --resume, or --rollback",
            id="of a Deployment, whatever the CloneSet is called",
        ),
    ],
)
def test_the_command_that_ends_a_migration(kind: str, annotations: dict[str, str], command: str) -> None:
    meta = {"name": "other", "namespace": "shop", "annotations": annotations}
    assert way_on({"kind": kind, "metadata": meta}) == command

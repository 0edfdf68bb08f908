"""Deployments from files are read as a server would have stored them (migration.md §3.6)."""

import copy
from typing import Any

import pytest

from kubectl_kruise.convert.defaults import fill_deployment
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.objects.raw import Raw, dig


def manifest(image: str = "app:1.2", **spec: Any) -> Raw:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": image}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template, **spec},
    }


def test_what_kruise_would_default_otherwise_is_written() -> None:
    """migration.md §11.1 row 9, fault B013."""
    source = manifest()
    before = copy.deepcopy(source)
    spec = fill_deployment(source)["spec"]
    assert spec["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
    }
    assert (spec["replicas"], spec["revisionHistoryLimit"], spec["progressDeadlineSeconds"]) == (1, 10, 600)
    assert spec["template"]["spec"]["containers"][0]["imagePullPolicy"] == "IfNotPresent"
    assert source == before


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        pytest.param("app", "Always", id="migration.md §11.1 row 10: no tag"),
        pytest.param("app:latest", "Always", id="a tag that moves"),
        pytest.param("registry:5000/app", "Always", id="a port is no tag"),
        pytest.param("app@sha256:0123", "IfNotPresent", id="a digest"),
    ],
)
def test_pull_policies_are_those_of_kubernetes(image: str, policy: str) -> None:
    filled = fill_deployment(manifest(image))
    assert dig(filled, ("spec", "template", "spec", "containers", 0, "imagePullPolicy")) == policy


def test_zero_replicas_stay_zero() -> None:
    """fault B003."""
    assert fill_deployment(manifest(replicas=0))["spec"]["replicas"] == 0


def test_recreate_gets_no_shares() -> None:
    assert fill_deployment(manifest(strategy={"type": "Recreate"}))["spec"]["strategy"] == {
        "type": "Recreate"
    }


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        pytest.param(
            {"minReadySeconds": 600, "progressDeadlineSeconds": 600},
            "spec.progressDeadlineSeconds (600) must be greater than spec.minReadySeconds (600)",
            id="migration.md §11.1 row 8",
        ),
        pytest.param({"selector": {"matchLabels": {}}}, "spec.selector is empty", id="P-SELECTOR: empty"),
        pytest.param(
            {"selector": {"matchLabels": {"app": "other"}}},
            "spec.selector does not match the labels of spec.template",
            id="P-SELECTOR: matches another template",
        ),
        pytest.param(
            {"template": {"metadata": {"labels": {"app": "web"}}}}, "containers is missing", id="no pods"
        ),
    ],
)
def test_what_no_server_would_store_is_refused(spec: Raw, text: str) -> None:
    with pytest.raises(RefusedError, match='deployment "web"') as refused:
        fill_deployment(manifest(**spec))
    assert text in refused.value.message

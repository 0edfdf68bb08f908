"""Deployments of versions that servers no longer know are read with the defaults they had then (migration.md §3.6)."""

import pytest

from kubectl_kruise.convert.defaults import fill_cloneset, fill_deployment
from kubectl_kruise.convert.deployment import Target, deployment_to_cloneset
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.objects.raw import Raw
from tests.convert.sources import cloneset, deployment, rolling


def of(version: str) -> Raw:
    made = deployment(strategy=None, revisionHistoryLimit=None, progressDeadlineSeconds=None, selector=None)
    return {**made, "apiVersion": version}


@pytest.mark.parametrize(
    ("version", "strategy", "history", "deadline"),
    [
        pytest.param("extensions/v1beta1", rolling(1, 1), 2147483647, 2147483647, id="extensions/v1beta1"),
        pytest.param("apps/v1beta1", rolling("25%", "25%"), 2, 600, id="apps/v1beta1"),
    ],
)
def test_what_was_unsaid_then(version: str, strategy: Raw, history: int, deadline: int) -> None:
    made = fill_deployment(of(version))
    spec = made["spec"]
    assert (spec["strategy"], spec["revisionHistoryLimit"], spec["progressDeadlineSeconds"]) == (
        strategy,
        history,
        deadline,
    )
    assert spec["selector"] == {"matchLabels": {"app": "web"}}
    assert made["apiVersion"] == "apps/v1"
    assert deployment_to_cloneset(made, Target()).obj["kind"] == "CloneSet"


@pytest.mark.parametrize("version", ["apps/v1beta2", "apps/v1"])
def test_later_versions_want_a_selector(version: str) -> None:
    with pytest.raises(RefusedError, match=r"spec\.selector"):
        fill_deployment(of(version))


def test_a_cloneset_pulls_always_unless_it_says_otherwise() -> None:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {
            "containers": [{"name": "a", "image": "a:1"}, {"name": "b", "imagePullPolicy": "Never"}],
            "initContainers": [{"name": "i", "image": "i:1"}],
        },
    }
    spec = fill_cloneset(cloneset(template=template))["spec"]["template"]["spec"]
    assert [each["imagePullPolicy"] for each in spec["containers"]] == ["Always", "Never"]
    assert spec["initContainers"][0]["imagePullPolicy"] == "IfNotPresent"


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        pytest.param({"replicas": "3"}, "spec.replicas is '3', which is no number of 0 or more", id="text"),
        pytest.param({"replicas": -1}, "spec.replicas is -1", id="negative"),
        pytest.param({"replicas": True}, "spec.replicas is True", id="a truth"),
        pytest.param({"selector": ["app"]}, r"spec.selector is \['app'\], which is no map", id="a list"),
        pytest.param({"template": "web"}, "spec.template is 'web'", id="no template"),
        pytest.param({"strategy": "Recreate"}, "spec.strategy is 'Recreate'", id="no strategy"),
        pytest.param({"template": {"spec": {"containers": {"a": 1}}}}, "containers is no list", id="a map"),
        pytest.param({"template": {"spec": {"containers": ["a"]}}}, "containers is no list", id="names"),
        pytest.param({"template": None}, "does not match the labels", id="nothing at all"),
    ],
)
def test_what_is_no_deployment_is_refused_by_its_field(spec: Raw, text: str) -> None:
    source = deployment()
    source["spec"].update(spec)
    with pytest.raises(RefusedError, match=text):
        fill_deployment(source)

"""CloneSets in two versions, as the API server shows and stores them (cloneset.md §1.8)."""

from typing import Any

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.errors import ServerError
from kubectl_kruise.facts.crds.definitions import definition
from kubectl_kruise.facts.kinds import CLONESET, CRD
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.sandbox.embedded import Sandbox

TEMPLATE = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "main", "image": "nginx:1.25"}]},
}


def path(version: str, name: str = "", subresource: str = "") -> str:
    return CLONESET.path("default", name, version=version, subresource=subresource)


def create(client: Client, version: str, **spec: Any) -> Any:
    body = {"apiVersion": f"apps.kruise.io/{version}", "kind": "CloneSet", "metadata": {"name": "web"}}
    full = {"replicas": 4, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE, **spec}
    return client.create(path(version), {**body, "spec": full})


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox(release=Release.MAIN)


@pytest.fixture
def client(sandbox: Sandbox) -> Client:
    return sandbox.client()


def test_lists_and_watches_are_in_the_version_asked_for(client: Client) -> None:
    made = create(client, "v1alpha1", updateStrategy={"type": "InPlaceOnly"})
    older, newer = (client.list(path(version))["items"][0] for version in ("v1alpha1", "v1beta1"))

    (change,) = client.watch(
        path("v1beta1"), str(int(made["metadata"]["resourceVersion"]) - 1), follow=False, timeout=1
    )

    assert older["spec"]["updateStrategy"]["type"] == "InPlaceOnly"
    assert newer["spec"]["updateStrategy"]["rollingUpdate"]["podUpdatePolicy"] == "InPlaceOnly"
    assert change.object["spec"] == newer["spec"]


def test_a_write_through_v1alpha1_loses_what_it_cannot_say_and_leaves_the_generation(client: Client) -> None:
    """cs-268"""
    create(client, "v1beta1", scaleStrategy={"excludePreparingDelete": True})

    client.replace(path("v1alpha1", "web"), client.get(path("v1alpha1", "web")))

    live = client.get(path("v1beta1", "web"))
    assert live["spec"]["scaleStrategy"] == {"enablePVCReuse": False}
    assert live["metadata"]["generation"] == 1


def test_a_surge_without_unavailability_is_for_v1alpha1_alone(client: Client) -> None:
    """cloneset.md §28 ex. 58"""
    create(client, "v1alpha1", updateStrategy={"maxUnavailable": 0, "maxSurge": 1})
    label = Patch(PatchType.MERGE, {"metadata": {"labels": {"a": "b"}}})

    client.patch(path("v1alpha1", "web"), label)
    with pytest.raises(ServerError) as refused:
        client.patch(path("v1beta1", "web"), Patch(PatchType.MERGE, {"metadata": {"labels": {"a": "c"}}}))

    assert "spec.updateStrategy.rollingUpdate.maxUnavailable" in "".join(refused.value.lines())


def test_subresources_work_through_both_versions(client: Client) -> None:
    """cs-270: the webhooks do not see them."""
    create(client, "v1beta1", updateStrategy={"type": "OnDelete"})

    client.patch(path("v1alpha1", "web", "scale"), Patch(PatchType.MERGE, {"spec": {"replicas": 7}}))

    live = client.get(path("v1beta1", "web"))["spec"]
    assert (live["replicas"], live["updateStrategy"]) == (7, {"type": "OnDelete"})


def test_what_was_stored_before_an_upgrade_is_shown_without_defaults_until_it_is_written() -> None:
    """cloneset.md §1.8"""
    client = Sandbox().client()
    create(client, "v1alpha1", scaleStrategy={"disablePVCReuse": True})
    crd = client.get(CRD.path(name=CLONESET.resource))
    spec = definition(CLONESET, Release.MAIN, converted=True)["spec"]
    client.replace(CRD.path(name=CLONESET.resource), {**crd, "spec": spec})

    before = client.get(path("v1beta1", "web"))
    written = client.replace(path("v1beta1", "web"), before)

    assert before["spec"]["scaleStrategy"] == {}
    assert written["spec"]["scaleStrategy"] == {"enablePVCReuse": False}
    assert client.get(path("v1alpha1", "web"))["spec"]["scaleStrategy"] == {"disablePVCReuse": True}


def test_without_a_webhook_versions_differ_in_their_name_alone() -> None:
    """sandbox-apiserver.md CR11"""
    client = Sandbox(release=Release.MAIN, webhooks=False).client()

    assert client.served("apps.kruise.io", "clonesets") == ("v1beta1",)

"""Webhooks of Kruise that stand behind feature gates: deletions, pull jobs, budgets (install.md §10, small-kinds.md §2.3)."""

from typing import Any

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import DryRun, Patch, PatchType
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.errors import KruiseError, NotAllowedError
from kubectl_kruise.facts.kinds import (
    CLONESET,
    CRD,
    DEPLOYMENT,
    EVENT,
    IMAGE_PULL_JOB,
    NAMESPACE,
    POD,
    PVC,
    SERVICE,
    STATEFULSET,
)
from kubectl_kruise.facts.kinds import POD_UNAVAILABLE_BUDGET as BUDGET
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.embedded import Sandbox

LABEL = "policy.kruise.io/delete-protection"
PROTECTING = Gates(deletion_protection=True)
TEMPLATE = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "main", "image": "a:1"}]},
}
WORKLOAD = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE, "replicas": 2}


def make(client: Client, path: str, api_version: str, kind: str, **body: Any) -> Raw:
    meta = {"name": "web", **body.pop("metadata", {})}
    return client.create(path, {"apiVersion": api_version, "kind": kind, "metadata": meta, **body})


def refusal(client: Client, path: str, **how: Any) -> str:
    """The words of the refusal, "" where the deletion goes through."""
    try:
        client.delete(path, **how)
    except NotAllowedError as error:
        return str(error.status["message"])
    return ""


def denied(webhook: str, why: str) -> str:
    return f'admission webhook "{webhook}.kb.io" denied the request: {why}'


REFUSED = f"forbidden by ResourcesProtectionDeletion for {LABEL}"


@pytest.mark.parametrize(
    ("kind", "api_version", "webhook"),
    [
        (CLONESET, "apps.kruise.io/v1alpha1", "vcloneset"),
        (STATEFULSET, "apps.kruise.io/v1beta1", "vstatefulset"),
        (DEPLOYMENT, "apps/v1", "vbuiltindeployment"),
    ],
    ids=["cloneset", "statefulset", "deployment"],
)
def test_workloads_with_replicas(kind: Any, api_version: str, webhook: str) -> None:
    client = Sandbox(gates=PROTECTING).client()
    make(
        client, kind.path("default"), api_version, kind.kind,
        metadata={"labels": {LABEL: "Cascading"}}, spec=WORKLOAD,
    )  # fmt: skip
    path = kind.path("default", "web")
    said = denied(webhook, f"{REFUSED}=Cascading and replicas 2>0")

    assert refusal(client, path, options={"propagationPolicy": "Orphan"}) == said
    assert refusal(client, path, dry_run=DryRun.SERVER) == said
    assert refusal(client, kind.path("default")) == said
    client.patch(path, Patch(PatchType.MERGE, {"spec": {"replicas": 0}}))
    assert refusal(client, path) == ""


def test_by_default_the_label_protects_nothing() -> None:
    client = Sandbox().client()
    make(
        client, CLONESET.path("default"), "apps.kruise.io/v1alpha1", "CloneSet",
        metadata={"labels": {LABEL: "Always"}}, spec=WORKLOAD,
    )  # fmt: skip

    assert refusal(client, CLONESET.path("default", "web")) == ""


def test_a_namespace_with_pods_or_claims() -> None:
    client = Sandbox(gates=PROTECTING).client()
    make(client, NAMESPACE.path(), "v1", "Namespace", metadata={"labels": {LABEL: "Cascading"}})
    make(client, POD.path("web"), "v1", "Pod", spec=TEMPLATE["spec"])
    path = NAMESPACE.path(name="web")

    assert refusal(client, path) == denied("vnamespace", f"{REFUSED}=Cascading and active pods 1>0")
    client.delete(POD.path("web", "web"))
    access = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    make(client, PVC.path("web"), "v1", "PersistentVolumeClaim", spec=access)
    bound = Patch(PatchType.MERGE, {"status": {"phase": "Bound"}})
    client.patch(PVC.path("web", "web", subresource="status"), bound)
    assert refusal(client, path) == denied("vnamespace", f"{REFUSED}=Cascading and bound pvc 1>0")
    client.delete(PVC.path("web", "web"))
    assert refusal(client, path) == ""


@pytest.mark.parametrize(
    ("gates", "why"),
    [
        (PROTECTING, "feature-gate DeletionProtectionForCRDCascadingGate is not enabled"),
        (Gates(deletion_protection=True, crd_cascading=True), f"{REFUSED}=Cascading and active CR 1>0"),
    ],
    ids=["its gate is off", "its gate is on"],
)
def test_a_definition_with_objects(gates: Gates, why: str) -> None:
    client = Sandbox(gates=gates).client()
    path = CRD.path(name=CLONESET.resource)
    client.patch(path, Patch(PatchType.MERGE, {"metadata": {"labels": {LABEL: "Cascading"}}}))
    make(client, CLONESET.path("default"), "apps.kruise.io/v1alpha1", "CloneSet", spec=WORKLOAD)

    assert refusal(client, path) == denied("vcustomresourcedefinition", why)


def test_a_service_knows_only_always() -> None:
    client = Sandbox(gates=PROTECTING).client()
    spec = {"ports": [{"port": 80}]}
    make(client, SERVICE.path("default"), "v1", "Service", metadata={"labels": {LABEL: "Always"}}, spec=spec)
    path = SERVICE.path("default", "web")

    assert refusal(client, path) == denied("vservice", f"{REFUSED}=Always")
    client.patch(path, Patch(PatchType.MERGE, {"metadata": {"labels": {LABEL: "Cascading"}}}))
    assert refusal(client, path) == ""


@pytest.mark.parametrize("version", IMAGE_PULL_JOB.versions)
def test_pull_jobs_want_their_gate(version: str) -> None:
    client = Sandbox().client()
    path = IMAGE_PULL_JOB.path("default", version=version)
    suffix = "-v1beta1" if version == "v1beta1" else ""
    spec = {"image": "a:1", "completionPolicy": {}}

    with pytest.raises(KruiseError) as refused:
        make(client, path, f"apps.kruise.io/{version}", "ImagePullJob", spec=spec)
    assert refused.value.status["message"] == denied(
        f"vimagepulljob{suffix}", "feature-gate ImagePullJobGate is not enabled"
    )


def test_pull_secrets_are_fixed() -> None:
    client = Sandbox(gates=Gates(image_pull_jobs=True)).client()
    spec = {"image": "a:1", "completionPolicy": {}, "pullSecrets": ["one"]}
    make(client, IMAGE_PULL_JOB.path("default"), "apps.kruise.io/v1beta1", "ImagePullJob", spec=spec)
    path = IMAGE_PULL_JOB.path("default", "web")

    client.patch(path, Patch(PatchType.MERGE, {"spec": {"image": "a:2"}}))
    with pytest.raises(NotAllowedError) as refused:
        client.patch(path, Patch(PatchType.MERGE, {"spec": {"pullSecrets": ["two"]}}))
    assert refused.value.status["message"] == denied("vimagepulljob-v1beta1", "spec.pullSecrets is immutable")


def guarded(gates: Gates, allowed: int, **meta: Any) -> Client:
    """A running pod of a budget that lets so many go."""
    client = Sandbox(gates=gates).client()
    spec = {"selector": {"matchLabels": {"app": "web"}}, "maxUnavailable": 1}
    make(client, BUDGET.path("default"), "policy.kruise.io/v1alpha1", "PodUnavailableBudget", spec=spec)
    status = {"unavailableAllowed": allowed, "desiredAvailable": 1, "currentAvailable": 1, "totalReplicas": 1}
    client.patch(
        BUDGET.path("default", "web", subresource="status"), Patch(PatchType.MERGE, {"status": status})
    )
    make(
        client, POD.path("default"), "v1", "Pod",
        metadata={"labels": {"app": "web"}, **meta}, spec={**TEMPLATE["spec"], "nodeName": "n"},
    )  # fmt: skip
    running = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    client.patch(
        POD.path("default", "web", subresource="status"), Patch(PatchType.MERGE, {"status": running})
    )
    return client


def evict(client: Client, **options: Any) -> None:
    body = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": "web"},
        "deleteOptions": options,
    }
    client.create(POD.path("default", "web", subresource="eviction"), body)


def booked(client: Client) -> list[str]:
    return list(client.get(BUDGET.path("default", "web"))["status"].get("disruptedPods") or {})


NOTHING_LEFT = 'podunavailablebudget.policy.kruise.io "web" is forbidden: pub unavailable allowed is negative'


def test_new_pods_are_marked_with_their_budget() -> None:  # P-12
    client = guarded(Gates(), 1)

    assert client.get(POD.path("default", "web"))["metadata"]["annotations"] == {
        "kruise.io/related-pub": "web"
    }


def test_deletions_and_evictions_beyond_the_budget_are_403() -> None:  # P-5, P-7
    client = guarded(Gates(), 0)

    assert refusal(client, POD.path("default", "web")) == denied("vpod", NOTHING_LEFT)
    with pytest.raises(NotAllowedError) as refused:
        evict(client)
    assert refused.value.status["message"] == denied("vpodeviction", NOTHING_LEFT)
    (event,) = client.list(EVENT.path("default"))["items"]
    assert (event["involvedObject"]["name"], event["reason"]) == ("web", "PubPreventPodDeletion")
    assert (event["source"], event["count"]) == ({"component": "pub-controller"}, 2)


def test_a_permission_is_on_record_before_the_pod_goes() -> None:  # P-10
    client = guarded(Gates(), 1)
    client.delete(POD.path("default", "web"), dry_run=DryRun.SERVER)
    assert booked(client) == []

    evict(client, dryRun=["All"])
    assert booked(client) == ["web"]
    client.delete(POD.path("default", "web"))
    assert client.get(BUDGET.path("default", "web"))["status"]["unavailableAllowed"] == 0


@pytest.mark.parametrize(
    ("gates", "code"),
    [(Gates(), 200), (Gates(budgets_hold_updates=True), 403)],
    ids=["by default updates are free", "under the gate they are not"],
)
def test_updates(gates: Gates, code: int) -> None:  # P-9
    client = guarded(gates, 0)
    path = POD.path("default", "web")
    client.patch(path, Patch(PatchType.MERGE, {"metadata": {"labels": {"a": "b"}}}))
    change = Patch(PatchType.STRATEGIC, {"spec": {"containers": [{"name": "main", "image": "a:2"}]}})

    if code == 200:
        assert client.patch(path, change)["spec"]["containers"][0]["image"] == "a:2"
    else:
        with pytest.raises(NotAllowedError) as refused:
            client.patch(path, change)
        assert refused.value.status["message"] == denied("vpod", NOTHING_LEFT)


def test_without_pod_webhooks_no_budget_is_asked() -> None:
    client = guarded(Gates(pod_webhook=False, budgets_hold_deletions=False), 0)

    assert "annotations" not in client.get(POD.path("default", "web"))["metadata"]
    assert refusal(client, POD.path("default", "web")) == ""

"""`rollout status` of a rollout that a PodUnavailableBudget holds up: it says so (cloneset.md §14.5)."""

import json
from typing import Any

import pytest

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.facts.kinds import CLONESET, POD, POD_UNAVAILABLE_BUDGET
from tests.verbs.conftest import Shell

WHY = "PodUnavailableBudget pub lets no further pod be unavailable: 1 needed, 1 available"


def status(shell: Shell, path: str, **fields: Any) -> None:
    shell.admin.patch(f"{path}/status", Patch(PatchType.MERGE, {"status": fields}))


def hold(shell: Shell, *, allowed: int = 0, mark: str = "pub", protects: str = "DELETE,UPDATE") -> None:
    """Set up one old pod of a CloneSet that is to be updated, and its budget."""
    uid = shell.cloneset(replicas=1)["metadata"]["uid"]
    status(
        shell, CLONESET.path("shop", "web"), observedGeneration=1, replicas=1, readyReplicas=1, availableReplicas=1,
        updatedReplicas=0, updatedReadyReplicas=0, updateRevision="web-new", currentRevision="web-old",
    )  # fmt: skip
    owner = {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "name": "web",
        "uid": uid,
        "controller": True,
    }
    meta = {
        "name": "web-a",
        "labels": {"app": "web", "controller-revision-hash": "web-old"},
        "annotations": {"kruise.io/related-pub": mark},
        "ownerReferences": [owner],
    }
    spec = {"containers": [{"name": "app", "image": "shop/web:1"}], "nodeName": "n"}
    shell.admin.create(POD.path("shop"), {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
    ready = [{"type": kind, "status": "True"} for kind in ("Ready", "KruisePodReady")]
    status(shell, POD.path("shop", "web-a"), phase="Running", conditions=ready)
    body = {
        "apiVersion": "policy.kruise.io/v1alpha1",
        "kind": "PodUnavailableBudget",
        "metadata": {"name": "pub", "annotations": {"kruise.io/pub-protect-operations": protects}},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 1},
    }
    shell.admin.create(POD_UNAVAILABLE_BUDGET.path("shop"), body)
    path = POD_UNAVAILABLE_BUDGET.path("shop", "pub")
    status(shell, path, desiredAvailable=1, currentAvailable=1, totalReplicas=1, unavailableAllowed=allowed)


def test_one_look_names_the_budget(shell: Shell) -> None:
    hold(shell)

    code, out, _ = shell.run(["rollout", "status", "cs/web", "--watch=false"])
    assert code == 0
    assert out.splitlines()[1:] == [f"  {WHY}"]


def test_so_does_the_record(shell: Shell) -> None:
    hold(shell)

    _, out, _ = shell.run(["rollout", "status", "cs/web", "--watch=false", "-o", "json"])
    assert json.loads(out)["heldBy"] == WHY


def test_and_the_end_of_a_wait_in_vain(shell: Shell) -> None:
    hold(shell)

    code, out, _ = shell.run(["rollout", "status", "cs/web", "--timeout", "1m"])
    assert code == 124
    assert out.splitlines()[-1].endswith(f"held-by={json.dumps(WHY)}")


def test_pods_too_many_wait_for_their_deletion(shell: Shell) -> None:
    hold(shell, protects="DELETE")
    shell.admin.patch(CLONESET.path("shop", "web"), Patch(PatchType.MERGE, {"spec": {"replicas": 0}}))
    status(shell, CLONESET.path("shop", "web"), observedGeneration=2, updateRevision="web-old")

    assert f"  {WHY}" in shell.run(["rollout", "status", "cs/web", "--watch=false"])[1]


@pytest.mark.parametrize(
    "how",
    [{"allowed": 1}, {"mark": "other"}, {"protects": "DELETE"}],
    ids=["it lets one go", "another budget, which is not there", "updates are not its matter"],
)
def test_a_budget_that_holds_nothing_is_not_named(shell: Shell, how: dict[str, Any]) -> None:
    hold(shell, **how)

    assert "Budget" not in shell.run(["rollout", "status", "cs/web", "--watch=false"])[1]

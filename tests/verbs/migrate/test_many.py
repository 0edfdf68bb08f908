"""Several workloads at once: one question, one row each, the worst outcome is the exit code."""

import json
import re

from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from tests.verbs.migrate.conftest import Desk


def test_one_that_is_refused_does_not_stop_the_others(desk: Desk) -> None:
    desk.another("api", 1)
    desk.another("owned", 1, finalizers=["example.com/x"])
    answer = desk.run("deployment --all --settle 0 --yes")
    assert answer.code == 3
    refusal = 'cannot migrate deployment "owned": it has finalizers: example.com/x (P-FINALIZER)'
    assert rows(answer.out) == [
        ["NAMESPACE", "SOURCE", "TARGET", "OUTCOME", "PODS KEPT", "LOWEST READY", "TOOK", "MESSAGE"],
        ["shop", "deployment/api", "cloneset/api", "migrated", "1", "1", "TIME"],
        ["shop", "deployment/owned", "cloneset/owned", "refused", "0", "-", "TIME", refusal],
        ["shop", "deployment/web", "cloneset/web", "migrated", "2", "2", "TIME"],
    ]
    assert f"error: {refusal}\n" in answer.err
    assert desk.get(DEPLOYMENT, "owned")
    assert desk.world.owners() == {"CloneSet", "ReplicaSet"}


def rows(text: str) -> list[list[str]]:
    text = re.sub(r"\b\d+\.\ds\b", "TIME", text)
    return [[cell.strip() for cell in line.split("   ") if cell.strip()] for line in text.splitlines()]


def test_labels_and_names_choose(desk: Desk) -> None:
    desk.another("api", 1)
    assert desk.run("deployment -l app=api --settle 0 --yes").code == 0
    assert desk.get(CLONESET, "api")
    assert desk.world.cloneset is None
    assert desk.run("deployment/web cloneset/api --settle 0 --yes").code == 0
    assert (desk.world.cloneset is not None, desk.get(DEPLOYMENT, "api")["spec"]["replicas"]) == (True, 1)


def test_begun_ones_are_found_though_their_sources_are_gone(desk: Desk) -> None:
    desk.another("api", 1)
    desk.run("deployment --all --settle 0 --yes")
    assert [item["source"]["name"] for item in desk.json("--status")["items"]] == ["api", "web"]
    assert desk.json("deployments -l app=api --status")["source"]["name"] == "api"
    undone = desk.run("deployments -l app=api --rollback --yes")
    assert (undone.code, undone.out) == (0, "deployment.apps/api rolled back\n")
    assert desk.run("cleanup --all -A --yes").out == "deployment.apps/web cleaned up\n"


def test_all_namespaces(desk: Desk) -> None:
    answer = desk.run("deployments --all -A --settle 0 --yes")
    assert (answer.code, answer.out) == (0, "deployment.apps/web migrated to cloneset.apps.kruise.io/web\n")


def test_several_at_the_same_time_end_like_one_after_the_other(desk: Desk) -> None:
    for name in ("api", "job"):
        desk.another(name, 1)
    before = desk.world.marks()
    answer = desk.run("deployment --all --concurrency 3 --settle 0 --yes -o json")
    assert answer.code == 0
    records = json.loads(answer.out)
    assert records["kind"] == "MigrationStatusList"
    assert {item["outcome"] for item in records["items"]} == {"migrated"}
    assert (desk.world.marks(), desk.world.owners()) == (before, {"CloneSet"})

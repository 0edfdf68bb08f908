"""Interrupted, looked at, gone on with, undone, cleaned up (cli.md §3.7, migration.md §4.4)."""

import json
import os
import signal
from pathlib import Path

import pytest

from kubectl_kruise.cluster.port import Request
from kubectl_kruise.facts.kinds import CLONESET, CONFIGMAP, DEPLOYMENT, HPA, POD, SECRET
from kubectl_kruise.objects.raw import uid_of
from tests.verbs.migrate.conftest import Desk

JOURNAL = "kruise-migrate-deployment-web"
GO_ON = "kubectl kruise migrate deployment/web -n shop --resume --yes"
UNDO = "kubectl kruise migrate deployment/web -n shop --rollback --yes"


def interrupt(desk: Desk, line: str, number: int, *, pods: int) -> tuple[int, str]:
    """Run a command and send it a signal while it patches the pod of that number."""

    def before(request: Request) -> None:
        if request.method == "PATCH" and "/pods/" in request.target and "dryRun" not in request.target:
            patched.append(request.target)
            if len(patched) == pods:
                os.kill(os.getpid(), number)

    patched: list[str] = []
    desk.transport.before = before
    answer = desk.run(line)
    desk.transport.before = lambda _: None
    return answer.code, answer.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_first_signal_lets_the_request_end_and_tells_how_to_go_on(
    number: int, code: int, desk: Desk
) -> None:
    before = desk.world.marks()
    found, said = interrupt(desk, "deployment/web --yes", number, pods=1)
    assert found == code
    assert f"to go on from here: {GO_ON}\nto undo it: {UNDO}\n" in said
    assert f"error: stopped by {signal.Signals(number).name}\n" in said
    assert desk.json("deployment/web --status")["phase"] == "Armed"

    assert desk.run("deployment/web --resume").code == 0
    assert (desk.world.marks(), desk.world.owners()) == (before, {"CloneSet"})


def test_the_same_command_goes_on_and_counts_the_pods_of_now(desk: Desk) -> None:
    interrupt(desk, "deployment/web --yes", signal.SIGINT, pods=1)
    answer = desk.run("deployment/web --yes")
    assert answer.code == 0
    assert "2 pods kept, 0 lost, 0 restarted\n" in answer.err


def test_a_pod_that_somebody_deletes_meanwhile_is_counted_as_lost(desk: Desk) -> None:
    names = sorted(pod["metadata"]["name"] for pod in desk.world.pods)

    def evict(request: Request) -> None:
        path, _, query = request.target.partition("?")
        if request.method == "PATCH" and path.endswith(names[0]) and "dryRun" not in query:
            desk.transport.before = lambda _: None
            desk.world.cluster.delete(POD.path("shop", names[1]), options={"gracePeriodSeconds": 0})

    desk.transport.before = evict
    answer = desk.run("deployment/web --yes")
    assert answer.code == 0
    assert "1 pods kept, 1 lost, 0 restarted\n" in answer.err
    assert f"deleted by somebody else meanwhile, and made anew: {names[1]}\n" in answer.err
    assert len(desk.world.pods) == 2


def test_a_rollback_that_was_interrupted_is_gone_on_with(desk: Desk) -> None:
    before = desk.world.marks()
    desk.run("deployment/web --yes --settle 0")
    code, said = interrupt(desk, "deployment/web --rollback --yes", signal.SIGINT, pods=1)
    assert code == 130
    assert f"to go on from here: {UNDO}\n" in said
    record = desk.json("deployment/web --status")
    assert (record["outcome"], record["phase"], record["next"]) == (
        "undoing", "Undoing", UNDO.removesuffix(" --yes"),
    )  # fmt: skip
    assert desk.run("cleanup deployment/web").code == 3
    assert desk.run("deployment/web --resume").out == "deployment.apps/web rolled back\n"
    assert (desk.world.marks(), desk.world.owners()) == (before, {"ReplicaSet"})


def test_an_interrupted_one_can_be_undone(desk: Desk) -> None:
    before = desk.world.marks()
    interrupt(desk, "deployment/web --yes", signal.SIGTERM, pods=2)
    assert desk.run("deployment/web --rollback --yes").code == 0
    assert (desk.world.marks(), desk.world.owners()) == (before, {"ReplicaSet"})
    assert desk.run("deployment/web --status").code == 4


def test_status_tells_people_and_programs_the_same(desk: Desk) -> None:
    interrupt(desk, "deployment/web --yes", signal.SIGINT, pods=1)
    record = desk.json("deployment/web --status")
    assert record["kind"] == "MigrationStatus"
    assert [(step["id"], step["state"]) for step in record["steps"]] == [
        ("create-target", "done"),
        ("free-pods", "done"),
        ("move-pods", "running"),
        ("unlock-target", "pending"),
    ]
    assert record["next"] == GO_ON.removesuffix(" --yes")
    assert record["counts"]["total"] == 2
    text = desk.run("deployment/web --status").out
    for part in ("Deployment web → CloneSet web", "step    3 of 4", f"next    {record['next']}"):
        assert part in text
    assert desk.run("--status").out == desk.run("deployment/web --status").out


def test_a_stream_of_records_opens_with_its_version_and_ends_with_the_outcome(desk: Desk) -> None:
    answer = desk.run("deployment/web --yes -o jsonl")
    records = [json.loads(line) for line in answer.out.splitlines()]
    assert [record["kind"] for record in records[:2]] == ["Version", "MigrationPlan"]
    assert {record["kind"] for record in records[2:]} == {"MigrationStatus"}
    last = records[-1]
    assert (last["outcome"], last["lowestReady"], last["pods"]["kept"]) == ("migrated", 2, 2)
    assert {step["state"] for step in last["steps"]} == {"done"}
    assert all(step["startedAt"] and step["finishedAt"] and step["undo"] == UNDO for step in last["steps"])
    assert next(event["message"] for event in last["events"]) == "create the CloneSet, locked"
    assert answer.err == ""


def test_what_still_names_the_source_is_told_to_programs_too(desk: Desk) -> None:
    spec = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "maxReplicas": 9,
    }
    desk.world.cluster.create(HPA.path("shop"), {"metadata": {"name": "web"}, "spec": spec})
    assert desk.json("deployment/web --dry-run")["references"][0]["rewritten"] is False
    told = [event["message"] for event in desk.json("deployment/web --yes")["events"]]
    assert any("horizontalpodautoscaler/web still names deployment/web" in text for text in told)


def test_another_run_that_is_alive_is_left_alone(desk: Desk) -> None:  # P-BUSY
    desk.run("deployment/web --stage-only --yes")
    hold(desk, "elsewhere/1")
    refused = desk.run("deployment/web --yes")
    assert (refused.code, desk.writes) == (3, [])
    assert "Deployment web is being migrated by elsewhere/1" in refused.err
    assert "--steal takes over" in refused.err
    assert desk.run("deployment/web --yes --steal").code == 0


@pytest.mark.parametrize(
    ("holder", "later", "code"),
    [("elsewhere/1", 599, 3), ("elsewhere/1", 601, 0), (f"{os.uname().nodename}/999999999", 0, 0)],
    ids=["silent for less than ten minutes", "silent for longer", "dead on this machine"],
)
def test_a_dead_run_holds_nobody_up(holder: str, later: float, code: int, desk: Desk) -> None:
    desk.run("deployment/web --stage-only --yes")
    hold(desk, holder)
    desk.world.clock.advance(later)
    assert desk.run("deployment/web --yes").code == code


def test_a_run_that_waits_for_long_says_that_it_is_alive(desk: Desk) -> None:
    desk.world.sandbox.controllers = [
        each for each in desk.world.sandbox.controllers if "kubelet" not in type(each).__module__
    ]
    answer = desk.run("deployment/web --mode surge --timeout 200s --yes")
    assert answer.code == 124
    renewals = [each for each in desk.writes if each.method == "PUT" and JOURNAL in each.target]
    assert len(renewals) >= 3


def hold(desk: Desk, holder: str) -> None:
    """Let a journal say that another run works on the migration."""
    live = desk.get(CONFIGMAP, JOURNAL)
    state = json.loads(live["data"]["state.json"])
    desk.change(
        CONFIGMAP, JOURNAL, data={**live["data"], "state.json": json.dumps({**state, "holder": holder})}
    )


def test_a_lost_journal_comes_back_from_its_copy(desk: Desk, home: Path) -> None:
    before = desk.world.marks()
    interrupt(desk, "deployment/web --yes", signal.SIGINT, pods=1)
    desk.world.cluster.delete(CONFIGMAP.path("shop", JOURNAL))
    (copy,) = home.rglob("*.json")
    assert copy.stat().st_mode & 0o777 == 0o600
    assert desk.run("deployment/web --resume").code == 0
    assert (desk.world.marks(), desk.world.owners()) == (before, {"CloneSet"})


def test_a_lost_journal_without_copy_is_told(desk: Desk, home: Path) -> None:
    interrupt(desk, "deployment/web --yes", signal.SIGINT, pods=1)
    desk.world.cluster.delete(CONFIGMAP.path("shop", JOURNAL))
    for copy in home.rglob("*.json"):
        copy.unlink()
    answer = desk.run("deployment/web --yes")
    assert (answer.code, desk.writes) == (4, [])
    assert "cloneset/web was made from it, and no journal of that is left" in answer.err


def test_a_lost_journal_matters_not_while_the_source_is_in_charge(desk: Desk, home: Path) -> None:
    desk.run("deployment/web --stage-only --yes")
    desk.world.cluster.delete(CONFIGMAP.path("shop", JOURNAL))
    for copy in home.rglob("*.json"):
        copy.unlink()
    assert desk.run("deployment/web --yes").code == 0


@pytest.mark.parametrize(
    "data", [{}, {"state.json": "{"}, {"state.json": '{"schema": 99}'}, {"colour": "blue"}]
)
def test_what_is_no_journal_is_never_written_over(data: dict[str, str], desk: Desk) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": JOURNAL}, "data": data}
    desk.world.cluster.create(CONFIGMAP.path("shop"), body)
    answer = desk.run("deployment/web --yes")
    assert (answer.code, desk.writes) == (1, [])
    assert f"the journal {JOURNAL} is not one of this release" in answer.err


@pytest.mark.parametrize("place", ["secret", "file"])
def test_journals_lie_where_one_wants_them(place: str, desk: Desk, home: Path) -> None:
    before = desk.world.marks()
    found, said = interrupt(desk, f"deployment/web --journal {place} --yes", signal.SIGINT, pods=1)
    assert found == 130
    assert f"--resume --journal {place} --yes" in said
    configmaps = desk.world.cluster.list(CONFIGMAP.path("shop"))["items"]
    assert JOURNAL not in [each["metadata"]["name"] for each in configmaps]
    assert (desk.world.cluster.list(SECRET.path("shop"))["items"] != []) == (place == "secret")
    assert list(home.rglob("*.json"))
    assert desk.run("deployment/web --resume").code == 0
    assert desk.world.marks() == before
    assert desk.run(f"cleanup deployment/web --journal {place}").code == 0
    assert not list(home.rglob("*.json"))


@pytest.mark.parametrize(
    ("place", "kind"), [("configmap", "configmaps"), ("secret", "secrets"), ("file", "")]
)
def test_only_rights_that_are_needed_are_asked_for(place: str, kind: str, desk: Desk) -> None:
    plan = desk.json(f"deployment/web --journal {place} --dry-run")
    (said,) = [each["evidence"] for each in plan["preflight"] if each["code"] == "P-RBAC"]
    for name in ("configmaps", "secrets"):
        assert (f"create {name}" in said) == (name == kind)
    assert "patch deployments" not in said
    unprotected = desk.json("deployment/web --unprotect --dry-run")["preflight"]
    assert any("patch deployments" in each["evidence"] for each in unprotected)


def test_a_protected_source_is_migrated_when_it_may_be(desk: Desk) -> None:  # P-PROTECT
    desk.another("api", 1)
    key = "policy.kruise.io/delete-protection"
    live = desk.get(DEPLOYMENT, "web")
    desk.change(DEPLOYMENT, "web", metadata={**live["metadata"], "labels": {key: "Always"}})
    refused = desk.run("deployment/web --yes")
    assert (refused.code, desk.writes) == (3, [])
    assert "--unprotect lets it pass" in refused.err
    assert desk.run("deployment/web --unprotect --settle 0 --yes").code == 0
    assert desk.get(CLONESET, "web")["metadata"]["labels"] == {key: "Always"}
    undone = desk.run("deployment/web --rollback --yes")
    assert undone.code == 0, undone.err
    assert desk.get(DEPLOYMENT, "web")["metadata"]["labels"] == {key: "Always"}


def test_a_target_of_others_is_in_the_way(desk: Desk) -> None:
    body = desk.get_deployment()
    body |= {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "metadata": {"name": "web"}}
    spec = {key: body["spec"][key] for key in ("selector", "template")}
    spec["selector"], spec["template"]["metadata"]["labels"] = {"matchLabels": {"app": "x"}}, {"app": "x"}
    desk.world.cluster.create(CLONESET.path("shop"), {**body, "spec": {**spec, "replicas": 0}})
    answer = desk.run("deployment/web --yes")
    assert (answer.code, desk.writes) == (3, [])
    assert "cloneset web exists already (P-EXISTS)" in answer.err
    assert desk.run("deployment/web --to-name web-2 --yes").code == 0


def test_cleanup_refuses_what_is_not_finished_and_deletes_what_is(desk: Desk) -> None:
    desk.run("deployment/web --stage-only --yes")
    refused = desk.run("cleanup deployment/web")
    assert (refused.code, desk.writes) == (3, [])
    assert "the migration of deployment/web is not finished, it is Started" in refused.err
    desk.run("deployment/web --resume")
    done = desk.run("cleanup deployment/web")
    assert (done.code, done.out) == (0, "deployment.apps/web cleaned up\n")
    assert desk.run("deployment/web --rollback --yes").code == 4


def test_cleanup_deletes_a_source_that_was_kept_and_only_without_pods(desk: Desk) -> None:
    desk.run("deployment/web --mode surge --keep-source --yes")
    assert desk.get(DEPLOYMENT, "web")["spec"]["replicas"] == 0
    desk.world.cluster.replace(
        DEPLOYMENT.path("shop", "web"),
        {**(live := desk.get(DEPLOYMENT, "web")), "spec": {**live["spec"], "replicas": 1}},
    )
    desk.world.sandbox.run(10)
    refused = desk.run("cleanup --all --yes")
    assert (refused.code, desk.writes) == (3, [])
    assert "deployment/web has been scaled up again" in refused.err
    desk.world.cluster.replace(
        DEPLOYMENT.path("shop", "web"),
        {**(live := desk.get(DEPLOYMENT, "web")), "spec": {**live["spec"], "replicas": 0}},
    )
    desk.world.sandbox.run(10)
    done = desk.run("cleanup --all --yes")
    assert (done.code, done.out) == (0, "deployment.apps/web deleted\ndeployment.apps/web cleaned up\n")
    assert desk.world.deployment is None
    assert desk.world.owners() == {"CloneSet"}


def test_a_workload_that_came_back_can_go_again(desk: Desk) -> None:
    before = desk.world.marks()
    for line in ("deployment/web", "cloneset/web --to deployment", "deployment/web"):
        assert desk.run(f"{line} --yes --settle 0").code == 0
    assert (desk.world.marks(), desk.world.owners()) == (before, {"CloneSet"})
    assert uid_of(desk.get(CLONESET, "web"))


@pytest.mark.parametrize("line", ["cloneset/web --to deployment --yes", "cloneset/web --dry-run"])
def test_the_other_workload_of_one_under_way_is_not_migrated_itself(line: str, desk: Desk) -> None:
    interrupt(desk, "deployment/web --yes", signal.SIGINT, pods=1)
    answer = desk.run(line)
    assert (answer.code, desk.writes) == (3, [])
    assert answer.err == (
        "error: cannot migrate cloneset/web: a migration of deployment/web is under way\n"
        "  hint: kubectl kruise migrate deployment/web -n shop --resume, or --rollback\n"
    )


def test_nor_what_one_back_is_about_to_make(desk: Desk) -> None:
    desk.run("deployment/web --yes --settle 0")
    desk.run("cleanup deployment/web --yes")
    interrupt(desk, "cloneset/web --to deployment --yes", signal.SIGINT, pods=1)
    answer = desk.run("deployment/web --yes")
    assert (answer.code, desk.writes) == (3, [])
    assert "a migration of cloneset/web is under way\n" in answer.err

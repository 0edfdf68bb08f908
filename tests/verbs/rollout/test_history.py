"""`rollout history`: the screen, one revision, differences, and records for programs."""

import json

import pytest
import yaml

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION
from kubectl_kruise.objects.raw import Raw
from tests.verbs.conftest import Shell
from tests.verbs.rollout.histories import cloneset_pod, cloneset_with, deployment_with, template


def three(shell: Shell) -> list[str]:
    env = [{"name": "LOG_LEVEL", "value": "debug"}]
    third = template("shop/web:2")
    third["spec"]["containers"][0] |= {"env": env, "resources": {"limits": {"cpu": "1000m"}}}
    names = cloneset_with(
        shell, template("shop/web:1"), template("shop/web:2"), third, causes=("first try", "release 2")
    )
    for index, revision in enumerate([names[0], names[0], names[2]]):
        cloneset_pod(shell, f"web-{index}", revision)
    return names


def test_the_screen(shell: Shell) -> None:
    three(shell)

    shell.check(
        "rollout history cloneset/web",
        0,
        "CloneSet shop/web\n"
        "REV   NAME             AGE   PODS   MARK      CHANGE                                       CAUSE\n"
        "3     web-64cc7948d9   0s       1   update    env LOG_LEVEL, resources app cpu none -> 1   -\n"
        "2     web-79ff4cd7d7   0s       0             app 1 -> 2                                   release 2\n"
        "1     web-d46d5f48b    0s       2   current   first                                        first try\n",
        "",
    )
    assert [request.method for request in shell.transport.seen] == ["GET", "GET", "GET"]


def test_revisions_that_a_workload_left_behind_count(shell: Shell) -> None:
    one, two, _ = three(shell)
    for name in (one, two):
        drop = Patch(PatchType.MERGE, {"metadata": {"ownerReferences": None}})
        shell.admin.patch(CONTROLLER_REVISION.path("shop", name), drop)
    lines = shell.run(["rollout", "history", "cloneset/web"])[1].splitlines()

    assert [line.split()[0] for line in lines[2:]] == ["3", "2", "1"]
    assert shell.run(["tree", "cloneset/web"])[1].count("revision 1 ") == 1


def test_revisions_of_nobody_that_the_selector_does_not_match_do_not_count(shell: Shell) -> None:
    stray = {"metadata": {"name": "web-2-abc", "labels": {"app": "other"}}, "revision": 9, "data": {}}
    shell.admin.create(CONTROLLER_REVISION.path("shop"), stray)
    three(shell)

    assert "web-2-abc" not in shell.run(["rollout", "history", "cloneset/web"])[1]


def test_revision_0_means_all_as_with_kubectl(shell: Shell) -> None:
    three(shell)

    assert shell.run(["rollout", "history", "cs/web", "--revision=0"]) == shell.run(
        ["rollout", "history", "cs/web"]
    )


def test_one_revision_with_its_template(shell: Shell) -> None:
    one, two, _ = three(shell)

    code, stdout, _ = shell.run(["rollout", "history", "cs/web", "--revision", "2"])

    head, _, rest = stdout.partition("\n\n")
    assert code == 0
    assert head.splitlines()[0] == f"CloneSet shop/web, revision 2 ({two})"
    assert head.splitlines()[-1] == "    spec.containers[app].image  shop/web:1 -> shop/web:2"
    assert yaml.safe_load(rest)["template"]["spec"]["containers"][0]["image"] == "shop/web:2"
    assert one not in stdout


def test_a_revision_that_is_not_there(shell: Shell) -> None:
    three(shell)

    shell.check(
        "rollout history cs/web --revision=9",
        4,
        "",
        'error: cloneset "web" has no revision "9"\n'
        "  cause: revisions: 1, 2, 3\n"
        "  hint: kubectl kruise rollout history cloneset/web -n shop\n",
    )


def test_records(shell: Shell) -> None:
    one, two, last = three(shell)

    code, stdout, _ = shell.run(["rollout", "history", "cs/web", "-o", "json"])

    listed = json.loads(stdout)
    assert (code, listed["apiVersion"], listed["kind"]) == (0, "cli.kruise.io/v1", "RevisionList")
    assert [(item["number"], item["name"], item["pods"], item["marks"]) for item in listed["items"]] == [
        (3, last, 1, ["update"]),
        (2, two, 0, []),
        (1, one, 2, ["current"]),
    ]
    assert listed["items"][1]["changes"] == [
        {"path": "spec.containers[app].image", "container": "app", "from": "shop/web:1", "to": "shop/web:2",
         "forcesRecreate": False}
    ]  # fmt: skip
    assert "template" not in listed["items"][0]


def test_records_with_templates(shell: Shell) -> None:
    three(shell)

    _, full, _ = shell.run(["rollout", "history", "cs/web", "-o", "yaml", "--full"])
    _, single, _ = shell.run(["rollout", "history", "cs/web", "-o", "yaml", "--revision", "-1"])

    assert yaml.safe_load(full)["items"][1]["template"] == yaml.safe_load(single)["template"]
    assert yaml.safe_load(single)["kind"] == "Revision"
    assert yaml.safe_load(single)["number"] == 2


def test_names(shell: Shell) -> None:
    names = three(shell)

    lines = "".join(f"controllerrevision.apps/{name}\n" for name in reversed(names))
    shell.check("rollout history cs/web -o name", 0, lines)


def test_differences_in_a_pipe_are_unified(shell: Shell) -> None:
    one, two, _ = three(shell)

    code, stdout, _ = shell.run(["rollout", "history", "cs/web", "--diff", "1", "2"])

    assert code == 0
    assert stdout.startswith(f"--- {one} (revision 1, 0s ago)\n+++ {two} (revision 2, 0s ago)\n")
    assert "-    - image: shop/web:1\n+    - image: shop/web:2\n" in stdout


def test_revisions_that_do_not_differ_are_told_on_stderr(shell: Shell) -> None:
    _, two, _ = three(shell)
    said = f"revision 2 ({two})"

    shell.check("rollout history cs/web --diff 2 2", 0, "", f"no difference between {said} and {said}\n")


def test_without_numbers_the_previous_and_the_present_are_compared(shell: Shell) -> None:
    _, two, last = three(shell)

    _, stdout, _ = shell.run(["rollout", "history", "cs/web", "--diff"])

    assert stdout.startswith(f"--- {two} (revision 2, 0s ago)\n+++ {last} (revision 3, 0s ago)\n")


def test_a_deployment_counts_pods_by_its_replicasets(shell: Shell) -> None:
    deployment_with(shell, "web:1", "web:2")

    shell.check(
        "rollout history deployment/web",
        0,
        "Deployment shop/web\n"
        "REV   NAME        AGE   PODS   MARK      CHANGE       CAUSE\n"
        "2     web-hash2   0s       0   current   app 1 -> 2   cause 2\n"
        "1     web-hash1   0s       0             first        cause 1\n",
    )
    assert [request.method for request in shell.transport.seen] == ["GET", "GET"]


def test_nothing_yet(shell: Shell) -> None:
    shell.cloneset()

    shell.check("rollout history cs/web", 0, "CloneSet shop/web\nno revisions yet\n")
    shell.check("rollout history cs/web --diff", 4, "")


def test_several_objects(shell: Shell) -> None:
    three(shell)
    shell.deployment("api")

    _, stdout, _ = shell.run(["rollout", "history", "cs/web", "deployment/api"])

    assert stdout.endswith("\n\nDeployment shop/api\nno revisions yet\n")


def test_an_unknown_format_is_a_usage_error(shell: Shell) -> None:
    code, _, stderr = shell.run(["rollout", "history", "cs/web", "-o", "table"])

    assert code == 2
    assert stderr.startswith('error: unknown output format "table"\n')


@pytest.mark.parametrize(
    "line",
    [
        "rollout history cs/web --diff",
        "rollout history cs/web",
        "rollout history cs/web -o json",
        "rollout undo cs/web --dry-run",
    ],
)
def test_no_secret_in_any_comparison(shell: Shell, line: str) -> None:
    def with_password(value: str) -> Raw:
        made = template()
        made["spec"]["containers"][0]["env"] = [{"name": "DB_PASSWORD", "value": value}]
        return made

    cloneset_with(shell, with_password("hunter1"), with_password("hunter2"))

    code, out, err = shell.run(line.split())

    assert code == 0
    assert "DB_PASSWORD" in out + err
    assert "hunter" not in out + err

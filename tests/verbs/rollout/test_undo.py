"""`rollout undo`: what it writes, what it says, what it refuses."""

import json

from kubectl_kruise.cluster.port import Patch, PatchType, Request
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION, DEPLOYMENT
from kubectl_kruise.objects.raw import annotations_of
from tests.verbs.conftest import Shell
from tests.verbs.rollout.histories import cloneset_with, deployment_with, images_of, template

WEB = "cloneset.apps.kruise.io/web"
IN_PLACE = "updates in place: the containers restart, pods keep their names, IPs and nodes\n"


def test_back_to_the_previous_revision_with_three_requests(shell: Shell) -> None:
    one, two = cloneset_with(shell, template("shop/web:1"), template("shop/web:2"))

    shell.check(
        "rollout undo cloneset/web",
        0,
        f"{WEB} rolled back to revision 1 ({one})\n",
        f"template: revision 2 ({two}) → revision 1 ({one})\n"
        f"spec.containers[app].image shop/web:2 → shop/web:1\n{IN_PLACE}",
    )

    assert images_of(shell.get("web")) == ["shop/web:1"]
    assert [request.method for request in shell.transport.seen] == ["GET", "GET", "PATCH"]


def test_restores_exactly_what_the_official_plugin_merges(shell: Shell) -> None:  # faults B10, B10a
    one, _ = cloneset_with(
        shell, template("shop/web:1"), template("shop/web:2", nodeSelector={"disk": "ssd"})
    )

    shell.check("rollout undo cloneset/web", 0, f"{WEB} rolled back to revision 1 ({one})\n")

    restored = shell.get("web")["spec"]["template"]
    assert "nodeSelector" not in restored["spec"]
    assert "$patch" not in restored


def test_takes_a_leftover_partition_away_in_the_same_write(shell: Shell) -> None:  # rollout-operations.md §3
    cloneset_with(shell, template("shop/web:1"), template("shop/web:2"), updateStrategy={"partition": "60%"})

    code, _, stderr = shell.run(["rollout", "undo", "clonesets.apps.kruise.io/web"])

    assert code == 0
    assert "partition 60% → 0: with it, pods of the revision left behind would have stayed" in stderr
    assert shell.get("web")["spec"]["updateStrategy"]["partition"] == 0
    assert len(shell.writes) == 1


def test_keeps_the_partition_on_request_and_warns(shell: Shell) -> None:
    cloneset_with(shell, template("shop/web:1"), template("shop/web:2"), updateStrategy={"partition": 3})

    code, _, stderr = shell.run(["rollout", "undo", "cs/web", "--keep-partition"])

    assert code == 0
    assert stderr.startswith("Warning: partition 3 stays: up to 3 of 5 pods are not moved")
    assert shell.get("web")["spec"]["updateStrategy"]["partition"] == 3


def test_already_there_is_unchanged(shell: Shell) -> None:
    _, two = cloneset_with(shell, template("shop/web:1"), template("shop/web:2"))

    shell.check(
        "rollout undo cs/web --to-revision 2",
        0,
        f"{WEB} unchanged\n",
        f'cloneset "web": already at revision 2 ({two})\n',
    )

    assert not shell.writes


def test_a_revision_that_is_not_there(shell: Shell) -> None:
    cloneset_with(shell, template("shop/web:1"), template("shop/web:2"))

    shell.check(
        "rollout undo cloneset web --to-revision 7",
        4,
        "",
        'error: cloneset "web" has no revision "7"\n'
        "  cause: revisions: 1, 2\n"
        "  hint: kubectl kruise rollout history cloneset/web -n shop\n",
    )

    assert not shell.writes


def test_by_distance_name_and_hash(shell: Shell) -> None:
    one, two, _ = cloneset_with(shell, template("shop/web:1"), template("shop/web:2"), template("shop/web:3"))

    for wanted, name in (("-2", one), ("-1", two), (one, one), (one.rpartition("-")[2], one), ("0", two)):
        shell.check(
            f"rollout undo cs/web --to-revision {wanted} --dry-run",
            0,
            f"{WEB} rolled back to revision {1 if name == one else 2} ({name}) (server dry run)\n",
        )

    assert images_of(shell.get("web")) == ["shop/web:3"]


def test_refused_while_paused(shell: Shell) -> None:
    cloneset_with(shell, template("shop/web:1"), template("shop/web:2"), updateStrategy={"paused": True})

    shell.check(
        "rollout undo cs/web",
        3,
        "",
        'error: cloneset "web" is paused: the template would change and nothing would move\n'
        "  hint: add --resume to let it go on, or resume it first\n",
    )

    assert not shell.writes


def test_resumes_in_the_same_write(shell: Shell) -> None:
    cloneset_with(shell, template("shop/web:1"), template("shop/web:2"), updateStrategy={"paused": True})

    code, _, stderr = shell.run(["rollout", "undo", "cs/web", "--resume"])

    assert code == 0
    assert stderr.endswith("resumed\n")
    assert shell.get("web")["spec"]["updateStrategy"]["paused"] is False
    assert images_of(shell.get("web")) == ["shop/web:1"]


def test_a_dry_run_on_the_client_sends_nothing(shell: Shell) -> None:  # fault B11
    one, _ = cloneset_with(shell, template("shop/web:1"), template("shop/web:2"))

    shell.check(
        "rollout undo cs/web --dry-run=client", 0, f"{WEB} rolled back to revision 1 ({one}) (dry run)\n"
    )

    assert not shell.writes


def test_prints_the_object(shell: Shell) -> None:
    cloneset_with(shell, template("shop/web:1"), template("shop/web:2"))

    _, stdout, _ = shell.run(["rollout", "undo", "cs/web", "--dry-run", "-o", "json"])

    assert images_of(json.loads(stdout)) == ["shop/web:1"]


def test_an_object_being_deleted_is_refused(shell: Shell) -> None:
    cloneset_with(shell, template("shop/web:1"), template("shop/web:2"))
    hold = Patch(PatchType.MERGE, {"metadata": {"finalizers": ["example.com/hold"]}})
    shell.admin.patch(shell.path("web"), hold)
    shell.admin.delete(shell.path("web"))

    shell.check("rollout undo cs/web", 3, "", 'error: cannot undo cloneset "web": it is being deleted\n')


def test_a_missing_object(shell: Shell) -> None:
    code, stdout, stderr = shell.run(["rollout", "undo", "cs/none"])

    assert (code, stdout) == (4, "")
    assert stderr.startswith('error: no cloneset.apps.kruise.io "none" in namespace "shop"\n')


def test_a_race_with_another_undo_does_not_bring_the_bad_revision_back(shell: Shell) -> None:
    one, _ = cloneset_with(shell, template("shop/web:1"), template("shop/web:2"))
    set_image_before_the_patch(shell, "shop/web:1")

    shell.check(
        "rollout undo cs/web", 0, f"{WEB} unchanged\n", f'cloneset "web": already at revision 1 ({one})\n'
    )


def test_a_race_with_another_template_is_decided_again(shell: Shell) -> None:
    one, _ = cloneset_with(shell, template("shop/web:1"), template("shop/web:2"))
    set_image_before_the_patch(shell, "shop/web:3")

    shell.check(
        "rollout undo cs/web",
        0,
        f"{WEB} rolled back to revision 1 ({one})\n",
        f"template: the present template (not in its history) → revision 1 ({one})\n"
        f"spec.containers[app].image shop/web:3 → shop/web:1\n{IN_PLACE}",
    )
    assert [request.method for request in shell.writes] == ["PATCH", "PATCH"]


def set_image_before_the_patch(shell: Shell, image: str) -> None:
    def meddle(request: Request) -> None:
        if request.method == "PATCH":
            shell.transport.before = lambda _: None
            there = "/spec/template/spec/containers/0/image"
            change = [{"op": "replace", "path": there, "value": image}]
            shell.admin.patch(shell.path("web"), Patch(PatchType.JSON, change))

    shell.transport.before = meddle


def test_a_deployment_goes_back_with_its_cause(shell: Shell) -> None:  # rollout-operations.md §9
    deployment_with(shell, "web:1", "web:2")

    shell.check(
        "rollout undo deployment/web",
        0,
        "deployment.apps/web rolled back to revision 1 (web-hash1)\n",
        "template: revision 2 (web-hash2) → revision 1 (web-hash1)\n"
        "spec.containers[app].image web:2 → web:1\n"
        "recreates the pods (update type RollingUpdate)\n",
    )

    live = shell.get("web", DEPLOYMENT)
    assert images_of(live) == ["web:1"]
    assert live["spec"]["template"]["metadata"]["labels"] == {"app": "web"}
    assert annotations_of(live) == {"kubernetes.io/change-cause": "cause 1"}


def test_revisions_of_another_owner_do_not_count(shell: Shell) -> None:
    cloneset_with(shell, template("shop/web:1"))
    other = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "u9", "controller": True}
    foreign = {
        "metadata": {"name": "web-other", "labels": {"app": "web"}, "ownerReferences": [other]},
        "revision": 9,
        "data": {"spec": {"template": template("evil:1")}},
    }
    shell.admin.create(CONTROLLER_REVISION.path("shop"), foreign)

    shell.check(
        "rollout undo cs/web",
        4,
        "",
        'error: cloneset "web" has no earlier revision to go back to\n'
        "  hint: kubectl kruise rollout history cloneset/web -n shop\n",
    )


def test_in_place_only_could_not_follow(shell: Shell) -> None:
    cloneset_with(
        shell,
        template("shop/web:1"),
        template("shop/web:1", hostNetwork=True),
        updateStrategy={"type": "InPlaceOnly"},
    )

    code, _, stderr = shell.run(["rollout", "undo", "cs/web"])

    assert code == 3
    assert "spec.template.spec.hostNetwork cannot be updated in place" in stderr

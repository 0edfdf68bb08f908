"""Preconditions, and what happens when only some of several writes succeed."""

import pytest

from kubectl_kruise.cluster.port import Request
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION
from tests.verbs.conftest import Shell

WEB = "cloneset.apps.kruise.io/web"


def with_revisions(shell: Shell) -> None:
    made = shell.cloneset()
    for number, name in ((1, "web-6c9f"), (2, "web-84d7")):
        owner = {
            "apiVersion": made["apiVersion"],
            "kind": "CloneSet",
            "name": "web",
            "uid": made["metadata"]["uid"],
        }
        meta = {"name": name, "labels": {"app": "web"}, "ownerReferences": [{**owner, "controller": True}]}
        body = {"metadata": meta, "revision": number, "data": {"spec": {}}}
        shell.admin.create(CONTROLLER_REVISION.path("shop"), body)


@pytest.mark.parametrize("revision", ["2", "web-84d7", "84d7"])
def test_the_revision_looked_at_is_a_precondition(shell: Shell, revision: str) -> None:
    with_revisions(shell)

    shell.check(f"rollout pause cs/web --if-revision {revision}", 0, f"{WEB} paused\n", "")


def test_another_revision_is_refused_before_anything_is_written(shell: Shell) -> None:
    with_revisions(shell)

    shell.check(
        "rollout pause cs/web --if-revision 1",
        3,
        "",
        'error: cloneset "web" is at revision 2 (web-84d7), not 1\n  hint: kubectl kruise rollout history cloneset/web -n shop\n',
    )

    assert not shell.writes


def test_a_write_that_fails_does_not_stop_the_others(shell: Shell) -> None:
    for name in ("a", "b", "c"):
        shell.cloneset(name)

    def meddle(request: Request) -> None:
        shell.transport.refuse = "PATCH" if "/b?" in request.target else ""

    shell.transport.before = meddle

    code, out, err = shell.run(["rollout", "pause", "cs", "a", "b", "c"])

    assert (code, out) == (5, "cloneset.apps.kruise.io/a paused\ncloneset.apps.kruise.io/c paused\n")
    assert err.startswith('error: cannot pause cloneset "b": not allowed to patch clonesets.apps.kruise.io')


ODD = {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "Like"}]}


@pytest.mark.parametrize(
    "line",
    [
        "rollout status cs/web",
        "rollout history cs/web",
        "rollout undo cs/web",
        "rollout restart cs/web",
        "tree cs/web",
    ],
)
def test_a_selector_that_no_webhook_refused_is_an_error_not_a_bug(line: str) -> None:
    """Without Kruise's webhook a server stores any operator."""
    shell = Shell(webhooks=False)
    shell.cloneset(selector=ODD)

    shell.check(
        line,
        1,
        "",
        'error: the selector of cloneset "web" cannot be read\n  cause: "Like" is not a valid label selector operator\n',
    )


def test_a_list_shows_the_others_beside_a_selector_that_cannot_be_read() -> None:
    shell = Shell(webhooks=False)
    shell.cloneset(selector=ODD)
    shell.cloneset("ok")

    _, out, _ = shell.run(["get", "cs", "-o", "wide"])

    assert [line.split()[-1] for line in out.splitlines()[1:]] == ["app=ok", "<unreadable>"]


@pytest.mark.parametrize("choice", ["-l app=web", "--all"])
@pytest.mark.parametrize("verb", ["get", "rollout pause", "rollout status", "scale --replicas 2", "tree"])
def test_a_choice_among_all_objects_does_not_go_with_a_name(shell: Shell, verb: str, choice: str) -> None:
    shell.cloneset()
    code, stdout, stderr = shell.run(f"{verb} clone/web {choice}".split())

    assert (code, stdout) == (2, "")
    assert "do not go with names" in stderr
    assert not shell.writes


def test_several_objects_say_which_of_them_changes_how(shell: Shell) -> None:
    shell.cloneset()
    shell.deployment()
    said = shell.run(["set", "image", "clone/web", "deploy/web", "app=x:2"])[2]

    assert said.splitlines() == [
        'cloneset "web": containers[app] shop/web:1 → x:2',
        'cloneset "web": updates in place: the containers restart, pods keep their names, IPs and nodes',
        'deployment "web": containers[app] shop/web:1 → x:2',
        'deployment "web": recreates the pods (update type RollingUpdate)',
    ]


@pytest.mark.parametrize("line", ["rollout pause clone/web", "scale clone/web --replicas 2"])
def test_an_object_that_goes_before_the_write_is_reported_like_one_that_never_was(
    shell: Shell, line: str
) -> None:
    shell.cloneset()

    def meddle(request: Request) -> None:
        if request.method == "PATCH":
            shell.admin.delete(shell.path("web"))

    shell.transport.before = meddle

    shell.check(
        line,
        4,
        "",
        'error: no cloneset.apps.kruise.io "web" in namespace "shop"\n'
        "  hint: kubectl get clonesets.apps.kruise.io -n shop\n",
    )

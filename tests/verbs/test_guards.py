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

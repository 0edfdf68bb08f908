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
        meta = {"name": name, "ownerReferences": [{**owner, "controller": True}]}
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
        'error: cloneset "web" is at revision 2 (web-84d7), not 1\n  hint: kubectl kruise rollout history cloneset/web\n',
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

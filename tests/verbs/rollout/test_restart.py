import json
from typing import Any

import pytest

from kubectl_kruise.cluster.port import Request
from kubectl_kruise.facts.kinds import DEPLOYMENT, POD
from kubectl_kruise.facts.names import RESTARTED_AT, RESTARTING_SINCE, SPECIFIED_DELETE_LABEL
from tests.verbs.conftest import Shell

WEB = "cloneset.apps.kruise.io/web"


class Replacer:
    """Stands in for the controller: a marked pod is gone, and a new one ready, by the next look at the pods."""

    def __init__(self, shell: Shell, *, names: tuple[str, ...]) -> None:
        self.shell, self.owner = shell, shell.cloneset(replicas=len(names))
        self.batches: list[int] = []
        self.count = 0
        for name in names:
            self.start(name)
        shell.clock.advance(60)
        shell.transport.before = self.act

    def start(self, name: str) -> None:
        made = self.shell.pod(name, self.owner)
        ready = [
            {"type": "Ready", "status": "True", "lastTransitionTime": made["metadata"]["creationTimestamp"]}
        ]
        path = POD.path("shop", name, subresource="status")
        self.shell.admin.replace(path, {**made, "status": {"phase": "Running", "conditions": ready}})

    def act(self, request: Request) -> None:
        if request.method == "GET" and "/pods?" in request.target and "watch" not in request.target:
            marked = [
                name
                for name, pod in self.pods().items()
                if SPECIFIED_DELETE_LABEL in pod["metadata"]["labels"]
            ]
            self.batches += [len(marked)] if marked else []
            for name in marked:
                self.shell.admin.delete(POD.path("shop", name), options={"gracePeriodSeconds": 0})
                self.count += 1
                self.start(f"new-{self.count}")

    def pods(self) -> dict[str, Any]:
        return {pod["metadata"]["name"]: pod for pod in self.shell.admin.list(POD.path("shop"))["items"]}


def test_recreating_kinds_restart_by_the_template(shell: Shell) -> None:
    shell.deployment()
    shell.cloneset("b", updateStrategy={"type": "ReCreate"})

    shell.check(
        "rollout restart deploy/web cs/b",
        0,
        "deployment.apps/web restarted\ncloneset.apps.kruise.io/b restarted\n",
    )

    assert shell.get("web", DEPLOYMENT)["spec"]["template"]["metadata"]["annotations"] == {
        RESTARTED_AT: "2026-01-01T00:00:00Z"
    }


def test_in_place_types_restart_pod_by_pod_and_keep_their_template(shell: Shell) -> None:  # cli.md B13a
    controller = Replacer(shell, names=("a", "b", "c", "d", "e"))
    before = shell.get("web")["spec"]

    shell.check("rollout restart cs/web", 0, f"{WEB} restarting\n{WEB} restarted\n")

    after = shell.get("web")
    assert after["spec"] == before
    assert RESTARTING_SINCE not in after["metadata"].get("annotations", {})
    assert sorted(controller.pods()) == [f"new-{number}" for number in range(1, 6)]
    assert controller.batches == [1, 1, 1, 1, 1]  # maxUnavailable 20% of 5


def test_a_run_that_was_killed_is_finished_by_the_next(shell: Shell) -> None:
    controller = Replacer(shell, names=("a", "b", "c"))
    replace, patches = controller.act, []

    def die(request: Request) -> None:
        replace(request)
        patches.extend([request] if request.method == "PATCH" else [])
        if len(patches) == 3:
            raise KeyboardInterrupt

    shell.transport.before = die
    with pytest.raises(KeyboardInterrupt):
        shell.run(["rollout", "restart", "cs/web"])
    assert RESTARTING_SINCE in shell.get("web")["metadata"]["annotations"]
    shell.transport.before = replace

    code, out, err = shell.run(["rollout", "restart", "cs/web"])

    assert (code, out) == (0, f"{WEB} restarting\n{WEB} restarted\n")
    assert err.startswith("takes up an interrupted restart: pods created after 2026-01-01T00:00:00Z stay\n")
    assert sorted(controller.pods()) == ["new-1", "new-2", "new-3"]


def test_a_dry_run_marks_nothing(shell: Shell) -> None:
    controller = Replacer(shell, names=("a", "b"))

    shell.check(
        "rollout restart cs/web --dry-run",
        0,
        f"{WEB} restarted (server dry run)\n",
        """\
Plan: restart cloneset.apps.kruise.io/web                            context sandbox, namespace shop

  ~ CloneSet web
      metadata.annotations
        + {"cli.kruise.io/restarting-since": "2026-01-01T00:00:00Z"}

  How it will run
    replaces 2 pods, 1 at a time; the template stays as it is

Plan: 1 to change, 0 to create, 0 to delete.
Server accepted the dry run. Apply without --dry-run.
""",
    )

    assert sorted(controller.pods()) == ["a", "b"]


def test_paused_workloads_are_refused(shell: Shell) -> None:
    shell.cloneset(updateStrategy={"paused": True})
    shell.deployment("d", paused=True)

    for kind, name in (("cloneset", "web"), ("deployment", "d")):
        shell.check(
            f"rollout restart {kind}/{name}",
            3,
            "",
            f'error: cannot restart {kind} "{name}": it is paused\n  hint: kubectl kruise rollout resume {kind}/{name} -n shop\n',
        )
        assert not shell.writes


def test_a_missing_object_is_not_found(shell: Shell) -> None:  # cli.md B12
    code, out, err = shell.run(["rollout", "restart", "clone/missing"])

    assert (code, out) == (4, "")
    assert err.startswith('error: no cloneset.apps.kruise.io "missing"')


def test_a_restart_that_does_not_end_times_out(shell: Shell) -> None:
    Replacer(shell, names=("a", "b"))
    shell.transport.before = lambda request: shell.clock.advance(10)

    code, _, err = shell.run(["rollout", "restart", "cs/web", "--timeout", "30s"])

    assert code == 124
    assert 'error: cloneset "web" still has 2 pods to be replaced, and the time is over' in err
    assert json.dumps(RESTARTING_SINCE) in json.dumps(shell.get("web"))

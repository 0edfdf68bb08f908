"""`rollout restart --in-place` against a sandbox with its node daemon (rollout-operations.md §11, cli.md row 37)."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Patch, PatchType, Request
from kubectl_kruise.controllers import cloneset
from kubectl_kruise.engine.gates import Gates, resolve_gates
from kubectl_kruise.facts.kinds import CLONESET, CONTAINER_RECREATE_REQUEST, CRD, DEPLOYMENT, POD, Kind
from kubectl_kruise.facts.recreation import RESTARTING_IN_PLACE
from kubectl_kruise.objects.pod import ready, statuses_of
from kubectl_kruise.objects.raw import Raw, annotations_of
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.hooks import Fault, Rule
from kubectl_kruise.sandbox.simulation import DEFAULT, build
from tests.verbs.conftest import Recorder, Shell

WEB = "cloneset.apps.kruise.io/web"
REQUESTS = CONTAINER_RECREATE_REQUEST.path("shop")


class Live:
    """A cluster that moves on by some seconds with every look at the workload, and what was seen of it."""

    def __init__(
        self, *, daemon: bool = True, manager: bool = True, webhooks: bool = True, gates: Gates | None = None
    ) -> None:
        self.shell = Shell()
        clock = self.shell.clock
        self.sandbox = Sandbox(clock, webhooks=webhooks, gates=gates)
        self.shell.server, self.shell.transport = self.sandbox.server, Recorder(self.sandbox.transport)
        self.shell.admin = self.sandbox.client(namespace="shop")
        self.user.create("/api/v1/namespaces", {"metadata": {"name": "shop"}})
        profile = DEFAULT if daemon else _without_daemon()
        self.sandbox.add(*build(self.sandbox.client("simulation"), clock, profile))
        self.sandbox.add(*cloneset.build(self.sandbox.client("manager"), clock, recreations=manager))
        self.unready: list[int] = []
        self.seconds, self.slices = 1.0, 10
        self.step: Callable[[], None] = lambda: None
        self.shell.transport.before = self._act

    @property
    def user(self) -> Client:
        return self.shell.admin

    def cloneset(self, replicas: int = 5, **spec: Any) -> None:
        self.shell.cloneset(replicas=replicas, **spec)
        self.sandbox.run(30)

    def pods(self) -> list[Raw]:
        return list(self.user.list(POD.path("shop"))["items"])

    def requests(self) -> list[Raw]:
        return list(self.user.list(REQUESTS)["items"])

    def restarts(self) -> dict[str, list[int]]:
        """Give the restart counts of each container, of all pods."""
        found: dict[str, list[int]] = {}
        for pod in self.pods():
            for name, status in statuses_of(pod).items():
                found.setdefault(name, []).append(status["restartCount"])
        return found

    def mark(self, kind: Kind = CLONESET) -> str:
        return annotations_of(self.shell.get("web", kind)).get(RESTARTING_IN_PLACE, "")

    def annotate(self, **annotations: str | None) -> None:
        for pod in self.pods():
            body = {
                "metadata": {
                    "annotations": {
                        f"sandbox.kruise/{k.replace('_', '-')}": v for k, v in annotations.items()
                    }
                }
            }
            self.user.patch(POD.path("shop", pod["metadata"]["name"]), Patch(PatchType.MERGE, body))
        self.sandbox.settle()

    def beside(self) -> Shell:
        """Give the shell of somebody else on the same cluster."""
        other = Shell()
        other.clock, other.server, other.admin = self.shell.clock, self.sandbox.server, self.user
        other.transport = Recorder(self.sandbox.transport)
        other.transport.before = lambda _: self.sandbox.run(0.1)
        return other

    def _act(self, request: Request) -> None:
        if request.method == "GET" and request.target.split("?")[0].endswith(
            ("/clonesets/web", "/deployments/web")
        ):
            for _ in range(self.slices):
                self.sandbox.run(self.seconds / self.slices)
                self.unready.append(sum(1 for pod in self.pods() if not ready(pod)))
            self.step()


def _without_daemon() -> Any:
    from dataclasses import replace

    return replace(DEFAULT, node_daemon=False)


def test_containers_restart_in_waves_and_pods_stay() -> None:
    live = Live()
    live.cloneset(replicas=10)
    before = {pod["metadata"]["uid"] for pod in live.pods()}
    spec = live.shell.get("web")["spec"]

    live.shell.check(
        "rollout restart cs/web --in-place -c app",
        0,
        f"{WEB} restarting in place\n{WEB} restarted in place\n",
    )

    assert {pod["metadata"]["uid"] for pod in live.pods()} == before
    assert live.restarts() == {"app": [1] * 10, "proxy": [0] * 10}
    assert max(live.unready) <= 2  # maxUnavailable 20% of 10
    assert (live.shell.get("web")["spec"], live.mark()) == (spec, "")


def test_progress_is_told() -> None:
    live = Live()
    live.cloneset(replicas=2)

    _, _, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place"])

    assert err == (
        "restarts all containers of 2 pods in place, 1 at a time; "
        "pods, their addresses and the template stay as they are\n"
        'cloneset "web": 0 of 2 pods restarted\n'
        'cloneset "web": 1 of 2 pods restarted\n'
        'cloneset "web": 2 of 2 pods restarted\n'
    )
    assert live.restarts() == {"app": [1, 1], "proxy": [1, 1]}


def test_several_containers_can_be_named_each_once() -> None:
    live = Live()
    live.cloneset(replicas=2)

    live.shell.check("rollout restart cs/web --in-place -c proxy -c app", 0)
    assert live.restarts() == {"app": [1, 1], "proxy": [1, 1]}

    live.shell.check(
        "rollout restart cs/web --in-place -c app -c app", 2, "", "error: container app is named twice\n"
    )


def test_a_batch_narrows_the_waves() -> None:
    live = Live()
    live.cloneset(replicas=6, updateStrategy={"maxUnavailable": "100%"})

    live.shell.check("rollout restart cs/web --in-place -c app --batch 2", 0)

    assert max(live.unready) <= 2
    assert live.restarts()["app"] == [1] * 6


def test_pods_that_are_unavailable_already_count() -> None:
    live = Live()
    live.cloneset(replicas=5, updateStrategy={"maxUnavailable": 2})
    victim = live.pods()[0]["metadata"]["name"]
    body = {"metadata": {"annotations": {"sandbox.kruise/not-ready": "proxy"}}}
    live.user.patch(POD.path("shop", victim), Patch(PatchType.MERGE, body))
    live.sandbox.run(2)

    live.shell.check("rollout restart cs/web --in-place -c app --timeout 60s", 0)

    assert max(live.unready) <= 2
    assert live.restarts()["app"] == [1] * 5


def test_a_dry_run_writes_nothing() -> None:
    live = Live()
    live.cloneset(replicas=2)
    live.shell.transport.before = lambda _: None

    live.shell.check(
        "rollout restart cs/web --in-place -c app --dry-run=client",
        0,
        f"{WEB} restarted in place (dry run)\n",
    )
    assert not live.shell.writes
    _, _, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place", "-c", "app", "--dry-run"])

    assert "restarts container app of 2 pods in place, 1 at a time" in err
    assert all("dryRun=All" in request.target for request in live.shell.writes)
    assert (live.requests(), live.mark()) == ([], "")


def test_a_run_that_was_killed_is_finished_by_the_next_and_nothing_restarted_twice() -> None:
    live = Live()
    live.cloneset(replicas=4)
    created: list[Request] = []
    act = live.shell.transport.before

    def die(request: Request) -> None:
        act(request)
        if request.method == "POST" and "dryRun" not in request.target:
            created.append(request)
            if len(created) == 3:
                raise KeyboardInterrupt

    live.shell.transport.before = die
    with pytest.raises(KeyboardInterrupt):
        live.shell.run(["rollout", "restart", "cs/web", "--in-place", "-c", "app"])
    assert live.mark()
    live.shell.transport.before = act

    code, out, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place", "-c", "app"])

    assert (code, out) == (0, f"{WEB} restarting in place\n{WEB} restarted in place\n")
    assert err.startswith("takes up an interrupted restart: 2 pods restarted already\n")
    assert live.restarts()["app"] == [1] * 4
    assert live.mark() == ""


def test_an_interrupted_restart_of_other_containers_is_finished_first() -> None:
    live = Live()
    live.cloneset(replicas=2)
    live.step = _interrupt_after(live, 2)
    with pytest.raises(KeyboardInterrupt):
        live.shell.run(["rollout", "restart", "cs/web", "--in-place", "-c", "app"])
    live.step = lambda: None

    live.shell.check(
        "rollout restart cs/web --in-place -c proxy",
        3,
        "",
        'error: another restart in place of cloneset "web" was interrupted\n'
        "  hint: finish it: kubectl kruise rollout restart cloneset/web -n shop --in-place -c app\n",
    )


def _interrupt_after(live: Live, looks: int) -> Callable[[], None]:
    left = [looks]

    def step() -> None:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    return step


def test_ctrl_c_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    live = Live()
    live.cloneset(replicas=2)
    live.step = _interrupt_after(live, 3)

    with pytest.raises(KeyboardInterrupt):
        live.shell.run(["rollout", "restart", "cs/web", "--in-place", "-c", "app", "--batch", "1"])

    assert live.mark()


def test_a_container_that_cannot_be_killed_stops_the_waves() -> None:
    live = Live()
    live.cloneset(replicas=5)
    live.annotate(kill_error="no such shim")

    code, out, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place", "-c", "app"])

    assert (code, out) == (1, f"{WEB} restarting in place\n")
    lines = err.splitlines()
    assert lines[-3].startswith("error: pod web-")
    assert lines[-2:] == [
        "  cause: container app: kill container error: no such shim",
        "  hint: to go on from here: kubectl kruise rollout restart cloneset/web -n shop --in-place -c app",
    ]
    assert len(live.requests()) == 1

    live.annotate(kill_error=None)
    live.shell.check("rollout restart cs/web --in-place -c app", 0)
    assert live.restarts()["app"] == [1] * 5


def test_a_container_that_does_not_come_back_stops_the_waves() -> None:
    live = Live()
    live.seconds, live.slices = 5.0, 1
    live.cloneset(replicas=5)
    live.annotate(update_delay="9")
    taken: list[str] = []

    def step() -> None:
        for request in live.requests() if not taken else ():
            taken.append(request["spec"]["podName"])
            swap = [{"op": "replace", "path": "/spec/containers/0/image", "value": "shop/crash:1"}]
            live.user.patch(POD.path("shop", request["spec"]["podName"]), Patch(PatchType.JSON, swap))

    live.step = step
    code, _, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place", "-c", "app"])

    assert code == 1
    assert "error: container app of pod web-" in err
    assert "  cause: CrashLoopBackOff" in err
    assert sorted(live.restarts()["app"])[:4] == [0] * 4


def test_no_daemon_with_a_manager_is_told_within_its_minute() -> None:
    live = Live(daemon=False)
    live.seconds, live.slices = 5.0, 1
    live.cloneset(replicas=3)
    start = live.shell.clock.time()

    code, out, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place"])

    assert (code, out) == (1, f"{WEB} restarting in place\n")
    assert (
        err.splitlines()[-3]
        == 'error: cannot restart cloneset "web" in place: no node daemon of Kruise answers'
    )
    assert (
        err.splitlines()[-1]
        == "  hint: kubectl kruise rollout restart cloneset/web -n shop recreates the pods instead"
    )
    assert live.shell.clock.time() - start <= 75
    assert (live.requests(), live.mark()) == ([], "")


def test_no_daemon_and_no_manager_ends_by_our_own_patience() -> None:
    live = Live(daemon=False, manager=False)
    live.seconds, live.slices = 5.0, 1
    live.cloneset(replicas=3)

    code, _, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place"])

    assert (code, live.requests(), live.mark()) == (1, [], "")
    assert "no node daemon of Kruise answers" in err


def test_without_kruises_webhook_nothing_is_begun() -> None:
    live = Live(webhooks=False)
    live.cloneset(replicas=3)

    code, out, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place"])

    assert (code, out) == (1, "")
    assert "cause: no webhook of Kruise has filled in the request" in err
    assert (live.requests(), live.mark()) == ([], "")


def test_with_the_daemons_gate_off_nothing_is_begun() -> None:
    live = Live(daemon=False, gates=resolve_gates({"KruiseDaemon": False}))
    live.cloneset(replicas=3)

    code, out, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place"])

    assert (code, out) == (1, "")
    assert "cause: feature-gate KruiseDaemon is not enabled" in err
    assert live.mark() == ""


def test_a_server_without_the_kind_is_told_from_a_missing_object() -> None:
    live = Live()
    live.shell.deployment(replicas=4)
    live.sandbox.run(30)
    live.user.delete(CRD.path(name=CONTAINER_RECREATE_REQUEST.resource))
    live.sandbox.run(5)

    code, out, err = live.shell.run(["rollout", "restart", "deploy/web", "--in-place"])

    assert (code, out) == (1, "")
    assert err.splitlines()[1:] == [
        "  cause: the server has no ContainerRecreateRequests",
        "  hint: kubectl kruise rollout restart deployment/web -n shop recreates the pods instead",
    ]


@pytest.mark.parametrize("way", ["deleted", "replaced"])
def test_a_pod_that_goes_meanwhile_is_no_failure(way: str) -> None:
    live = Live()
    live.cloneset(replicas=3)
    live.annotate(update_delay="5")
    taken: list[str] = []

    def step() -> None:
        for request in live.requests() if not taken else ():
            taken.append(request["spec"]["podName"])
            grace = {"gracePeriodSeconds": 0} if way == "replaced" else {}
            live.user.delete(POD.path("shop", taken[0]), options=grace)

    live.step = step
    live.shell.check("rollout restart cs/web --in-place -c app", 0)

    assert sorted(live.restarts()["app"]) == [0, 1, 1]  # the new pod has nothing to restart


def test_a_running_rollout_is_waited_for_by_the_user() -> None:
    live = Live()
    live.cloneset(replicas=3)
    body = {
        "spec": {
            "updateStrategy": {"type": "ReCreate"},
            "template": {"metadata": {"labels": {"app": "web", "v": "2"}}},
        }
    }
    live.user.patch(CLONESET.path("shop", "web"), Patch(PatchType.MERGE, body))
    live.shell.transport.before = lambda _: None

    live.shell.check(
        "rollout restart cs/web --in-place",
        3,
        "",
        'error: cannot restart cloneset "web" in place: a rollout is under way\n'
        "  hint: wait for its end: kubectl kruise rollout status cloneset/web -n shop\n",
    )


def test_a_rollout_that_begins_meanwhile_comes_first() -> None:
    live = Live()
    live.cloneset(replicas=4, updateStrategy={"type": "ReCreate"})
    begun: list[bool] = []

    def step() -> None:
        if live.requests() and not begun:
            begun.append(True)
            body = {"spec": {"template": {"metadata": {"labels": {"app": "web", "v": "2"}}}}}
            live.user.patch(CLONESET.path("shop", "web"), Patch(PatchType.MERGE, body))

    live.step = step
    code, _, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place", "-c", "app"])

    assert code == 0
    assert "; a rollout has begun meanwhile, and comes first\n" in err
    assert {pod["metadata"]["labels"]["v"] for pod in live.pods()} == {"2"}


REFUSED = [
    ({"updateStrategy": {"paused": True}}, "", 3, "it is paused"),
    ({"updateStrategy": {"maxUnavailable": 0, "maxSurge": 1}}, "", 3, "allows no unavailable pod (maxUnavailable 0)"),
    ({}, "-c nope", 4, 'has no container "nope"\n  hint: containers: app, proxy'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "options", "exit_code", "text"), REFUSED, ids=["paused", "no pod may go", "unknown container"]
)
def test_what_may_not_be_restarted_is_refused(spec: Raw, options: str, exit_code: int, text: str) -> None:
    live = Live()
    live.cloneset(replicas=3, **spec)

    code, out, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place", *options.split()])

    assert (code, out) == (exit_code, "")
    assert text in err
    assert not live.requests()


def test_containers_go_with_in_place_only() -> None:
    Shell().check(
        "rollout restart cs/web -c app",
        2,
        "",
        "error: -c and --batch go with --in-place only\n  hint: add --in-place\n",
    )


def test_deployments_restart_in_place_too() -> None:
    live = Live()
    live.shell.deployment(replicas=4)
    live.sandbox.run(30)

    live.shell.check(
        "rollout restart deploy/web --in-place -c app",
        0,
        "deployment.apps/web restarting in place\ndeployment.apps/web restarted in place\n",
    )

    assert live.restarts() == {"app": [1] * 4, "proxy": [0] * 4}
    assert max(live.unready) <= 1
    assert live.mark(DEPLOYMENT) == ""


def test_a_restart_that_does_not_end_times_out() -> None:
    live = Live()
    live.seconds, live.slices = 5.0, 1
    live.cloneset(replicas=3)
    live.annotate(update_delay="1000")

    code, _, err = live.shell.run(
        ["rollout", "restart", "cs/web", "--in-place", "-c", "app", "--timeout", "20s"]
    )

    assert code == 124
    assert err.splitlines()[-2] == 'error: cloneset "web": the time is over; 0 of 3 pods restarted'
    assert live.mark()


def test_two_who_begin_at_once_restart_nothing_twice() -> None:
    live = Live()
    live.cloneset(replicas=3)
    body = {"metadata": {"annotations": {"some": "other"}}}
    live.user.patch(CLONESET.path("shop", "web"), Patch(PatchType.MERGE, body))
    act, begun = live.shell.transport.before, list[int]()

    def meddle(request: Request) -> None:
        act(request)
        if request.method == "PATCH" and "clonesets/web" in request.target and not begun:
            line = ["rollout", "restart", "cs/web", "--in-place", "-c", "app", "--timeout", "1s"]
            begun.append(0)
            begun.append(live.beside().run(line)[0])

    live.shell.transport.before = meddle
    live.shell.check("rollout restart cs/web --in-place -c app", 0)

    assert (begun[1:], live.restarts()["app"]) == ([124], [1, 1, 1])


REFUSALS = [
    (Fault(verb="create", resource="containerrecreaterequests", code=400, message="no, thank you"), "no, thank you"),
    (Fault(verb="create", resource="containerrecreaterequests", code=500, message="out of order"), "out of order"),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "text"), REFUSALS, ids=["refused", "failed"])
def test_a_request_that_the_server_does_not_take_stops_the_waves(fault: Fault, text: str) -> None:
    live = Live()
    live.cloneset(replicas=3)
    asked: list[bool] = []

    def step() -> None:
        if live.requests() and not asked:
            asked.append(True)
            live.sandbox.hooks.faults.append(fault)

    live.step = step
    code, _, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place", "-c", "app"])

    assert code == 1
    assert err.splitlines()[-2].startswith("error: cannot restart pod web-")
    assert text in err.splitlines()[-1]
    assert live.mark()
    live.shell.check("rollout restart cs/web --in-place -c app", 0)
    assert live.restarts()["app"] == [1, 1, 1]


def test_a_person_without_rights_is_told() -> None:
    live = Live()
    live.cloneset(replicas=3)
    live.sandbox.hooks.denied.append(Rule(verb="create", resource="containerrecreaterequests"))

    code, out, err = live.shell.run(["rollout", "restart", "cs/web", "--in-place"])

    assert (code, out) == (5, "")
    assert err.startswith("error: cannot restart cloneset")


def test_requests_live_for_a_while_and_end_with_the_workloads_own_deadline() -> None:
    live = Live()
    live.cloneset(replicas=1, progressDeadlineSeconds=120)
    live.shell.check("rollout restart cs/web --in-place", 0)

    posted = [json.loads(request.body or b"") for request in live.shell.writes if request.method == "POST"]
    assert {body["spec"]["activeDeadlineSeconds"] for body in posted} == {120}
    assert all(body["spec"]["ttlSecondsAfterFinished"] for body in posted)

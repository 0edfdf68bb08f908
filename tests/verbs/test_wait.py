"""`--wait` on writes: the verdict of `rollout status`, told on stderr."""

from kubectl_kruise.cluster.port import Request
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.facts.names import SPECIFIED_DELETE_LABEL
from tests.verbs.conftest import Shell

WEB = "cloneset.apps.kruise.io/web"


def test_waiting_for_a_pause_ends_when_it_is_seen(shell: Shell) -> None:
    made = shell.cloneset()
    shell.observe(made, generation=2)
    shell.transport.before = lambda _: shell.clock.advance(1)

    code, out, err = shell.run(["rollout", "pause", "cs/web", "--wait", "--timeout", "1m"])

    assert (code, out) == (0, f"{WEB} paused\n")
    assert "paused" in err


def test_a_rollout_that_does_not_end_times_out(shell: Shell) -> None:
    shell.cloneset()
    shell.transport.before = lambda _: shell.clock.advance(1)

    code, out, err = shell.run(["set", "image", "cs/web", "app=x:2", "--wait", "--timeout", "5s"])

    assert (code, out) == (124, f"{WEB} image updated\n")
    assert "timed out after 5s: " in err


def test_a_dry_run_waits_for_nothing(shell: Shell) -> None:
    shell.cloneset()

    shell.check("set image cs/web app=x:2 --dry-run --wait", 0, f"{WEB} image updated (server dry run)\n")

    assert [request.method for request in shell.transport.seen] == ["GET", "PATCH"]


def test_a_malformed_timeout_is_found_before_anything_is_written(shell: Shell) -> None:
    shell.cloneset()

    shell.check(
        "rollout pause cs/web --wait --timeout soon",
        2,
        "",
        'error: --timeout: "soon" is not a duration such as 30s, 5m or 1m30s\n',
    )

    assert not shell.transport.seen


def test_replacing_waits_until_the_pod_is_gone(shell: Shell) -> None:
    shell.pod("web-a", shell.cloneset(replicas=0))
    looks = []

    def controller(request: Request) -> None:
        shell.clock.advance(1)
        if request.method == "GET" and "/pods?" in request.target:
            looks.append(request)
            if SPECIFIED_DELETE_LABEL in shell.get("web-a", POD)["metadata"]["labels"] and len(looks) == 3:
                shell.admin.delete(POD.path("shop", "web-a"), options={"gracePeriodSeconds": 0})
                shell.transport.before = lambda _: shell.clock.advance(1)

    shell.transport.before = controller

    code, out, err = shell.run(
        ["scale", "cs/web", "--delete-pod", "web-a", "--replace", "--wait", "--timeout", "20s"]
    )

    assert out == "pod/web-a marked for replacement\n"
    assert code == 124  # nobody writes the status here
    assert "still there" not in err

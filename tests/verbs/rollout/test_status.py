"""`rollout status` as it is typed: outcomes, exit codes, streams, requests."""

import json

import pytest

from kubectl_kruise.cli import app
from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, POD
from tests.verbs.conftest import Shell

WEB = "cloneset.apps.kruise.io/web"
START = "2026-01-01T00:00:00Z cloneset/web"


def report(shell: Shell, name: str = "web", kind=CLONESET, **status):
    """Write the status as the controller would."""
    live = shell.get(name, kind)
    counters = {
        "observedGeneration": live["metadata"]["generation"], "replicas": 3, "readyReplicas": 3, "availableReplicas": 3,
        "updatedReplicas": 3, "updatedReadyReplicas": 3, "updatedAvailableReplicas": 3,
        "updateRevision": f"{name}-new", "currentRevision": f"{name}-new",
    }  # fmt: skip
    path = kind.path("shop", name, subresource="status")
    return shell.admin.patch(path, Patch(PatchType.MERGE, {"status": {**counters, **status}}))


@pytest.fixture
def done(shell: Shell) -> Shell:
    shell.cloneset(replicas=3)
    report(shell)
    return shell


def test_done(done: Shell) -> None:
    done.check("rollout status cs/web", 0, f"{START} done updated=3/3 available=3 took=0s\n", "")

    assert [request.target.partition("?")[0] for request in done.transport.seen] == [
        done.path("web"),
        POD.path("shop"),
    ]


@pytest.mark.parametrize(
    "words",
    ["cloneset/web", "clonesets.apps.kruise.io/web", "clonesets.v1alpha1.apps.kruise.io/web", "cloneset web", "clone web", "web",
     "cs/web -d", "cs/web -w", "cs/web --watch=true"],
)  # fmt: skip
def test_every_spelling(done: Shell, words: str) -> None:
    assert done.run(["rollout", "status", *words.split()])[0] == 0


@pytest.mark.parametrize("once", ["--watch=false", "--once"])
def test_one_look_is_one_get_and_one_list(done: Shell, once: str) -> None:
    report(done, updatedReplicas=2, updatedReadyReplicas=1, updatedAvailableReplicas=1)

    done.check(f"rollout status cs/web {once}", 0, f"{WEB} progressing: 2 of 3 pods updated\n", "")

    assert [(request.method, "watch=true" in request.target) for request in done.transport.seen] == [
        ("GET", False), ("GET", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "args", "code"),
    [
        pytest.param({}, "", 0, id="done"),
        pytest.param({"updatedReplicas": 1}, "", 0, id="under way"),
        pytest.param({}, "--detailed-exitcode", 0, id="done, detailed"),
        pytest.param({"updatedReplicas": 1}, "--detailed-exitcode", 8, id="under way, detailed"),
    ],
)
def test_exit_codes_of_one_look(done: Shell, change: dict[str, int], args: str, code: int) -> None:
    report(done, **change)

    assert done.run(f"rollout status cs/web --watch=false {args}".split())[0] == code


def test_paused(shell: Shell) -> None:
    shell.cloneset(replicas=3, updateStrategy={"paused": True})
    report(shell, updatedReplicas=1, updatedAvailableReplicas=1)

    code, out, err = shell.run(["rollout", "status", "cs/web"])

    assert (code, err) == (8, "")
    assert out == (
        f'{START} paused reason=Paused updated=1/3 available=1 took=0s message="paused with 1 of 3 pods updated, 1 '
        'available"\n'
    )
    assert shell.run(["rollout", "status", "cs/web", "--until=paused"])[0] == 0


@pytest.mark.parametrize(("until", "code"), [("", 0), ("--until=partition", 0), ("--until=done", 8)])
def test_a_reached_partition(shell: Shell, until: str, code: int) -> None:
    shell.cloneset(replicas=3, updateStrategy={"partition": "50%"})
    report(shell, updatedReplicas=1, updatedAvailableReplicas=1, updatedReadyReplicas=1)

    given, out, _ = shell.run(["rollout", "status", "cs/web", *until.split()])

    assert given == code
    assert "updated=1/1 available=1 held=2" in out


def test_failed(shell: Shell) -> None:
    shell.cloneset(replicas=3)
    exceeded = {
        "type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "too late",
        "lastTransitionTime": "2026-01-01T00:00:00Z", "lastUpdateTime": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    report(shell, updatedReplicas=1, conditions=[exceeded])

    shell.check(
        "rollout status cs/web", 1,
        f'{START} failed reason=ProgressDeadlineExceeded updated=1/3 available=3 took=0s message="too late"\n',
        'error: cloneset "web" failed: too late\n',
    )  # fmt: skip


def test_missing(shell: Shell) -> None:
    code, out, err = shell.run(["rollout", "status", "cs/nope"])

    assert (code, out) == (4, "")
    assert err.startswith('error: no cloneset.apps.kruise.io "nope" in namespace "shop"\n')


def test_timeout(done: Shell) -> None:
    report(done, updatedReplicas=1, updatedAvailableReplicas=1)

    code, out, err = done.run(["rollout", "status", "cs/web", "--timeout", "90s"])

    missing = "timed out after 90s: 1 of 3 available; not yet: 2 waiting"
    assert code == 124
    assert out.splitlines() == [
        f"{START} start generation=1 revision=web-new target=3/3 mode=in-place",
        "2026-01-01T00:00:30Z cloneset/web waiting updated=1/3 available=1 last-change=30s",
        "2026-01-01T00:01:00Z cloneset/web waiting updated=1/3 available=1 last-change=60s",
        f"2026-01-01T00:01:30Z cloneset/web timed-out reason=TimedOut updated=1/3 available=1 took=90s message={json.dumps(missing)}",
    ]
    assert err == f'error: cloneset "web": {missing}\n'


def test_a_superseded_revision(done: Shell) -> None:
    code, _, err = done.run(["rollout", "status", "cs/web", "--revision=99"])

    assert (code, err) == (6, 'error: cloneset "web": revision 99 is not what is rolled out: web-new is\n')
    assert done.run(["rollout", "status", "cs/web", "--revision=web-new"])[0] == 0


def test_the_worst_of_several_decides(done: Shell) -> None:
    done.cloneset("api", replicas=3, updateStrategy={"paused": True})
    report(done, "api", updatedReplicas=1)
    done.deployment("cart", replicas=3)
    report(done, "cart", DEPLOYMENT)

    code, out, _ = done.run(["rollout", "status", "cs/web", "cs/api", "deploy/cart"])

    assert code == 8
    assert [line.split()[1:3] for line in out.splitlines()] == [
        ["cloneset/web", "done"], ["cloneset/api", "paused"], ["deployment/cart", "done"],
    ]  # fmt: skip


def test_by_label(done: Shell) -> None:
    code, out, _ = done.run(["rollout", "status", "clonesets", "-l", "app=web"])

    assert (code, out) == (0, f"{START} done updated=3/3 available=3 took=0s\n")


@pytest.mark.parametrize("how", ["", "--watch=false"])
def test_json_is_one_document_and_nothing_else(done: Shell, how: str) -> None:
    code, out, err = done.run(f"rollout status cs/web -o json {how}".split())
    record = json.loads(out)

    assert (code, err) == (0, "")
    assert (record["apiVersion"], record["kind"], record["outcome"]) == (
        "cli.kruise.io/v1",
        "RolloutStatus",
        "done",
    )


def test_json_lines_open_with_the_version(done: Shell) -> None:
    report(done, updatedReplicas=1)

    code, out, err = done.run(["rollout", "status", "cs/web", "-o", "jsonl", "--timeout", "10s"])
    records = [json.loads(line) for line in out.splitlines()]

    assert (code, err) == (124, "")
    assert [record["kind"] for record in records] == ["Version", "RolloutStatus", "RolloutStatus"]
    assert [record["outcome"] for record in records[1:]] == ["progressing", "timedOut"]


def test_several_as_one_document(done: Shell) -> None:
    done.cloneset("api", replicas=3)
    report(done, "api", updatedReplicas=1)

    _, out, _ = done.run(["rollout", "status", "cs/web", "cs/api", "--watch=false", "-o", "json"])
    document = json.loads(out)

    assert (document["kind"], document["outcome"], len(document["items"])) == (
        "RolloutStatusList",
        "progressing",
        2,
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("rollout status cs/web -o wide", 'error: unknown output format "wide"'),
        ("rollout status cs/web --fail-fast=soon", 'error: --fail-fast: "soon" is not a duration'),
        ("rollout status cs/web --watch false", "error: "),
        ("rollout status", "error: no object named"),
        ("rollout status pod/web", "error: this command does not work on pod"),
        ("rollout status ads/web", "error: this command does not work on daemonset.apps.kruise.io"),
    ],
)
def test_usage(done: Shell, line: str, message: str) -> None:
    code, out, err = done.run(line.split())

    assert (code, out) == (2, "")
    assert err.startswith(message)


def test_an_interrupt_says_that_the_rollout_goes_on(done: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    report(done, updatedReplicas=1)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    done.clock.wait = interrupt  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        app.run(["rollout", "status", "cs/web"], connect=done.client, clock=done.clock)

    assert capsys.readouterr().err == "the rollout continues in the cluster\n"


class Crashing:
    """A pod of the CloneSet that cannot pull its image."""

    def __init__(self, shell: Shell) -> None:
        made = shell.cloneset(replicas=3)
        report(shell, updatedReplicas=1, updatedReadyReplicas=0, updatedAvailableReplicas=0)
        shell.pod("web-a", made, labels={"app": "web", "controller-revision-hash": "web-new"})
        waiting = {"reason": "ImagePullBackOff", "message": "no such tag"}
        status = {
            "phase": "Pending",
            "containerStatuses": [{
                "name": "app", "image": "shop/web:1", "imageID": "", "ready": False, "restartCount": 0,
                "state": {"waiting": waiting},
            }],
        }  # fmt: skip
        path = POD.path("shop", "web-a", subresource="status")
        shell.admin.patch(path, Patch(PatchType.MERGE, {"status": status}))


@pytest.mark.parametrize(
    ("flag", "code", "seconds"),
    [
        pytest.param("", 1, 30, id="on where stdout is no terminal"),
        pytest.param("--fail-fast", 1, 30, id="bare"),
        pytest.param("--fail-fast=2m", 1, 120, id="another duration"),
        pytest.param("--fail-fast=false", 124, 300, id="off"),
    ],
)
def test_fail_fast(shell: Shell, flag: str, code: int, seconds: int) -> None:
    Crashing(shell)
    began = shell.clock.time()

    given, out, _ = shell.run(f"rollout status cs/web --timeout 5m {flag}".split())

    assert (given, shell.clock.time() - began) == (code, seconds)
    assert 'pod=web-a container=app warning=ImagePullBackOff restarts=0 message="no such tag"' in out


def test_a_selector_of_expressions_finds_only_its_own_pods(shell: Shell) -> None:
    """Fault B9d."""
    selector = {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}
    made = shell.cloneset(replicas=3, selector=selector)
    report(shell)
    shell.pod("web-a", made, labels={"app": "web", "controller-revision-hash": "web-new"})
    shell.pod("stranger", None, labels={"app": "web", "controller-revision-hash": "web-new"})

    _, out, _ = shell.run(["rollout", "status", "cs/web", "--watch=false", "-o", "json"])

    assert [pod["name"] for pod in json.loads(out)["pods"]] == ["web-a"]
    assert any("labelSelector=app+in+%28web%29" in request.target for request in shell.transport.seen)

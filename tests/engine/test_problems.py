"""When trouble counts as hopeless: 30 s or 3 restarts, 60 s without a node."""

import pytest

from kubectl_kruise.engine.pace import estimate
from kubectl_kruise.engine.problems import FailFast, Problem, ProblemKind, Sighting, pod_problems, sight

NOW = 1000.0


def problem(kind=ProblemKind.CRASH, *, restarts=0, since=None, identity=("u1", "app", "app:2")):
    return Problem("web-a", "app", kind, "Reason", restarts=restarts, since=since, identity=identity)


@pytest.mark.parametrize(
    ("found", "seen", "due"),
    [
        pytest.param(problem(ProblemKind.PULL), Sighting(NOW, 0), NOW + 30, id="a pull error for 30 s"),
        pytest.param(problem(restarts=2), Sighting(NOW, 0), NOW + 30, id="a crash loop for 30 s"),
        pytest.param(problem(restarts=3), Sighting(NOW, 0), float("-inf"), id="or 3 restarts"),
        pytest.param(
            problem(restarts=7),
            Sighting(NOW, 5),
            NOW + 30,
            id="restarts of earlier in-place updates do not count",
        ),
        pytest.param(
            problem(ProblemKind.PULL, restarts=9),
            Sighting(NOW, 0),
            NOW + 30,
            id="restarts tell of crashes only",
        ),
        pytest.param(problem(ProblemKind.UNSCHEDULABLE), Sighting(NOW, 0), NOW + 60, id="no node for 60 s"),
    ],
)
def test_when_it_is_hopeless(found, seen, due):
    assert FailFast().due(found, seen) == due


def test_a_sighting_stays_the_first_one():
    first = sight({}, problem(), NOW, updated_in_place=False)

    assert first == Sighting(NOW, 0)
    assert (
        sight({("u1", "app", "app:2"): first}, problem(restarts=2), NOW + 20, updated_in_place=False) is first
    )
    assert sight({}, problem(since=NOW - 9), NOW, updated_in_place=False).since == NOW - 9, (
        "the status knows of earlier"
    )
    assert sight({}, problem(restarts=4), NOW, updated_in_place=True).restarts == 4


def crashed(code=1, *, reason="Error", **state):
    return {
        "name": "app",
        "restartCount": 2,
        "lastState": {"terminated": {"exitCode": code, "reason": reason}},
        **state,
    }


@pytest.mark.parametrize(
    ("status", "kind", "text"),
    [
        pytest.param(
            crashed(137, reason="OOMKilled", state={"waiting": {"reason": "CrashLoopBackOff"}}), ProblemKind.CRASH,
            ("CrashLoopBackOff", 137, "out of memory"), id="crash loop",
        ),
        pytest.param(
            {"name": "app", "state": {"waiting": {"reason": "CreateContainerConfigError"}}}, ProblemKind.CONFIG,
            ("CreateContainerConfigError", None, ""), id="a missing config map",
        ),
        pytest.param(
            {"name": "app", "state": {"waiting": {"reason": "ImagePullBackOff"}}}, ProblemKind.PULL,
            ("ImagePullBackOff", None, ""), id="pull error",
        ),
        pytest.param(
            {"name": "app", "restartCount": 1, "state": {"terminated": {"exitCode": 3, "reason": "Error"}}},
            ProblemKind.CRASH, ("Error", 3, ""), id="between crash and back-off",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("field", ["containerStatuses", "initContainerStatuses"])
def test_container_troubles(status, kind, text, field):
    (found,) = pod_problems({"metadata": {"name": "web-a"}, "status": {field: [status]}})

    assert found.kind is kind
    assert (found.reason, found.exit_code, found.exit_reason) == text


@pytest.mark.parametrize(
    "state",
    [
        {"waiting": {"reason": "ContainerCreating"}}, {"waiting": {"reason": "PodInitializing"}}, {"running": {}},
        {"terminated": {"exitCode": 0}}, {},
    ],
)  # fmt: skip
def test_no_trouble(state):
    assert (
        pod_problems(
            {
                "metadata": {},
                "status": {"containerStatuses": [{"name": "app", "restartCount": 1, "state": state}]},
            }
        )
        == ()
    )


@pytest.mark.parametrize(
    ("message", "left_over"),
    [
        ('Back-off pulling image "shop/bad:3"', True),
        ('Back-off pulling image "shop/web:4"', False),
        ('failed to pull and unpack image "docker.io/shop/web:4": not found', False),
        ("no such tag", False),
    ],
)
def test_a_pull_error_of_the_image_before_is_no_trouble(message, left_over):
    status = {"name": "app", "state": {"waiting": {"reason": "ImagePullBackOff", "message": message}}}
    raw = {
        "metadata": {},
        "spec": {"containers": [{"name": "app", "image": "shop/web:4"}]},
        "status": {"containerStatuses": [status]},
    }

    assert (pod_problems(raw) == ()) is left_over


def test_the_first_exit_of_a_fresh_container_is_no_loop_yet():
    status = {"name": "app", "restartCount": 0, "state": {"terminated": {"exitCode": 143}}}

    assert pod_problems({"metadata": {}, "status": {"containerStatuses": [status]}}) == ()


@pytest.mark.parametrize(
    ("durations", "remaining", "at_once", "seconds"),
    [
        pytest.param([10, 20, 30], 16, 10, 40, id="two waves of the median"),
        pytest.param([10, 20, 300], 1, 10, 20, id="an outlier moves nothing"),
        pytest.param([10, 20], 16, 10, None, id="not before 3 are through"),
        pytest.param([10, 20, 30], 0, 10, None, id="nothing left"),
        pytest.param([10, 20, 30], 2, 0, 40, id="at least one at a time"),
    ],
)
def test_estimate(durations, remaining, at_once, seconds):
    found = estimate(durations, remaining, at_once)

    assert (found and found.seconds) == seconds


def resize(kind, reason, status="True"):
    condition = {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": "cpu, requested: 9",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    return {"metadata": {"name": "web-a", "uid": "u"}, "status": {"conditions": [condition]}}  # fmt: skip


def test_a_resize_that_can_never_be_is_a_problem():
    (problem,) = pod_problems(resize("PodResizePending", "Infeasible"))

    assert (problem.kind, problem.reason) == (ProblemKind.RESIZE, "ResizeInfeasible")
    assert problem.message == "resize infeasible: cpu, requested: 9"
    assert problem.since == 1_767_225_600.0


@pytest.mark.parametrize(
    "raw",
    [
        resize("PodResizePending", "Deferred"),
        resize("PodResizeInProgress", ""),
        resize("PodResizePending", "Infeasible", "False"),
    ],
    ids=["deferred", "under way", "over"],
)
def test_a_resize_that_may_still_come_is_none(raw):
    assert pod_problems(raw) == ()


@pytest.mark.parametrize(
    ("message", "count"),
    [
        ('configmap "web-a-barrier" not found', 0),
        ("couldn't find key p_0 in ConfigMap shop/web-a-barrier", 0),
        ('configmap "settings" not found', 1),
    ],
)
def test_a_container_behind_its_launch_barrier_is_no_problem(message, count):
    waiting = {
        "name": "side",
        "state": {"waiting": {"reason": "CreateContainerConfigError", "message": message}},
    }
    raw = {"metadata": {"name": "web-a", "uid": "u"}, "status": {"containerStatuses": [waiting]}}

    assert len(pod_problems(raw)) == count

"""Whole screens of `rollout status`, 100 columns wide, without colour: the text is the contract."""

import json
from pathlib import Path

import pytest

from kubectl_kruise.cluster.port import Change
from kubectl_kruise.engine.problems import FailFast
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.operations.rollout.progress import Aim, Known, Progress
from kubectl_kruise.views.spans import plain
from kubectl_kruise.views.status.lines import (
    final_line,
    heartbeat_line,
    observed_line,
    one_shot_lines,
    progress_line,
    start_line,
    warning_line,
)
from kubectl_kruise.views.status.record import event_record, list_record, status_record, version_record
from kubectl_kruise.views.status.screen import status_screen
from kubectl_kruise.views.text import symbols

GOLDEN = Path(__file__).parent / "golden"
NOW = 1_767_225_600.0  # 2026-01-01T00:00:00Z
OLD_ID, NEW_ID = "shop/web@sha256:aa", "shop/web@sha256:bb"


def at(seconds):
    from kubectl_kruise.objects.notation.timestamp import rfc3339

    return rfc3339(NOW + seconds)


def cloneset(**status):
    return {
        "apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet",
        "metadata": {"name": "web", "namespace": "shop", "uid": "cs", "generation": 42},
        "spec": {
            "replicas": 20, "minReadySeconds": 15,
            "selector": {"matchLabels": {"app": "web"}},
            "lifecycle": {"inPlaceUpdate": {"finalizersHandler": ["example.io/drain"]}},
            "updateStrategy": {
                "type": "InPlaceIfPossible", "partition": "60%", "maxUnavailable": "40%",
                "inPlaceUpdateStrategy": {"gracePeriodSeconds": 10},
            },
            "template": {"spec": {"containers": [
                {"name": "app", "image": "shop/web:1.9.0"}, {"name": "proxy", "image": "envoy:1"},
            ]}},
        },
        "status": {
            "observedGeneration": 42, "replicas": 20, "updatedReplicas": 7, "updatedReadyReplicas": 3,
            "updatedAvailableReplicas": 2, "expectedUpdatedReplicas": 8, "updateRevision": "web-84d7",
            "currentRevision": "web-6c9f", **status,
        },
    }  # fmt: skip


def pod(
    name,
    *,
    node="n-01",
    revision="web-84d7",
    state="Normal",
    ready=True,
    since=-600,
    annotations=None,
    app=None,
    proxy=None,
    image="shop/web:1.9.0",
    **meta,
):
    ran = {
        "name": "app",
        "image": image,
        "imageID": NEW_ID,
        "ready": ready,
        "restartCount": 1,
        "state": {"running": {"startedAt": at(since)}},
    }
    return {
        "metadata": {
            "name": name, "uid": f"u-{name}", "creationTimestamp": at(-86400),
            "labels": {"controller-revision-hash": revision, "lifecycle.apps.kruise.io/state": state},
            "annotations": {key: text if isinstance(text, str) else json.dumps(text) for key, text in (annotations or {}).items()},
            "ownerReferences": [{"uid": "cs", "controller": True}], **meta,
        },
        "spec": {"nodeName": node, "containers": [{"name": "app", "image": image}, {"name": "proxy", "image": "envoy:1"}]},
        "status": {
            "phase": "Running",
            "conditions": [
                {"type": "Ready", "status": str(ready), "lastTransitionTime": at(since)},
                {"type": "InPlaceUpdateReady", "status": "True" if ready else "False"},
            ],
            "containerStatuses": [
                {**ran, **(app or {})},
                {"name": "proxy", "image": "envoy:1", "imageID": "p", "ready": True, "restartCount": 0, "state": {"running": {}}, **(proxy or {})},
            ],
        },
    }  # fmt: skip


def in_place(began, **more):
    return {"apps.kruise.io/inplace-update-state": {
        "revision": "web-84d7", "updateTimestamp": at(began), "lastContainerStatuses": {"app": {"imageID": OLD_ID}}, **more,
    }}  # fmt: skip


def busy_pods():
    """One pod in each phase, 2 finished, 13 old."""
    old = {"image": "shop/web:1.8.2", "imageID": OLD_ID, "ready": False}
    crash = {"waiting": {"reason": "CrashLoopBackOff"}}
    oom = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": at(-20)}}
    return [
        pod("web-c8zzt", node="n-11", state="Updating", ready=False, since=-124, annotations=in_place(-130), app={"state": crash, "lastState": oom, "restartCount": 3}),
        pod("web-7k2hq", node="n-03", state="Updating", ready=False, since=-22, annotations=in_place(-22), app={**old, "state": {"terminated": {"exitCode": 0, "finishedAt": at(-14)}}}),
        pod(
            "web-b5m2c", node="n-01", state="Updating", ready=False, since=-31, image="shop/web:1.8.2",
            annotations=in_place(
                -31, lastContainerStatuses={"proxy": {"imageID": "o"}}, nextContainerImages={"app": "shop/web:1.9.0"},
                preCheckBeforeNext={"containersRequiredReady": ["proxy"]},
                containerBatchesRecord=[{"timestamp": at(-31), "containers": ["proxy"]}],
            ),
            proxy={"ready": False},
        ),
        pod(
            "web-9xw4d", node="n-07", state="Updating", ready=False, since=-4, image="shop/web:1.8.2",
            annotations={**in_place(-4), "apps.kruise.io/inplace-update-grace": {"revision": "web-84d7", "containerImages": {"app": "shop/web:1.9.0"}, "graceSeconds": 10}},
        ),
        pod(
            "web-q1r8n", node="n-02", revision="web-6c9f", state="PreparingUpdate", image="shop/web:1.8.2",
            annotations={"lifecycle.apps.kruise.io/timestamp": at(-70)}, finalizers=["example.io/drain"],
        ),
        pod("web-t2m9k", node="n-05", since=-9, annotations=in_place(-30)),
        *(pod(f"web-done{n}", since=-200, annotations=in_place(-230)) for n in range(2)),
        *(pod(f"web-old{n:02}", revision="web-6c9f", image="shop/web:1.8.2") for n in range(12)),
    ]  # fmt: skip


def follow(raw, pods, *, started=-192, **aim):
    progress = Progress(
        CLONESET,
        raw,
        Aim(**aim),
        NOW + started,
        lookup={"web-84d7": Known(4), "web-6c9f": Known(3)}.get,
        context="prod-eu",
    )
    progress.take_pods(pods, NOW)
    for revision in ("web-84d7", "web-6c9f"):
        progress.number(revision)
    return progress


@pytest.fixture
def busy():
    return follow(cloneset(), busy_pods()).snapshot(NOW)


@pytest.fixture
def finished():
    raw = cloneset(updatedReplicas=8, updatedReadyReplicas=8, updatedAvailableReplicas=8)
    pods = [pod(f"web-done{n}", annotations=in_place(-630)) for n in range(8)]
    pods += [pod(f"web-old{n:02}", revision="web-6c9f", image="shop/web:1.8.2") for n in range(12)]
    return follow(raw, pods).snapshot(NOW)


def check(name, text, request):
    path = GOLDEN / name
    if request.config.getoption("--update-golden"):
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("unicode", [True, False], ids=["unicode", "ascii"])
def test_screen_of_a_rollout_under_way(busy, unicode, request):
    text = plain(status_screen([busy], symbols(unicode=unicode), width=100))

    assert unicode or text.isascii()
    assert max(map(len, text.splitlines())) <= 100
    check(f"status-busy-{'unicode' if unicode else 'ascii'}.txt", text, request)


def test_screen_of_a_reached_partition(finished, request):
    check("status-finished.txt", plain(status_screen([finished], symbols(unicode=True), width=100)), request)


def test_screen_of_two_rollouts(busy, finished, request):
    check("status-two.txt", plain(status_screen([busy, finished], symbols(unicode=True), width=100)), request)


def test_rows_beyond_the_terminal_are_counted(busy):
    text = plain(status_screen([busy], symbols(unicode=False), width=100, height=17))

    assert "... 3 more" in text
    assert "web-c8zzt" in text, "the worst stay"


@pytest.mark.parametrize("width", [60, 80])
def test_on_a_narrow_terminal_the_bar_gives_way_before_the_numbers(busy, width):
    text = plain(status_screen([busy], symbols(unicode=False), width=width))

    assert max(map(len, text.splitlines())) <= width
    assert " of 8 available" in text


@pytest.mark.parametrize("width", [30, 45])
def test_commands_are_never_cut(busy, width):
    text = plain(status_screen([busy], symbols(unicode=False), width=width, height=60))

    assert max(map(len, text.splitlines())) <= width
    joined = " ".join(text.replace("\\\n", "").split())
    for command in status_record(busy)["next"]:
        assert command in joined


def test_a_frame_with_wrapped_lines_still_fits_the_terminal(busy):
    lines = status_screen([busy], symbols(unicode=False), width=45, height=24)

    assert len(lines) <= 24


def test_a_status_that_lags_behind_the_pods_is_waited_for_by_name(busy):
    lagging = busy._replace(verdict=busy.verdict._replace(reason="WaitingForStatus"))

    assert progress_line(lagging).endswith(" waiting-for=controller-status")


def test_failing_pods_that_use_up_what_may_be_unavailable_stop_the_others():
    raw = cloneset()
    raw["spec"]["updateStrategy"]["maxUnavailable"] = 2
    crash = {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "restartCount": 3}
    pods = [pod(f"web-bad{n}", ready=False, since=-40, app={**crash, "ready": False}) for n in range(2)]
    screen = plain(status_screen([follow(raw, pods).snapshot(NOW)], symbols(unicode=False), width=200))

    assert (
        "! web-bad0 and 1 more have failed for 40s. They use 2 of the 2 unavailable places; no other pod is updated meanwhile.\n"
        in screen
    )


def test_a_server_that_does_not_answer_is_shown_beside_what_was_known(busy):
    silent = busy._replace(silence="no server answers at https://a (refused)", silent_since=NOW - 12)

    for snapshots in ([silent], [silent, silent]):
        text = plain(status_screen(snapshots, symbols(unicode=False), width=100))
        assert "! no news for 12s: no server answers at https://a (refused); trying again\n" in text
        assert "web-c8zzt" in text


def test_lines_for_logs(busy, finished, request):
    problem = busy.troubles[0].problem
    lines = [
        start_line(busy), observed_line(busy), progress_line(busy), warning_line(busy, problem),
        heartbeat_line(busy), final_line(finished), *one_shot_lines([busy, finished]),
    ]  # fmt: skip
    check("status-lines.txt", "\n".join(lines) + "\n", request)


def test_record_has_the_documented_shape(request):
    record = status_record(follow(cloneset(), busy_pods(), limits=FailFast()).snapshot(NOW))

    check("status-record.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n", request)


def test_other_records(busy, finished):
    assert version_record("1.2") == {"apiVersion": "cli.kruise.io/v1", "kind": "Version", "version": "1.2"}
    assert event_record(busy, busy.troubles[0].problem) == {
        "apiVersion": "cli.kruise.io/v1", "kind": "Event", "time": "2026-01-01T00:00:00Z",
        "object": {"kind": "CloneSet", "namespace": "shop", "name": "web"}, "type": "Warning",
        "pod": "web-c8zzt", "container": "app", "reason": "CrashLoopBackOff", "exitCode": 137, "restarts": 3,
    }  # fmt: skip
    both = list_record([status_record(busy), status_record(finished)], busy.verdict.outcome)
    assert (both["kind"], both["outcome"], [each["outcome"] for each in both["items"]]) == (
        "RolloutStatusList", "progressing", ["progressing", "done"],
    )  # fmt: skip


def test_counts_move_with_single_pods():
    progress = follow(cloneset(), busy_pods())
    before = progress.counts()

    progress.take_pod(Change("MODIFIED", pod("web-old00", since=-3, annotations=in_place(-20))), NOW)
    progress.take_pod(Change("DELETED", pod("web-c8zzt")), NOW)
    after = progress.counts()

    assert (before.updated, before.updated_ready, before.updated_available, before.total) == (7, 3, 2, 20)
    assert (after.updated, after.updated_ready, after.updated_available, after.total) == (7, 4, 2, 19)
    assert progress.phases() == {
        "hook": 1, "grace": 1, "batch": 1, "restarting": 1, "settling": 2, "available": 2,
    }  # fmt: skip

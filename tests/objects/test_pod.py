"""The predicates of cloneset.md §7, row by row."""

import pytest

from kubectl_kruise.objects import pod as pods

NOW = 1_767_225_600.0  # 2026-01-01T00:00:00Z
TEN_SECONDS_AGO = "2025-12-31T23:59:50Z"


def make(*, phase="Running", ready="True", since=TEN_SECONDS_AGO, gate=None, labels=None, **meta):
    conditions = [{"type": "Ready", "status": ready, **({"lastTransitionTime": since} if since else {})}]
    if gate is not None:
        conditions.append({"type": "InPlaceUpdateReady", "status": gate})
    return {
        "metadata": {"name": "web-a", "labels": labels or {}, **meta},
        "status": {"phase": phase, "conditions": conditions},
    }


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        pytest.param(make(), True, id="a running pod is active"),
        pytest.param(make(phase="Pending"), True, id="a pending pod is active"),
        pytest.param({"metadata": {}}, True, id="a pod without any status is active"),
        pytest.param(make(phase="Succeeded"), False, id="a finished pod is not"),
        pytest.param(make(phase="Failed"), False, id="an evicted pod is not"),
        pytest.param(make(deletionTimestamp="2026-01-01T00:00:00Z"), False, id="a pod being deleted is not"),
    ],
)
def test_active(pod, expected):
    assert pods.active(pod) is expected


@pytest.mark.parametrize(
    ("pod", "min_ready", "expected"),
    [
        pytest.param(make(), 0, True, id="ready and no waiting time asked"),
        pytest.param(make(since=None), 0, True, id="without waiting time the transition time is not read"),
        pytest.param(make(), 9, True, id="ready for longer than asked"),
        pytest.param(make(), 10, False, id="exactly as long as asked is too short"),
        pytest.param(make(since=None), 5, False, id="a waiting time needs a transition time"),
        pytest.param(
            make(since="2025-12-31T23:59:50.250+00:00"), 9, True, id="fractions and offsets are read"
        ),
        pytest.param(make(ready="False"), 0, False, id="not ready"),
        pytest.param(make(phase="Pending"), 0, False, id="ready by mistake while pending"),
        pytest.param({"status": {"phase": "Running"}}, 0, False, id="no conditions yet"),
    ],
)
def test_running_for(pod, min_ready, expected):
    assert pods.running_for(pod, min_ready, NOW) is expected


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        pytest.param(make(), True, id="no gate condition"),
        pytest.param(make(gate="True"), True, id="gate open"),
        pytest.param(make(gate="False"), False, id="gate shut by an in-place update"),
        pytest.param(make(gate=""), False, id="gate without a value"),
        pytest.param(make(gate="True", ready="False"), False, id="open gate of an unready pod"),
    ],
)
def test_update_ready(pod, expected):
    assert pods.update_ready(pod, 0, NOW) is expected


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("", True), ("Normal", True), ("PreparingNormal", False), ("PreparingUpdate", False),
        ("Updating", False), ("Updated", False), ("PreparingDelete", False),
    ],
)  # fmt: skip
def test_only_normal_or_stateless_pods_are_available(state, expected):
    pod = make(labels={"lifecycle.apps.kruise.io/state": state} if state else {})

    assert pods.state(pod) == state
    assert pods.available(pod, 0, NOW) is expected


def test_deletion_limits_ignore_min_ready_seconds():
    fresh = make(since="2025-12-31T23:59:59Z")

    assert not pods.available(fresh, 60, NOW)
    assert pods.available_for_deletion(fresh, NOW)


@pytest.mark.parametrize(
    ("pod", "names", "expected"),
    [
        pytest.param(
            make(labels={"apps.kruise.io/specified-delete": "false"}), (), True, id="any label value counts"
        ),
        pytest.param(make(), ("web-a",), True, id="by name"),
        pytest.param(make(), ("web-b",), False, id="another pod's name"),
    ],
)
def test_specified(pod, names, expected):
    assert pods.specified(pod, names) is expected


@pytest.mark.parametrize(
    ("label", "revision", "expected"),
    [
        pytest.param("web-5b54ff9d4d", "web-5b54ff9d4d", True, id="equal names"),
        pytest.param("5b54ff9d4d", "web-5b54ff9d4d", True, id="short label, full name"),
        pytest.param("web-5b54ff9d4d", "5b54ff9d4d", True, id="full label, short name"),
        pytest.param("other-5b54ff9d4d", "web-5b54ff9d4d", True, id="only the last segment is compared"),
        pytest.param("web-777", "web-5b54ff9d4d", False, id="another revision"),
        pytest.param(None, "web-5b54ff9d4d", False, id="no label"),
    ],
)
def test_has_revision(label, revision, expected):
    pod = make(labels={"controller-revision-hash": label} if label else {})

    assert pods.has_revision(pod, revision) is expected


def test_preparing_update_counts_as_new_only_under_its_gate():
    pod = make(
        labels={"controller-revision-hash": "web-old", "lifecycle.apps.kruise.io/state": "PreparingUpdate"}
    )

    assert not pods.new_for_scale(pod, "web-new")
    assert pods.new_for_scale(pod, "web-new", preparing_as_update=True)
    assert pods.new_for_scale(pod, "web-old")


HOOK = {"finalizersHandler": ["a/f", "b/f"], "labelsHandler": {"block": "yes"}}


@pytest.mark.parametrize(
    ("hook", "pod", "held", "complete"),
    [
        pytest.param(None, make(), False, False, id="no hook"),
        pytest.param({}, make(), False, True, id="an empty hook holds nothing and is complete"),
        pytest.param(HOOK, make(), False, False, id="nothing of the hook on the pod"),
        pytest.param(HOOK, make(finalizers=["a/f"]), True, False, id="one finalizer holds"),
        pytest.param(HOOK, make(labels={"block": "yes"}), True, False, id="one label holds"),
        pytest.param(HOOK, make(labels={"block": "no"}), False, False, id="another label value does not"),
        pytest.param(
            HOOK, make(finalizers=["b/f", "a/f"], labels={"block": "yes"}), True, True, id="all of it"
        ),
        pytest.param(
            {"markPodNotReady": True}, make(), False, True, id="a hook of no handlers is an empty one"
        ),
    ],
)
def test_hooks(hook, pod, held, complete):
    assert pods.hooked(hook, pod) is held
    assert pods.all_hooked(hook, pod) is complete

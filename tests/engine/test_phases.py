"""Where a pod stands, told by its labels, annotations and container statuses: cloneset.md §27.3 and cli.md §4.1."""

import json

import pytest

from kubectl_kruise.engine.containers import Step
from kubectl_kruise.engine.phases import Phase, Rules, assess_pod, grace_left
from kubectl_kruise.objects.slim import slim_pod

NOW = 1_767_225_600.0  # 2026-01-01T00:00:00Z
BEGAN = "2025-12-31T23:59:56Z"
OLD_ID, NEW_ID = "reg/app@sha256:aa", "reg/app@sha256:bb"
RULES = Rules(
    "web-new", min_ready=15, hook={"finalizersHandler": ["example.io/drain"]}, images={"app": "app:2"}
)


def status(name="app", *, image_id=NEW_ID, image="app:2", ready=True, state=None, last=None, restarts=0):
    state = state or {"running": {"startedAt": "2025-12-31T23:59:58Z"}}
    return {
        "name": name, "image": image, "imageID": image_id, "ready": ready, "restartCount": restarts, "state": state,
        **({"lastState": last} if last else {}),
    }  # fmt: skip


def pod(
    *, revision="web-new", state="Normal", ready="True", since="2025-12-31T23:59:00Z", gate="True", annotations=None,
    statuses=None, images=None, conditions=(), node="n-1", **meta,
):  # fmt: skip
    return {
        "metadata": {
            "name": "web-a", "uid": "u1", "creationTimestamp": "2025-12-31T23:58:00Z",
            "labels": {"controller-revision-hash": revision, "lifecycle.apps.kruise.io/state": state},
            "annotations": annotations or {}, **meta,
        },
        "spec": {
            "nodeName": node,
            "containers": [{"name": name, "image": image} for name, image in (images or {"app": "app:2"}).items()],
        },
        "status": {
            "phase": "Running", "containerStatuses": [status()] if statuses is None else statuses,
            "conditions": [
                {"type": "Ready", "status": ready, "lastTransitionTime": since},
                {"type": "InPlaceUpdateReady", "status": gate}, *conditions,
            ],
        },
    }  # fmt: skip


def in_place(*, last=None, key="apps.kruise.io/inplace-update-state", grace=None, **more):
    state = {
        "revision": "web-new",
        "updateTimestamp": BEGAN,
        "lastContainerStatuses": last,
        "updateImages": True,
        **more,
    }
    found = {key: json.dumps(state)}
    if grace:
        found["apps.kruise.io/inplace-update-grace"] = json.dumps({"revision": "web-new", **grace})
    return found


UPDATING = {"state": "Updating", "ready": "False", "gate": "False", "since": BEGAN}
LAST = {"app": {"imageID": OLD_ID}}
CRASHED = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2025-12-31T23:59:50Z"}}
BACKOFF = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}
KEPT = (
    {"type": "ContainersReady", "status": "True"},
    {
        "type": "KruisePodReady",
        "status": "False",
        "message": '[{"userAgent":"Lifecycle","key":"preUpdateHook"}]',
    },
)

ROWS = [
    pytest.param(pod(), Phase.AVAILABLE, "", id="ready for long enough"),
    pytest.param(pod(revision="new"), Phase.AVAILABLE, "", id="fault B9c: a short hash is the same revision"),
    pytest.param(pod(since="2025-12-31T23:59:50Z"), Phase.SETTLING, "", id="ready, minReadySeconds running"),
    pytest.param(pod(revision="web-old"), Phase.OLD, "", id="another revision"),
    pytest.param(
        pod(deletionTimestamp="2026-01-01T00:00:30Z"), Phase.TERMINATING, "", id="being deleted, whatever its revision"
    ),
    pytest.param(
        pod(revision="web-old", state="PreparingUpdate", finalizers=["example.io/drain"]), Phase.HOOK,
        "held by finalizer example.io/drain", id="a hook holds the update",
    ),
    pytest.param(
        pod(state="Updated"), Phase.HOOK, "updated, waits for finalizer example.io/drain to be put back",
        id="updated, the hook is not put back",
    ),
    pytest.param(
        pod(**UPDATING, annotations=in_place(grace={"containerImages": {"app": "app:2"}, "graceSeconds": 10})),
        Phase.GRACE, "not ready on purpose", id="grace period",
    ),
    pytest.param(
        pod(**UPDATING, annotations=in_place(last=LAST), statuses=[status(image_id=OLD_ID, image="app:1")]),
        Phase.RESTARTING, "app not restarted yet", id="the old image still runs",
    ),
    pytest.param(
        pod(
            **UPDATING, annotations=in_place(last=LAST, key="inplace-update-state"),
            statuses=[status(image_id=OLD_ID, image="app:1", state={"terminated": {"exitCode": 0}})],
        ),
        Phase.RESTARTING, "pulling", id="stopped, the new image is not there (annotation by its old name)",
    ),
    pytest.param(
        pod(
            **UPDATING, images={"app": "app:1", "proxy": "proxy:2"},
            annotations=in_place(
                last={"proxy": {"imageID": OLD_ID}}, nextContainerImages={"app": "app:2"},
                preCheckBeforeNext={"containersRequiredReady": ["proxy"]},
                containerBatchesRecord=[{"timestamp": BEGAN, "containers": ["proxy"]}],
            ),
            statuses=[status("proxy", ready=False), status()],
        ),
        Phase.BATCH, "app waits for proxy ready", id="between two batches",
    ),
    pytest.param(
        pod(**UPDATING, annotations=in_place(last=LAST), statuses=[status(state=BACKOFF, last=CRASHED, restarts=3)]),
        Phase.FAILING, "exit 137, out of memory", id="the new image crashes",
    ),
    pytest.param(
        pod(
            **UPDATING, annotations=in_place(last=LAST),
            statuses=[status(image_id=OLD_ID, image="app:1", state=BACKOFF, last=CRASHED)],
        ),
        Phase.RESTARTING, "pulling", id="the old image had crashed: no fault of the new one",
    ),
    pytest.param(
        pod(
            **UPDATING, annotations=in_place(last=LAST),
            statuses=[status(image_id=OLD_ID, state={"waiting": {"reason": "ErrImagePull", "message": "no such tag"}})],
        ),
        Phase.FAILING, "no such tag", id="the new image cannot be pulled",
    ),
    pytest.param(
        pod(
            state="PreparingNormal", ready="False", node="", statuses=[],
            conditions=[{
                "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes",
                "lastTransitionTime": BEGAN,
            }],
        ),
        Phase.UNSCHEDULABLE, "0/3 nodes", id="no node",
    ),
    pytest.param(
        pod(state="PreparingNormal", ready="False", node="", statuses=[]), Phase.STARTING, "not scheduled yet",
        id="just created",
    ),
    pytest.param(
        pod(
            state="Updating",
            annotations=in_place(
                last=LAST, nextContainerResources={"app": {"requests": {"cpu": "2"}}},
                containerBatchesRecord=[{"timestamp": BEGAN, "containers": ["app"]}],
            ),
        ),
        Phase.BATCH, "app never gets its new resources: no batch of resources alone is begun",
        id="Q13: only resources are left to do",
    ),
    pytest.param(
        pod(ready="False", conditions=KEPT), Phase.STARTING,
        "kept unready by preUpdateHook, left over from an update that was taken back",
        id="Q14: a rollback while the hook was waited for",
    ),
    pytest.param(
        pod(state="Updating", ready="False", conditions=KEPT), Phase.STARTING, "containers ready",
        id="Q14: a pod that is still under way is not left behind",
    ),
    pytest.param(
        pod(annotations=in_place(last=LAST), images={"app": "app:1.5"}), Phase.AVAILABLE,
        "app left behind on an older image", id="Q24: a newer template made a batch forgotten",
    ),
    pytest.param(
        pod(annotations={"apps.kruise.io/inplace-update-state": "{"}, since="2025-12-31T23:59:50Z"), Phase.SETTLING, "",
        id="an unreadable annotation is no update",
    ),
    pytest.param(
        pod(since="2025-12-31T23:59:50Z", annotations=in_place(last=LAST) | {
            "apps.kruise.io/inplace-update-state": json.dumps({"revision": "web-older", "nextContainerImages": {"app": "x"}})
        }),
        Phase.SETTLING, "", id="the annotation of an earlier revision is history",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "phase", "note"), ROWS)
def test_phase(raw, phase, note):
    found = assess_pod(raw, RULES, NOW)

    assert (found.phase, found.note) == (phase, note)


def test_grace_counts_down_in_whole_seconds_and_never_below_none():
    raw = pod(
        **UPDATING, annotations=in_place(grace={"containerImages": {"app": "app:3"}, "graceSeconds": 10})
    )

    found = assess_pod(raw, RULES, NOW)

    assert [grace_left(found, NOW + passed) for passed in (0, 0.5, 5.9, 6, 60)] == [6, 6, 1, 0, 0]
    assert [(each.name, each.step, each.image, each.before) for each in found.containers] == [
        ("app", Step.PLANNED, "app:3", "app:2")
    ]


def test_batches_are_numbered_by_what_is_done():
    annotations = in_place(
        last={"proxy": {"imageID": OLD_ID}}, nextContainerImages={"app": "app:2"},
        containerBatchesRecord=[{"timestamp": BEGAN, "containers": ["proxy"]}],
    )  # fmt: skip
    images = {"app": "app:1", "proxy": "proxy:2", "log": "log:1"}

    first = assess_pod(
        pod(**UPDATING, images=images, annotations=annotations, statuses=[status("proxy", image_id=OLD_ID, image="p:1")]),
        RULES, NOW,
    )  # fmt: skip
    second = assess_pod(
        pod(**UPDATING, images=images, annotations=annotations, statuses=[status("proxy")]), RULES, NOW
    )

    assert (first.detail, second.detail) == ("1 of 2", "2 of 2")
    assert {each.name: each.step for each in second.containers} == {
        "app": Step.NEXT, "proxy": Step.DONE, "log": Step.KEPT,
    }  # fmt: skip


def test_a_settling_pod_asks_to_be_looked_at_again_when_it_is_due():
    found = assess_pod(pod(since="2025-12-31T23:59:50Z"), RULES, NOW)

    assert found.recheck == NOW + 5
    assert assess_pod(pod(since="2025-12-31T23:59:50Z"), RULES, NOW + 5.001).phase is Phase.AVAILABLE


def test_an_available_pod_tells_how_long_its_update_took():
    created = assess_pod(pod(), RULES, NOW)
    updated = assess_pod(pod(annotations=in_place(last=LAST), since="2025-12-31T23:59:58Z"), RULES, NOW + 60)
    earlier = assess_pod(pod(annotations=in_place(last=LAST)), RULES, NOW)

    assert created.took == 60 + 15
    assert updated.took == 2 + 15
    assert earlier.took is None, "it was ready before and all through the update"


def test_a_deletion_has_been_asked_for_before_its_grace_period():
    ending = pod(deletionTimestamp="2026-01-01T00:00:20Z", deletionGracePeriodSeconds=30)

    assert assess_pod(ending, RULES, NOW).since == NOW - 10


def test_a_held_pod_shows_the_images_to_come():
    waiting = pod(
        revision="web-old",
        state="PreparingUpdate",
        finalizers=["example.io/drain"],
        images={"app": "app:1", "proxy": "envoy:1"},
    )

    steps = [
        (each.name, each.step, each.before, each.image) for each in assess_pod(waiting, RULES, NOW).containers
    ]

    assert steps == [("app", Step.PLANNED, "app:1", "app:2"), ("proxy", Step.KEPT, "", "envoy:1")]


@pytest.mark.parametrize(
    ("initialized", "note"),
    [("False", "init containers running"), ("True", "containers ready"), (None, "containers ready")],
    ids=["running", "done", "not told"],
)
def test_what_keeps_a_new_pod_from_being_ready(initialized, note):
    told = [{"type": "Initialized", "status": initialized}] if initialized else []
    starting = pod(ready="False", conditions=[{"type": "ContainersReady", "status": "True"}, *told])

    assert assess_pod(starting, RULES, NOW).note == note


BIG, SMALL = {"limits": {"cpu": "400m"}}, {"limits": {"cpu": "200m"}}


def resizing(*conditions, actual=SMALL, state=None):
    """A pod in service that has been asked to go from 200m to 400m."""
    raw = pod(
        state="Updating",
        annotations=in_place(updateImages=False, updateResources=True),
        statuses=[status(state=state) | ({} if actual is None else {"resources": actual})],
        conditions=conditions,
    )
    raw["spec"]["containers"][0]["resources"] = BIG
    return raw


def told(kind, reason="", message=""):
    return {"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": BEGAN}


ENDED = {"terminated": {"exitCode": 0, "finishedAt": BEGAN}}
WHY = "Node didn't have enough resource: cpu, requested: 400, used: 15900, capacity: 16000"


@pytest.mark.parametrize(
    ("raw", "phase", "note"),
    [
        pytest.param(resizing(), Phase.RESIZING, "app not resized yet", id="nothing told yet"),
        pytest.param(resizing(told("PodResizeInProgress")), Phase.RESIZING, "app not resized yet", id="under way"),
        pytest.param(
            resizing(told("PodResizePending", "Deferred", WHY)), Phase.RESIZING, f"resize deferred: {WHY}", id="deferred"
        ),
        pytest.param(
            resizing(told("PodResizeInProgress", "Error", "no cgroup")), Phase.RESIZING, "resize error: no cgroup", id="error"
        ),
        pytest.param(
            resizing(told("PodResizePending", "Infeasible", WHY)), Phase.FAILING, f"resize infeasible: {WHY}", id="never"
        ),
        pytest.param(
            resizing(actual=None, state=ENDED), Phase.RESIZING, "app restarting for new resources", id="a restart for it"
        ),
        pytest.param(resizing(actual=BIG), Phase.SETTLING, "", id="resized, its state still to follow"),
    ],
)  # fmt: skip
def test_a_resize_says_what_it_waits_for(raw, phase, note):
    seen = assess_pod(raw, RULES, NOW)

    assert (seen.phase, seen.note) == (phase, note)
    assert seen.in_place


def test_a_slim_pod_still_shows_its_resize():
    assert assess_pod(slim_pod(resizing()), RULES, NOW).phase is Phase.RESIZING


def test_a_container_behind_its_launch_barrier_says_so():
    message = 'configmap "web-a-barrier" not found'
    held = status(
        "side", ready=False, state={"waiting": {"reason": "CreateContainerConfigError", "message": message}}
    )
    raw = pod(state="PreparingNormal", ready="False", statuses=[status(ready=False), held])

    seen = assess_pod(raw, RULES, NOW)

    assert (seen.phase, seen.note) == (
        Phase.STARTING,
        "side waits for containers of a higher launch priority",
    )

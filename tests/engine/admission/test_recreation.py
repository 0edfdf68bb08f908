"""The webhook for ContainerRecreateRequests (small-kinds.md §3.1)."""

from typing import Any

import pytest

from kubectl_kruise.engine.admission.recreation import (
    RecreationRefusedError,
    check_recreation_update,
    complete_recreation,
)
from kubectl_kruise.objects.raw import Raw

POD: Raw = {
    "metadata": {"name": "p", "uid": "u1"},
    "spec": {
        "nodeName": "n1",
        "terminationGracePeriodSeconds": 7,
        "initContainers": [{"name": "setup"}],
        "containers": [
            {
                "name": "web",
                "ports": [{"containerPort": 80, "name": "http"}],
                "lifecycle": {"preStop": {"httpGet": {"port": "http", "path": "/stop"}}},
            },
            {
                "name": "side",
                "ports": [{"containerPort": 9}],
                "lifecycle": {"preStop": {"exec": {"command": ["x"]}}},
            },
            {"name": "new"},
            {"name": "unseen"},
        ],
    },
    "status": {
        "phase": "Running",
        "containerStatuses": [
            {"name": "web", "containerID": "c://1", "restartCount": 3},
            {"name": "side", "containerID": "c://2"},
            {"name": "new", "containerID": ""},
        ],
    },
}


def request(*names: str, **spec: Any) -> Raw:
    return {
        "metadata": {"name": "r"},
        "spec": {"podName": "p", "containers": [{"name": name} for name in names], **spec},
    }


def complete(asked: Raw, pod: Raw | None = None) -> Raw:
    return complete_recreation(asked, {"p": pod or POD}.get)


def test_what_the_daemon_needs_is_filled_in() -> None:  # [C-1]
    asked = request("web", "side")
    asked["metadata"]["labels"] = {"crr.apps.kruise.io/node-name": "elsewhere", "mine": "x"}

    full = complete(asked)

    assert full["metadata"]["labels"] == {
        "mine": "x",
        "crr.apps.kruise.io/active": "true",
        "crr.apps.kruise.io/node-name": "n1",
        "crr.apps.kruise.io/pod-uid": "u1",
    }
    assert full["spec"]["strategy"] == {"failurePolicy": "Fail", "terminationGracePeriodSeconds": 7}
    assert full["spec"]["containers"] == [
        {
            "name": "web",
            "statusContext": {"containerID": "c://1", "restartCount": 3},
            "preStop": {"httpGet": {"port": "http", "path": "/stop"}},
            "ports": [{"containerPort": 80, "name": "http"}],
        },
        {
            "name": "side",
            "statusContext": {"containerID": "c://2", "restartCount": 0},
            "preStop": {"exec": {"command": ["x"]}},
        },
    ]


def test_pods_of_virtual_nodes_say_so() -> None:  # [C-1]
    pod = {**POD, "metadata": {**POD["metadata"], "labels": {"type": "virtual-kubelet"}}}
    assert complete(request("web"), pod)["metadata"]["labels"]["type"] == "virtual-kubelet"


REFUSED = [
    ("no pod named", request("web", podName=""), "podName can not be empty"),
    ("no container", request(), "containers list can not be null"),
    ("deadline", request("web", activeDeadlineSeconds=2), "activeDeadlineSeconds can not be less than 3s"),
    ("grace", request("web", strategy={"terminationGracePeriodSeconds": -1}), "terminationGracePeriodSeconds must be non-negative integer"),
    ("unready", request("web", strategy={"unreadyGracePeriodSeconds": -1}), "unreadyGracePeriodSeconds must be non-negative integer"),
    ("policy", request("web", strategy={"failurePolicy": "fail"}), "unknown failurePolicy fail"),
    ("no such pod", request("web", podName="q"), "no found Pod named q"),
    ("unknown container", request("nope"), "container nope not found in Pod"),
    ("init container", request("setup"), "not found setup containerStatus in Pod Status"),
    ("not seen by the kubelet", request("unseen"), "not found unseen containerStatus in Pod Status"),
    ("not started", request("new"), "no containerID in new containerStatus, maybe the container has not been initialized"),
    ("ports", {"metadata": {"name": "r"}, "spec": {"podName": "p", "containers": [{"name": "web", "ports": []}]}},
     "preStop, ports, statusContext in container are ready-only fields"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "text"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_may_not_be_asked_is_refused(asked: Raw, text: str) -> None:  # [C-3]
    with pytest.raises(RecreationRefusedError) as refused:
        complete(asked)

    assert refused.value.answer == (
        400,
        f'admission webhook "mcontainerrecreaterequest.kb.io" denied the request: {text}',
    )


@pytest.mark.parametrize(("change", "text"), [
    ({"status": {**POD["status"], "phase": "Succeeded"}}, "not allowed to recreate containers in an inactive Pod"),
    ({"metadata": {**POD["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}, "not allowed to recreate containers in an inactive Pod"),
    ({"spec": {**POD["spec"], "nodeName": ""}}, "not allowed to recreate containers in a pending Pod"),
], ids=["ended", "being deleted", "not bound"])  # fmt: skip
def test_pods_without_running_containers_are_refused(change: Raw, text: str) -> None:  # [C-3]
    with pytest.raises(RecreationRefusedError, match=text):
        complete(request("web"), POD | change)


@pytest.mark.parametrize("asked", [
    request("web", "web"),
    request("web", ttlSecondsAfterFinished=-1, strategy={"minStartedSeconds": -1}),
    request("web", strategy={"unreadyGracePeriodSeconds": 0}),
], ids=["twice the same", "negative seconds", "no grace"])  # fmt: skip
def test_what_looks_odd_is_accepted(asked: Raw) -> None:  # [C-3]
    assert complete(asked)["spec"]["containers"][0]["statusContext"]


def change(**spec: Any) -> Raw:
    full = complete(request("web"))
    return {**full, "spec": {**full["spec"], **spec}}


LABELS = {"crr.apps.kruise.io/node-name": "n1", "crr.apps.kruise.io/pod-uid": "u1"}
UPDATES = [
    ("the spec", change(ttlSecondsAfterFinished=1), "spec of ContainerRecreateRequest is immutable"),
    ("a lost pod uid", {"metadata": {"labels": {"crr.apps.kruise.io/node-name": "n1"}}}, "not allowed to update immutable label crr.apps.kruise.io/pod-uid"),
    ("another node", {"metadata": {"labels": LABELS | {"crr.apps.kruise.io/node-name": "n2"}}}, "not allowed to update immutable label crr.apps.kruise.io/node-name"),
]  # fmt: skip


@pytest.mark.parametrize(("new", "text"), [row[1:] for row in UPDATES], ids=[row[0] for row in UPDATES])
def test_requests_stay_as_they_were_made(new: Raw, text: str) -> None:  # [C-13]
    old = complete(request("web"))
    with pytest.raises(RecreationRefusedError, match=text) as refused:
        check_recreation_update({**old, **new}, old)
    assert refused.value.answer.code == 403


def test_labels_of_ones_own_and_the_active_one_may_change() -> None:  # [C-13]
    old = complete(request("web"))
    check_recreation_update({**old, "metadata": {"labels": LABELS | {"mine": "x"}}}, old)


def test_that_a_pod_is_out_of_service_is_said_once() -> None:  # [C-13]
    plain = complete(request("web"))
    meta = plain["metadata"]
    held = {**plain, "metadata": {**meta, "annotations": {"crr.apps.kruise.io/unready-acquired": "a"}}}
    check_recreation_update(held, plain)
    with pytest.raises(RecreationRefusedError, match="not allowed to update immutable annotation"):
        check_recreation_update(plain, held)

"""The row of a pod (sandbox-apiserver.md TB6)."""

from datetime import UTC, datetime

import pytest

from kubectl_kruise.sandbox.tables import native_table

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PODS = native_table("v1", "Pod")
READY = [{"type": "Ready", "status": "True"}]


def state(name="c", *, ready=False, restarts=0, last=None, **of):
    found = {"name": name, "ready": ready, "restartCount": restarts, "state": of}
    return found | ({"lastState": {"terminated": {"finishedAt": last}}} if last else {})


def row(spec=None, *, deleting=False, **status):
    meta = {"name": "p", "creationTimestamp": "2026-11-30T11:00:00Z"} | (
        {"deletionTimestamp": "x"} if deleting else {}
    )
    pod = {"metadata": meta, "spec": {"containers": [{"name": "c"}], **(spec or {})}, "status": status}
    return PODS.cells(pod, NOW)


SIDECAR = {"initContainers": [{"name": "s", "restartPolicy": "Always"}, {"name": "i"}]}


@pytest.mark.parametrize(
    ("spec", "status", "shown"),
    [
        ({}, {"phase": "Pending"}, "Pending"),
        ({}, {}, "Unknown"),
        ({}, {"phase": "Failed", "reason": "Evicted"}, "Evicted"),
        ({}, {"phase": "Running", "containerStatuses": [state(waiting={"reason": "CrashLoopBackOff"})]}, "CrashLoopBackOff"),
        ({}, {"phase": "Failed", "containerStatuses": [state(terminated={"exitCode": 3})]}, "ExitCode:3"),
        ({}, {"phase": "Failed", "containerStatuses": [state(terminated={"exitCode": 137, "signal": 9})]}, "Signal:9"),
        ({}, {"phase": "Running", "containerStatuses": [state(terminated={"exitCode": 0, "reason": "Completed"}), state("d", ready=True, running={})]}, "NotReady"),
        ({}, {"phase": "Running", "conditions": READY, "containerStatuses": [state(terminated={"exitCode": 0, "reason": "Completed"}), state("d", ready=True, running={})]}, "Running"),
        (SIDECAR, {"phase": "Pending", "initContainerStatuses": [state("s", running={}), state("i", running={})]}, "Init:0/2"),
        (SIDECAR, {"phase": "Pending", "initContainerStatuses": [state("s", running={}) | {"started": True}, state("i", waiting={"reason": "PodInitializing"})]}, "Init:1/2"),
        (SIDECAR, {"phase": "Pending", "initContainerStatuses": [state("s", running={}) | {"started": True}, state("i", waiting={"reason": "CrashLoopBackOff"})]}, "Init:CrashLoopBackOff"),
        (SIDECAR, {"phase": "Pending", "initContainerStatuses": [state("s", terminated={"exitCode": 1})]}, "Init:ExitCode:1"),
        (SIDECAR, {"phase": "Running", "conditions": [{"type": "Initialized", "status": "True"}], "initContainerStatuses": [state("i", running={})], "containerStatuses": []}, "Running"),
    ],
)  # fmt: skip
def test_status(spec, status, shown):
    assert row(spec, **status)[2] == shown


@pytest.mark.parametrize(
    ("status", "shown"),
    [
        ({"phase": "Running"}, "Terminating"),
        ({"phase": "Running", "reason": "NodeLost"}, "Unknown"),
        ({"phase": "Succeeded"}, "Succeeded"),
    ],
)
def test_status_of_a_pod_that_goes(status, shown):
    assert row(deleting=True, **status)[2] == shown


def test_restarts_tell_how_long_ago_the_last_one_was():
    statuses = [
        state(restarts=2, last="2026-11-30T10:48:00Z", running={}),
        state("d", restarts=1, running={}),
    ]

    assert row(phase="Running", containerStatuses=statuses)[3] == "3 (72m ago)"
    assert row(phase="Running", containerStatuses=[state(restarts=0, running={})])[3] == "0"


def test_native_sidecars_count_as_containers():
    started = [state("s", ready=True, running={}), state("i", terminated={"exitCode": 0})]

    assert (
        row(SIDECAR, initContainerStatuses=started, containerStatuses=[state(ready=True, running={})])[1]
        == "2/2"
    )


def test_addresses_node_and_gates():
    spec = {"nodeName": "n", "readinessGates": [{"conditionType": "Ready"}, {"conditionType": "x"}]}

    assert row(spec, conditions=READY, podIP="10.0.0.1")[4:] == ["60m", "10.0.0.1", "n", "<none>", "1/2"]
    assert row()[5:] == ["<none>"] * 4

"""One workload of any kind in a line: what a list shows of it, read from its status alone.

Sources of the rules: rollout-operations.md §3 (CloneSet), §4, §5 and §9.
"""

from typing import Final, NamedTuple

from kubectl_kruise.engine.counts import counts_of_status
from kubectl_kruise.engine.verdict import Outcome, judge
from kubectl_kruise.facts.kinds import CLONESET, DAEMONSET, DEPLOYMENT, NATIVE_DAEMONSET, STATEFULSET
from kubectl_kruise.objects.raw import dig
from kubectl_kruise.objects.workload import Workload

ROLLING: Final = ("spec", "updateStrategy", "rollingUpdate")

REFUSED: Final = {"CreationFails": "creating fails", "UpdateFails": "updating fails"}
"""What the manager's own requests may meet with."""


class Overview(NamedTuple):
    """`done` of `target` pods are updated and available; `held` stay old by a partition, `refused` is what fails."""

    outcome: Outcome
    desired: int
    ready: int
    updated: int
    done: int
    target: int
    held: int
    observed: bool
    refused: str = ""

    @property
    def status(self) -> str:
        """One word, with the progress of a rollout under way; `pending` until a controller has seen the spec."""
        if not self.observed and self.outcome is Outcome.PROGRESSING:
            return "pending"
        if self.outcome is Outcome.PROGRESSING:
            return f"progressing {self.done}/{self.target}" + (f", {self.refused}" if self.refused else "")
        return "terminating" if self.outcome is Outcome.DELETED else self.outcome.value


def overview(workload: Workload) -> Overview:
    """Sum one workload up."""
    if workload.kind in (CLONESET, STATEFULSET, DEPLOYMENT):
        counts = counts_of_status(workload)
        verdict = judge(workload, counts)
        return Overview(
            verdict.outcome, counts.desired, counts.ready, counts.updated, counts.updated_available,
            counts.target, counts.held if workload.partition else 0, workload.observed,
            REFUSED.get(verdict.reason, ""),
        )  # fmt: skip
    if workload.kind in (DAEMONSET, NATIVE_DAEMONSET):
        return _numbers(
            workload, _counter(workload, "desiredNumberScheduled"), "numberReady", "updatedNumberScheduled",
            "numberAvailable",
        )  # fmt: skip
    available = "availableReplicas" if workload.counter("availableReplicas") is not None else "readyReplicas"
    return _numbers(workload, workload.replicas, "readyReplicas", "updatedReplicas", available)


def _numbers(workload: Workload, desired: int, ready: str, updated: str, available: str) -> Overview:
    kept = dig(workload.raw, (*ROLLING, "partition"), 0)
    kept = max(0, min(kept, desired)) if isinstance(kept, int) else 0
    target = desired - kept
    new, healthy = _counter(workload, updated), _counter(workload, available)
    done = min(new, healthy, target)
    return Overview(
        _outcome(workload, done=done, target=target, healthy=healthy, desired=desired),
        desired, _counter(workload, ready), new, done, target,
        max(0, desired - max(new, target)) if kept else 0, workload.observed,
    )  # fmt: skip


def _outcome(workload: Workload, *, done: int, target: int, healthy: int, desired: int) -> Outcome:
    if workload.deleting:
        return Outcome.DELETED
    if workload.observed and done >= target and healthy >= desired:
        return Outcome.DONE
    if dig(workload.raw, (*ROLLING, "paused")):
        return Outcome.PAUSED
    return Outcome.HELD if workload.on_delete and healthy >= desired else Outcome.PROGRESSING


def _counter(workload: Workload, key: str) -> int:
    return workload.counter(key) or 0

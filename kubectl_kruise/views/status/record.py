"""`rollout status` for programs: RolloutStatus and Event records (cli.md §3.6, §4.1). Additions only within v1."""

from kubectl_kruise.engine.containers import ContainerProgress
from kubectl_kruise.engine.phases import PodProgress
from kubectl_kruise.engine.problems import Problem
from kubectl_kruise.engine.statefulset.places import places_of
from kubectl_kruise.engine.verdict import Outcome
from kubectl_kruise.facts.kinds import DEPLOYMENT
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.operations.rollout.snapshot import Snapshot, Trouble
from kubectl_kruise.views.schema import SCHEMA, object_record
from kubectl_kruise.views.status.advice import next_commands


def version_record(version: str) -> Raw:
    """Give the record that opens every stream."""
    return {"apiVersion": SCHEMA, "kind": "Version", "version": version}


def status_record(snapshot: Snapshot) -> Raw:
    """Give one moment of a rollout: times RFC 3339 UTC, durations in seconds."""
    workload, verdict = snapshot.workload, snapshot.verdict
    record: Raw = {
        "apiVersion": SCHEMA,
        "kind": "RolloutStatus",
        "object": object_record(workload),
        "outcome": verdict.outcome.value,
        "reason": verdict.reason,
        "message": verdict.message,
        "generation": workload.generation,
        "observedGeneration": workload.observed_generation,
        "revision": _revision(snapshot),
        "strategy": _strategy(snapshot),
        "counts": _counts(snapshot),
        "phases": dict(snapshot.phases),
    }  # fmt: skip
    if snapshot.estimate:
        record["eta"] = {
            "seconds": round(snapshot.estimate.seconds), "method": "medianPerPod",
            "samples": snapshot.estimate.samples,
        }  # fmt: skip
    record["startedAt"] = rfc3339(snapshot.started)
    record["elapsedSeconds"] = round(snapshot.now - snapshot.started)
    if snapshot.last_progress is not None:
        record["lastProgressAt"] = rfc3339(snapshot.last_progress)
    record["pods"] = [_pod(pod) for pod in snapshot.pods]
    record["problems"] = [_problem(trouble, snapshot.now) for trouble in snapshot.troubles]
    if snapshot.held_by:
        record["heldBy"] = snapshot.held_by
    record["next"] = next_commands(snapshot)
    return record


def list_record(records: list[Raw], outcome: Outcome) -> Raw:
    """Give several rollouts as one document; `outcome` is the worst of them."""
    return {"apiVersion": SCHEMA, "kind": "RolloutStatusList", "outcome": outcome.value, "items": records}


def event_record(snapshot: Snapshot, problem: Problem) -> Raw:
    """Give the record of a pod's trouble in a stream."""
    return {
        "apiVersion": SCHEMA, "kind": "Event", "time": rfc3339(snapshot.now),
        "object": {
            "kind": snapshot.workload.kind.kind, "namespace": snapshot.workload.namespace,
            "name": snapshot.workload.name,
        },
        "type": "Warning", **_trouble(problem),
    }  # fmt: skip


def _revision(snapshot: Snapshot) -> Raw:
    revision = {
        "current": snapshot.current_revision or None,
        "update": snapshot.revision or None,
        "number": snapshot.numbers.get(snapshot.revision),
    }
    return {key: value for key, value in revision.items() if value is not None}


def _strategy(snapshot: Snapshot) -> Raw:
    workload = snapshot.workload
    strategy: Raw = {"type": workload.update_type}
    if workload.kind is not DEPLOYMENT:
        strategy["partition"] = {"value": workload.partition_value or 0, "pods": workload.partition}
        places = places_of(workload) if workload.partition and workload.ordered else None
        if places is not None:
            strategy["partition"]["ordinals"] = places.first(workload.partition)
    strategy["maxUnavailable"] = {"value": workload.max_unavailable_value, "pods": workload.max_unavailable}
    strategy["maxSurge"] = {"value": workload.max_surge_value or 0, "pods": workload.max_surge}
    if workload.in_place:
        strategy["gracePeriodSeconds"] = workload.grace_seconds
    return {**strategy, "minReadySeconds": workload.min_ready_seconds, "paused": workload.paused}


def _counts(snapshot: Snapshot) -> Raw:
    counts = snapshot.counts
    return {
        "desired": counts.desired, "target": counts.target, "total": counts.total, "updated": counts.updated,
        "updatedReady": counts.updated_ready, "updatedAvailable": counts.updated_available, "held": counts.held,
        "failing": counts.failing,
    }  # fmt: skip


def _pod(pod: PodProgress) -> Raw:
    record: Raw = {
        "name": pod.name, "node": pod.node, "phase": pod.phase.value,
        "since": None if pod.since is None else rfc3339(pod.since),
        "revision": pod.revision, "ready": pod.ready,
        "containers": [_container(container) for container in pod.containers],
    }  # fmt: skip
    if pod.note:
        record["note"] = pod.note
    if pod.ends is not None and pod.phase.value in ("grace", "settling"):
        record["until"] = rfc3339(pod.ends)
    return {key: value for key, value in record.items() if value is not None}


def _container(container: ContainerProgress) -> Raw:
    record: Raw = {"name": container.name, "state": container.step.value}
    if container.step.value == "kept":
        return record
    if container.before:
        record["from"] = container.before
    return {**record, "to": container.image, "restarts": container.restarts}


def _problem(trouble: Trouble, now: float) -> Raw:
    return {
        **_trouble(trouble.problem),
        "sinceSeconds": max(0, round(now - trouble.since)),
        "terminal": trouble.terminal,
    }


def _trouble(problem: Problem) -> Raw:
    record: Raw = {
        "pod": problem.pod, "container": problem.container or None, "reason": problem.reason,
        "message": problem.message.strip() or None, "exitCode": problem.exit_code,
        "restarts": problem.restarts if problem.container else None,
    }  # fmt: skip
    return {key: value for key, value in record.items() if value is not None}

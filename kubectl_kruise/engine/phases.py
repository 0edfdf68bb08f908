"""Where each pod of a rollout stands, read from its labels, annotations and container statuses.

Sources: cloneset.md §7, §17.5-18.2, §20, §27.3; cli.md §4.1. A pod updated in place carries the new revision label
before any container restarts, so the label alone says nothing about progress.
"""

import json
import math
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from kubectl_kruise.engine.containers import (
    ContainerProgress,
    Step,
    container_steps,
    planned_steps,
)
from kubectl_kruise.engine.problems import (
    Problem,
    ProblemKind,
    held_containers,
    pod_problems,
    resize_trouble,
)
from kubectl_kruise.facts.names import (
    BEFORE_UPDATE,
    IN_PLACE_READY,
    IN_PLACE_STATE,
    IN_PLACE_STATE_LEGACY,
    KRUISE_POD_READY,
    REVISION_LABEL,
    STATE_TIMESTAMP,
)
from kubectl_kruise.objects import pod as pods
from kubectl_kruise.objects.condition import condition, condition_true
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    deleting,
    dig,
    labels_of,
    metadata,
    name_of,
    uid_of,
)

if TYPE_CHECKING:
    from kubectl_kruise.engine.inplace.state import State


class Phase(StrEnum):
    """`OLD` pods become `waiting` or `held` once they are counted: which of them the partition keeps is open."""

    OLD = "old"
    HOOK = "hook"
    GRACE = "grace"
    BATCH = "batch"
    RESTARTING = "restarting"
    RESIZING = "resizing"
    STARTING = "starting"
    UNSCHEDULABLE = "unschedulable"
    FAILING = "failing"
    SETTLING = "settling"
    AVAILABLE = "available"
    TERMINATING = "terminating"


class Rules(NamedTuple):
    """What of the workload decides about its pods."""

    update_revision: str
    min_ready: int = 0
    hook: Raw | None = None
    pre_normal: Raw | None = None
    images: Mapping[str, str] = MappingProxyType({})
    to_delete: frozenset[str] = frozenset()
    revision_label: str = REVISION_LABEL


class PodProgress(NamedTuple):
    """One pod at one moment. Times are epoch seconds. `chosen`: it was picked for deletion and is still there.

    `recheck` is when time alone will change the phase; `took` how many seconds a finished pod needed, None where
    that cannot be told.
    """

    name: str
    uid: str
    revision: str
    phase: Phase
    updated: bool
    counted: bool = True
    chosen: bool = False
    ready: bool = False
    available: bool = False
    node: str = ""
    since: float | None = None
    detail: str = ""
    note: str = ""
    containers: tuple[ContainerProgress, ...] = ()
    problems: tuple[Problem, ...] = ()
    in_place: bool = False
    recheck: float | None = None
    took: float | None = None
    ends: float | None = None


def assess_pod(pod: Raw, rules: Rules, now: float) -> PodProgress:
    """Say where one pod stands.

    Finished pods (Failed, Succeeded) and pods being deleted are not `counted`, as in the controller's own counters.
    """
    revision = labels_of(pod).get(rules.revision_label, "")
    updated = bool(rules.update_revision) and pods.same_revision(revision, rules.update_revision)
    seen = PodProgress(
        name_of(pod), uid_of(pod), revision, Phase.OLD, updated,
        counted=pods.active(pod),
        chosen=pods.specified(pod, rules.to_delete) or pods.state(pod) == pods.PREPARING_DELETE,
        ready=pods.update_ready(pod, 0, now),
        available=pods.available(pod, rules.min_ready, now),
        node=str(dig(pod, ("spec", "nodeName"), "")),
        since=_created(pod),
    )  # fmt: skip
    if not seen.counted:
        since = _deleted_at(pod)
        return seen._replace(
            phase=Phase.TERMINATING if deleting(pod) else Phase.OLD, since=since or seen.since
        )
    if not updated:
        return _old(pod, seen, rules)
    return _new(pod, seen, rules, now)


def _old(pod: Raw, seen: PodProgress, rules: Rules) -> PodProgress:
    if pods.state(pod) == pods.PREPARING_UPDATE:
        images = pods.images_of(pod)
        coming = {name: image for name, image in rules.images.items() if images.get(name, image) != image}
        seen = seen._replace(containers=planned_steps(pod, coming))
        return _hooked(pod, seen, f"held by {_holders(rules.hook, pod) or 'its inPlaceUpdate hook'}")
    return seen._replace(
        problems=pod_problems(pod),
        since=pods.ready_since(pod) or seen.since,
        containers=container_steps(pod, None),
    )


def _new(pod: Raw, seen: PodProgress, rules: Rules, now: float) -> PodProgress:
    state = _in_place_state(pod)
    began = parse_rfc3339(state.started) if state else None
    seen = seen._replace(in_place=state is not None)
    if seen.available:
        seen = seen._replace(containers=container_steps(pod, state))
        return _available(pod, seen, rules, state, began)
    if state and (grace := _grace_text(pod)):
        return _grace(pod, seen, state, grace)
    outdated = _outdated(pod, state) if state else []
    problems = pod_problems(pod, outdated)
    containers = container_steps(pod, state, outdated, problems)
    seen = seen._replace(containers=containers, problems=problems)
    if problems:
        unplaced = problems[0].kind is ProblemKind.UNSCHEDULABLE
        phase = Phase.UNSCHEDULABLE if unplaced else Phase.FAILING
        since = problems[0].since if unplaced else _unready_since(pod)
        return seen._replace(phase=phase, since=since or seen.since, note=_problem_note(problems[0]))
    if state and (outdated or state.waiting):
        return _updating(pod, seen, state, outdated)
    if state and state.resources and (unresized := _unresized(pod)):
        note = _resize_note(pod, unresized)
        return seen._replace(phase=Phase.RESIZING, since=_last_batch(state) or began or seen.since, note=note)
    if pods.state(pod) in (pods.UPDATED, pods.PREPARING_DELETE, pods.PREPARING_UPDATE):
        return _hooked(pod, seen, _hook_note(pod, rules))
    if not pods.update_ready(pod, 0, now):
        phase = Phase.RESTARTING if state else Phase.STARTING
        since = (_last_batch(state) or began) if state else seen.since
        return seen._replace(phase=phase, since=since, note=_unready_note(pod))
    return _settling(pod, seen, rules)


def _available(
    pod: Raw, seen: PodProgress, rules: Rules, state: "State | None", began: float | None
) -> PodProgress:
    ready_since = pods.ready_since(pod)
    started = began if began is not None else _created(pod)
    took = None
    if ready_since is not None and started is not None and ready_since >= started:
        took = ready_since - started + rules.min_ready
    stale = _left_behind(pod, rules) if state else []
    note = f"{', '.join(stale)} left behind on an older image" if stale else ""
    return seen._replace(phase=Phase.AVAILABLE, since=ready_since or seen.since, took=took, note=note)


def _grace(pod: Raw, seen: PodProgress, state: "State", text: str) -> PodProgress:
    """Give the grace period: its end is the update's start plus what the annotation says (cloneset.md §17.7)."""
    try:
        grace = json.loads(text)
        seconds, images = float(grace.get("graceSeconds") or 0), dict(grace.get("containerImages") or {})
    except (ValueError, TypeError, AttributeError):
        seconds, images = 0.0, {}
    began = parse_rfc3339(state.started)
    ends = None if began is None else began + seconds
    return seen._replace(phase=Phase.GRACE, since=began, containers=planned_steps(pod, images), ends=ends,
        detail=f"{seconds:g}", note="not ready on purpose",
    )  # fmt: skip


def grace_left(progress: PodProgress, now: float) -> int:
    """Give the whole seconds left of a grace period, at least 0 (cloneset.md §27.3)."""
    return 0 if progress.ends is None else max(0, math.ceil(progress.ends - now))


def _updating(pod: Raw, seen: PodProgress, state: "State", outdated: list[str]) -> PodProgress:
    since = _last_batch(state) or parse_rfc3339(state.started)
    if not state.waiting:
        pulling = next((each for each in seen.containers if each.step is Step.PULLING), None)
        return seen._replace(phase=Phase.RESTARTING, since=since, ends=pulling.since if pulling else None,
            note="pulling" if pulling else f"{', '.join(outdated)} not restarted yet",
        )  # fmt: skip
    done = len(state.batches)
    current = done if outdated else done + 1
    statuses = pods.statuses_of(pod)
    missing = [name for name in state.required_ready if not (statuses.get(name) or {}).get("ready")]
    waiting = ", ".join(sorted(state.waiting))
    verb = "waits" if len(state.waiting) == 1 else "wait"
    if not missing and not outdated and not state.next_images and not state.next_references:
        return seen._replace(
            phase=Phase.BATCH, detail=f"{current} of {done + 1}", since=since,
            note=f"{waiting} never gets its new resources: no batch of resources alone is begun",
        )  # fmt: skip
    note = f"{waiting} {verb} for {', '.join(missing)} ready" if missing else f"{waiting} next"
    return seen._replace(phase=Phase.BATCH, detail=f"{current} of {done + 1}", since=since, note=note)


def _hooked(pod: Raw, seen: PodProgress, note: str) -> PodProgress:
    since = parse_rfc3339(annotations_of(pod).get(STATE_TIMESTAMP))
    return seen._replace(phase=Phase.HOOK, since=since or seen.since, note=note)


def _hook_note(pod: Raw, rules: Rules) -> str:
    match pods.state(pod):
        case pods.PREPARING_DELETE:
            return "held before deletion by its preDelete hook"
        case pods.PREPARING_UPDATE:
            return f"held by {_holders(rules.hook, pod) or 'its inPlaceUpdate hook'}"
        case _:
            missing = _missing(rules.hook, pod)
            return (
                f"updated, waits for {missing} to be put back" if missing else "updated, about to be normal"
            )


def _settling(pod: Raw, seen: PodProgress, rules: Rules) -> PodProgress:
    since = pods.ready_since(pod)
    if (
        pods.state(pod) == pods.PREPARING_NORMAL
        and rules.pre_normal
        and not pods.all_hooked(rules.pre_normal, pod)
    ):
        return _hooked(pod, seen, f"waits for {_missing(rules.pre_normal, pod)} of its preNormal hook")
    recheck = since + rules.min_ready if since is not None and rules.min_ready else None
    note = "" if recheck is not None else f"lifecycle state {pods.state(pod)}"
    return seen._replace(phase=Phase.SETTLING, since=since, recheck=recheck, ends=recheck, note=note)


def _in_place_state(pod: Raw) -> "State | None":
    """Give the record of the in-place update that brought the pod to its revision; None for one of an earlier revision."""
    annotations = annotations_of(pod)
    if IN_PLACE_STATE not in annotations and IN_PLACE_STATE_LEGACY not in annotations:
        return None
    from kubectl_kruise.engine.inplace.state import parse_state, state_annotation

    text = state_annotation(pod) or ""
    try:
        state = parse_state(text)
    except ValueError:
        return None
    return state if pods.has_revision(pod, state.revision) else None


def _grace_text(pod: Raw) -> str:
    from kubectl_kruise.engine.inplace.state import grace_annotation

    return grace_annotation(pod)


def _outdated(pod: Raw, state: "State") -> list[str]:
    """Name the containers that do not run their new image yet."""
    from kubectl_kruise.engine.inplace.completion import containers_complete, outdated_containers

    return [] if containers_complete(pod, state) else outdated_containers(pod, state)


def _unresized(pod: Raw) -> list[str]:
    from kubectl_kruise.engine.inplace.resources import unresized_containers

    return unresized_containers(pod)


def _resize_note(pod: Raw, names: list[str]) -> str:
    """Say what a resize waits for: the kubelet's own words where it gives any, or the restart that a policy asks for."""
    if told := resize_trouble(pod):
        return told
    statuses = pods.statuses_of(pod)
    stopped = [name for name in names if dig(statuses.get(name), ("state", "running")) is None]
    if stopped:
        return f"{', '.join(stopped)} restarting for new resources"
    return f"{', '.join(names)} not resized yet"


def _left_behind(pod: Raw, rules: Rules) -> list[str]:
    """Name containers whose image is not the template's: a newer template over an unfinished update forgets batches."""
    return [name for name, image in pods.images_of(pod).items() if rules.images.get(name, image) != image]


def _last_batch(state: "State | None") -> float | None:
    return parse_rfc3339(state.batches[-1].timestamp) if state and state.batches else None


def _created(pod: Raw) -> float | None:
    return parse_rfc3339(metadata(pod).get("creationTimestamp"))


def _deleted_at(pod: Raw) -> float | None:
    """Give when deletion was asked for: the timestamp is that moment plus the grace period."""
    ends = parse_rfc3339(metadata(pod).get("deletionTimestamp"))
    return None if ends is None else ends - float(metadata(pod).get("deletionGracePeriodSeconds") or 0)


def _unready_since(pod: Raw) -> float | None:
    return None if pods.ready(pod) else pods.ready_since(pod)


def _unready_note(pod: Raw) -> str:
    """Say what keeps a pod unready whose containers give no reason: a placement, an init container, a gate."""
    if not dig(pod, ("spec", "nodeName")):
        return "not scheduled yet"
    if condition(pod, "Initialized") is not None and not condition_true(pod, "Initialized"):
        return "init containers running"
    if held := held_containers(pod):
        verb = "waits" if len(held) == 1 else "wait"
        return f"{', '.join(held)} {verb} for containers of a higher launch priority"
    if pods.ready(pod):
        return "restarted, its gate still shut"
    if condition_true(pod, "ContainersReady"):
        if left := _key_left_behind(pod):
            return left
        gates = [str(gate.get("conditionType")) for gate in dig(pod, ("spec", "readinessGates"), [])]
        shut = [gate for gate in gates if not condition_true(pod, gate)]
        if shut == [IN_PLACE_READY]:
            return "restarted, its gate still shut"
        return f"readiness gate {', '.join(shut)} not true" if shut else "containers ready"
    return ""


def _key_left_behind(pod: Raw) -> str:
    """Find a normal pod that a hook of an update taken back still keeps out of service (cloneset.md Q14)."""
    kept = condition(pod, KRUISE_POD_READY) or {}
    held = kept.get("status") == "False" and BEFORE_UPDATE in str(kept.get("message") or "")
    if not held or pods.state(pod) != pods.NORMAL:
        return ""
    return f"kept unready by {BEFORE_UPDATE}, left over from an update that was taken back"


def _problem_note(problem: Problem) -> str:
    if problem.kind is not ProblemKind.CRASH:
        return problem.message
    code = f"exit {problem.exit_code}" if problem.exit_code is not None else ""
    return ", ".join(part for part in (code, problem.exit_reason, problem.message.strip()) if part)


def _holders(hook: Raw | None, pod: Raw) -> str:
    """Name what of a hook is on the pod and holds it."""
    finalizers, labels = metadata(pod).get("finalizers") or [], labels_of(pod)
    found = [
        f"finalizer {name}" for name in (hook or {}).get("finalizersHandler") or [] if name in finalizers
    ]
    handlers = (hook or {}).get("labelsHandler") or {}
    found += [f"label {key}={value}" for key, value in handlers.items() if labels.get(key) == value]
    return ", ".join(found)


def _missing(hook: Raw | None, pod: Raw) -> str:
    finalizers, labels = metadata(pod).get("finalizers") or [], labels_of(pod)
    found = [
        f"finalizer {name}" for name in (hook or {}).get("finalizersHandler") or [] if name not in finalizers
    ]
    handlers = (hook or {}).get("labelsHandler") or {}
    found += [f"label {key}={value}" for key, value in handlers.items() if labels.get(key) != value]
    return ", ".join(found)

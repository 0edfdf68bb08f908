"""`rollout status` where nobody looks at a screen: one line per change with its time, and the one-shot form.

Words are `key=value`, so that they can be searched; times are RFC 3339 (cli.md §4.1).
"""

import json
from collections.abc import Sequence

from kubectl_kruise.engine.problems import Problem
from kubectl_kruise.engine.verdict import Outcome
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.operations.rollout.snapshot import Snapshot
from kubectl_kruise.views.text import brief_problem

WORDS = {Outcome.TIMED_OUT: "timed-out"}


def line(snapshot: Snapshot, text: str) -> str:
    return f"{rfc3339(snapshot.now)} {_place(snapshot)}{snapshot.workload.reference} {text}"


def start_line(snapshot: Snapshot) -> str:
    """Give the first line: which generation is awaited, and how far the rollout is to go."""
    workload = snapshot.workload
    parts = [f"start generation={workload.generation}"]
    if snapshot.revision and workload.observed:
        parts.append(f"revision={snapshot.revision}")
    parts.append(f"target={snapshot.counts.target}/{snapshot.counts.desired}")
    parts.append(f"mode={mode(snapshot)}")
    if workload.partition:
        parts.append(f"partition={workload.partition_value}")
    return line(snapshot, " ".join(parts))


def observed_line(snapshot: Snapshot) -> str:
    return line(snapshot, f"observed generation={snapshot.workload.generation}")


def progress_line(snapshot: Snapshot) -> str:
    counts = snapshot.counts
    phases = [
        f"{phase}={count}"
        for phase, count in snapshot.phases.items()
        if phase not in ("waiting", "available")
    ]
    wanted = max(counts.target, counts.updated)
    numbers = (
        f"updated={counts.updated}/{wanted} ready={counts.updated_ready} available={counts.updated_available}"
    )
    surplus = [f"surplus={counts.total - counts.desired}"] if counts.total > counts.desired else []
    lag = ["waiting-for=controller-status"] if snapshot.verdict.reason == "WaitingForStatus" else []
    return line(snapshot, " ".join(["progress", numbers, *surplus, *phases, *lag]))


def warning_line(snapshot: Snapshot, problem: Problem) -> str:
    parts = [f"pod={problem.pod}"]
    if problem.container:
        parts.append(f"container={problem.container}")
    parts.append(f"warning={problem.reason}")
    if problem.container:
        parts.append(f"restarts={problem.restarts}")
    if problem.exit_code is not None:
        parts.append(f"exit={problem.exit_code}")
    if problem.message.strip():
        parts.append(f"message={json.dumps(problem.message.strip(), ensure_ascii=False)}")
    return line(snapshot, " ".join(parts))


def heartbeat_line(snapshot: Snapshot) -> str:
    counts = snapshot.counts
    moved = snapshot.started if snapshot.last_progress is None else snapshot.last_progress
    numbers = f"updated={counts.updated}/{counts.target} available={counts.updated_available}"
    lag = f" reason={snapshot.verdict.reason}" if snapshot.verdict.reason != "WaitingForPods" else ""
    return line(snapshot, f"waiting {numbers} last-change={snapshot.now - moved:.0f}s{lag}{_held(snapshot)}")


def final_line(snapshot: Snapshot) -> str:
    """Give the last line: the outcome with its numbers, and the sentence where it is not simply done."""
    counts, verdict = snapshot.counts, snapshot.verdict
    parts = [WORDS.get(verdict.outcome, verdict.outcome.value)]
    if verdict.outcome not in (Outcome.DONE, Outcome.HELD):
        parts.append(f"reason={verdict.reason}")
    wanted = max(counts.target, counts.updated) if verdict.outcome is Outcome.DONE else counts.target
    parts += [f"updated={counts.updated}/{wanted}", f"available={counts.updated_available}"]
    if counts.held and snapshot.workload.partition:
        parts.append(f"held={counts.held}")
    parts.append(f"took={snapshot.now - snapshot.started:.0f}s")
    if verdict.outcome is not Outcome.DONE:
        parts.append(f"message={json.dumps(verdict.message, ensure_ascii=False)}")
    return line(snapshot, " ".join(parts) + _held(snapshot))


def mode(snapshot: Snapshot) -> str:
    workload = snapshot.workload
    if workload.in_place:
        return "in-place"
    return {"OnDelete": "on-delete", "RollingUpdate": "rolling"}.get(workload.update_type, "recreate")


def one_shot_lines(snapshots: Sequence[Snapshot]) -> list[str]:
    """Give the state of each rollout as a sentence, its troubles below."""
    found = []
    for snapshot in snapshots:
        workload = snapshot.workload
        found.append(
            f"{_place(snapshot)}{workload.kind.display}/{workload.name} {_outcome(snapshot)}: {snapshot.verdict.message}"
        )
        phases = [f"{count} {phase}" for phase, count in snapshot.phases.items()]
        if not snapshot.verdict.final and len(phases) > 1:
            found.append(f"  {', '.join(phases)}")
        found += [f"  {snapshot.held_by}"] if snapshot.held_by else []
        found += [
            f"  {trouble.problem.pod} {brief_problem(trouble.problem)}" for trouble in snapshot.troubles
        ]
    return found


def _place(snapshot: Snapshot) -> str:
    return f"{snapshot.workload.namespace}/" if snapshot.qualified else ""


def _held(snapshot: Snapshot) -> str:
    return f" held-by={json.dumps(snapshot.held_by, ensure_ascii=False)}" if snapshot.held_by else ""


def _outcome(snapshot: Snapshot) -> str:
    outcome = snapshot.verdict.outcome
    return WORDS.get(outcome, outcome.value)

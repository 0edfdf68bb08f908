"""What a user may want to type next, as whole commands."""

from kubectl_kruise.engine.verdict import Outcome
from kubectl_kruise.operations.rollout.snapshot import Snapshot

PROGRAM = "kubectl kruise"


def next_commands(snapshot: Snapshot) -> list[str]:
    """Give the commands that fit the outcome, the most likely first; none for a finished rollout."""
    return [command for _, command in advice(snapshot)]


def advice(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Give (label, command) pairs that fit the outcome."""
    workload = snapshot.workload
    object_ = workload.arguments
    rollout = f"{PROGRAM} rollout"
    match snapshot.verdict.outcome:
        case Outcome.FAILED | Outcome.TIMED_OUT:
            return [("look", f"{PROGRAM} tree {object_}"), ("undo", f"{rollout} undo {object_}")]
        case Outcome.PAUSED:
            return [("next", f"{rollout} resume {object_}"), ("undo", f"{rollout} undo --resume {object_}")]
        case Outcome.DONE | Outcome.HELD if snapshot.counts.held and workload.kind.native:
            return [("undo", f"{rollout} undo {object_}")]
        case Outcome.DONE | Outcome.HELD if snapshot.counts.held and workload.partition:
            lower = workload.partition // 2
            return [
                ("next", f"{rollout} partition {workload.reference} {lower} -n {workload.namespace}"),
                ("undo", f"{rollout} undo {object_}"),
            ]
        case Outcome.PROGRESSING if snapshot.troubles:
            stop = ("stop", "pause") if workload.layout.paused else ("undo", "undo")
            return [("look", f"{PROGRAM} tree {object_}"), (stop[0], f"{rollout} {stop[1]} {object_}")]
        case _:
            return []

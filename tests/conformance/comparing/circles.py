"""Scenarios that never become quiet: the manager turns something to and fro, and how often is chance."""

import re
from typing import Any

from kubectl_kruise.facts.names import STATE_LABEL
from tests.conformance.comparing.compare import workloads_difference
from tests.conformance.comparing.writes import Write, intent

Intents = frozenset[tuple[str, ...] | None]


class Circles:
    """`turning`: the step before was closed in the middle of a turn; its turns may go on for a while in this one."""

    def __init__(self, recording: dict[str, Any]) -> None:
        """Read from the note which steps were closed without having become quiet."""
        found = re.findall(r"step (\d+): recorded after \d+ s without", recording.get("note") or "")
        self._steps = frozenset(map(int, found))
        self.turning = False
        self._turns: Intents = frozenset()

    def has(self, number: int) -> bool:
        """Say whether the step of this number was closed in the middle of a turn."""
        return number in self._steps

    def close(self, number: int, writes: list[Write]) -> None:
        """Note what the step of this number leaves to the next."""
        self.turning = self.has(number)
        self._turns = _intents(writes) if self.turning else frozenset()

    def fresh(self, writes: list[Write]) -> list[Write]:
        """Leave out what turns since the step before."""
        return [write for write in writes if intent(write) not in self._turns]

    def without_turn(self, answer: Any) -> Any:
        """Leave the lifecycle state out of a pod: which turn an action meets is chance."""
        if not self.turning or not isinstance(answer, dict) or not answer.get("metadata", {}).get("labels"):
            return answer
        meta = answer["metadata"]
        labels = {key: value for key, value in meta["labels"].items() if key != STATE_LABEL}
        return answer | {"metadata": meta | {"labels": labels}}


def stands(recorded: dict[str, Any], theirs: list[Write], ours: dict[str, Any], mine: list[Write]) -> bool:
    """Say whether our state is the one a step was closed in, after all of its writes."""
    if _intents(theirs) - _intents(mine):
        return False
    then, now = (
        sorted(pod["labels"].get(STATE_LABEL, "") for pod in state["pods"]) for state in (recorded, ours)
    )
    return now == then and not workloads_difference(recorded["workloads"], ours["workloads"])


def _intents(writes: list[Write]) -> Intents:
    return frozenset(map(intent, writes))

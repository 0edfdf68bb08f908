"""How long the rest of a rollout may take, judged by the pods that are through (cli.md §1.1 row 9)."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

FEWEST_SAMPLES: Final = 3


class Estimate(NamedTuple):
    seconds: float
    samples: int


def estimate(durations: Sequence[float], remaining: int, at_once: int) -> Estimate | None:
    """Estimate the seconds left: the median pod's time for each wave of `at_once` pods; None before 3 pods are through."""
    if remaining <= 0 or len(durations) < FEWEST_SAMPLES:
        return None
    waves = math.ceil(remaining / max(1, at_once))
    middle = sorted(durations)[len(durations) // 2]
    return Estimate(middle * waves, len(durations))

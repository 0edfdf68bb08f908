"""The few words that a list has for a rollout under way (cli.md §4.6)."""

import pytest

from kubectl_kruise.engine.causes import cause_of
from kubectl_kruise.engine.counts import Counts
from kubectl_kruise.engine.phases import Phase, PodProgress
from tests.engine.changes.workloads import cloneset

COUNTS = Counts(5, 5, total=5, updated=2, available=4, updated_available=1, from_pods=True)
BARRED = "app waits for containers of a higher launch priority"


def pods(*phases: Phase, note: str = "") -> list[PodProgress]:
    return [
        PodProgress(f"p{index}", f"u{index}", "web-1", phase, updated=True, note=note)
        for index, phase in enumerate(phases)
    ]


@pytest.mark.parametrize(
    ("strategy", "seen", "expected"),
    [
        pytest.param({}, pods(Phase.RESTARTING, Phase.AVAILABLE), "", id="on its way"),
        pytest.param(
            {}, pods(Phase.HOOK, Phase.FAILING, Phase.FAILING), "2 failing", id="the worst comes first"
        ),
        pytest.param({}, pods(Phase.UNSCHEDULABLE), "1 unschedulable", id="no node"),
        pytest.param({}, pods(Phase.RESIZING), "1 resizing", id="a resize"),
        pytest.param({}, pods(Phase.HOOK), "1 held by hooks", id="a hook"),
        pytest.param(
            {}, pods(Phase.STARTING, note=BARRED), "1 held by launch priority", id="a launch barrier"
        ),
        pytest.param({"maxUnavailable": "12.5%"}, pods(Phase.AVAILABLE), "no pod can be updated", id="Q4"),
    ],
)
def test_the_cause_in_a_few_words(strategy: dict[str, str], seen: list[PodProgress], expected: str) -> None:
    assert cause_of(cloneset(strategy=strategy), COUNTS, seen) == expected

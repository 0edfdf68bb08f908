"""Why a rollout is not done yet, in a few words for a line of a list (cli.md §4.6)."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from kubectl_kruise.engine.counts import Counts
from kubectl_kruise.engine.phases import Phase, PodProgress
from kubectl_kruise.engine.standstill import no_update
from kubectl_kruise.objects.workload import Workload

_WORDS: Final = {
    Phase.FAILING: "failing",
    Phase.UNSCHEDULABLE: "unschedulable",
    Phase.RESIZING: "resizing",
    Phase.HOOK: "held by hooks",
    Phase.GRACE: "in grace",
}
"""What a rollout may wait for longer than it takes to start a container, the worst first."""
BARRIER: Final = "launch priority"


def cause_of(workload: Workload, counts: Counts, pods: Iterable[PodProgress]) -> str:
    """Give the worst that keeps the pods from being done, "" where they are simply on their way."""
    found = list(pods)
    phases = Counter(pod.phase for pod in found)
    if worst := next((phase for phase in _WORDS if phases[phase]), None):
        return f"{phases[worst]} {_WORDS[worst]}"
    if barred := sum(BARRIER in pod.note for pod in found):
        return f"{barred} held by launch priority"
    stands = counts.updated < counts.target and no_update(
        workload,
        total=counts.total,
        available=counts.available,
        hooked=counts.hooked_old,
        waiting=counts.waiting,
        unwell=counts.unwell,
    )
    return "no pod can be updated" if stands else ""

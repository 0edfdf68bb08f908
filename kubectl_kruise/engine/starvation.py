"""Rollouts that cannot begin: missing pods use up what may be unavailable, and none may be made (cloneset.md §26 Q23)."""

from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.raw import dig
from kubectl_kruise.objects.workload import Workload


def starved(workload: Workload, *, total: int, available: int) -> str:
    """Say why not even a repaired template reaches the broken pods, "" where it does.

    `total` and `available` count the pods there are. Creation stops while as many pods are down as
    `scaleStrategy.maxUnavailable` allows, and every missing pod counts against `maxUnavailable`.
    """
    limit = dig(workload.raw, ("spec", "scaleStrategy", "maxUnavailable"), None)
    missing, down = workload.replicas - total, total - available
    if workload.kind is not CLONESET or limit is None or missing <= 0:
        return ""
    stopped = down >= number.scale_unavailable(limit, workload.replicas)
    if not stopped or workload.max_unavailable > missing:
        return ""
    return (
        f"no pod can be updated: {missing} of {workload.replicas} are missing and not made while {down} "
        "are unavailable (scaleStrategy.maxUnavailable); scale down to what is there to go on"
    )

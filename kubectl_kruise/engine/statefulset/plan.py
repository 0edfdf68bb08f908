"""One pass over a set from beginning to end (advanced-statefulset.md §12)."""

from collections.abc import Iterator

from kubectl_kruise.engine.statefulset.condemned import plan_claim_owners, plan_condemned
from kubectl_kruise.engine.statefulset.refresh import plan_refreshes
from kubectl_kruise.engine.statefulset.replicas import plan_replicas
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.engine.statefulset.steps import Phase, Refresh, Stop
from kubectl_kruise.engine.statefulset.update import plan_refreshing, plan_update


def plan_pass(situation: Situation) -> Iterator[Phase]:
    """Give the phases in order, the one that ends the pass as the last.

    They are made one after the other: what a phase does is not seen by those behind it, as all see the pods as they
    were when the pass began.
    """
    if situation.view.deleting:
        yield Phase(stop=Stop("the set is being deleted"))
        return
    refreshes = plan_refreshes(situation)
    replicas = plan_replicas(situation, refreshes)
    yield replicas
    if replicas.stop is not None:
        return
    yield plan_claim_owners(situation)
    condemned = plan_condemned(situation)
    yield condemned
    if condemned.stop is not None:
        return
    done = {step.member.name for step in replicas.steps if isinstance(step, Refresh)}
    refreshing = plan_refreshing(situation, refreshes, done)
    yield refreshing
    if refreshing.stop is None:
        yield plan_update(situation)

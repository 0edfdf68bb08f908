"""Delete or replace chosen pods, for `scale` and for the spelling of the official plugin, `scaledown`."""

from collections.abc import Sequence

from kubectl_kruise.cli.finding.pods import fetch_pods, hpa_warnings
from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.options import Writing
from kubectl_kruise.cli.rollouts.waiting import wait_for_end
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.writing import write
from kubectl_kruise.engine.changes.change import Change, Decision
from kubectl_kruise.engine.changes.places import full_names, plan_delete_places, plan_replace_place
from kubectl_kruise.engine.changes.scaling import (
    check_current,
    check_pods,
    plan_delete_pods,
    plan_replace_pod,
)
from kubectl_kruise.engine.changes.way import claim_warnings
from kubectl_kruise.errors import RefusedError, UsageError
from kubectl_kruise.facts.kinds import POD, STATEFULSET
from kubectl_kruise.objects.raw import Raw, deleting, uid_of
from kubectl_kruise.objects.workload import Workload


def delete_pods(
    session: Session,
    targets: Sequence[Target],
    names: Sequence[str],
    how: Writing,
    *,
    current: int | None = None,
    look_for_hpa: bool = True,
) -> None:
    """Shrink a CloneSet or an Advanced StatefulSet by the pods named, in one guarded patch."""
    names = _names(targets, names)

    def plan(target: Target, live: Raw) -> Decision:
        workload = Workload(live, target.kind)
        check_current(workload, current)
        choose = plan_delete_places if target.kind is STATEFULSET else plan_delete_pods
        decision = choose(workload, names, fetch_pods(session, target, live, names))
        if isinstance(decision, Change) and look_for_hpa:
            return decision._replace(warnings=(*decision.warnings, *hpa_warnings(session, target)))
        return decision

    write(session, targets, plan, how, doing="delete pods of")


def replace_pods(
    session: Session,
    targets: Sequence[Target],
    names: Sequence[str],
    how: Writing,
    *,
    current: int | None = None,
) -> None:
    """Mark the pods named for deletion, so that their workload replaces them."""
    names = _names(targets, names)
    (target,) = targets
    live = session.fetch(target)
    if deleting(live):
        raise RefusedError(f"cannot replace pods of {target.title}: it is being deleted")
    workload = Workload(live, target.kind)
    check_current(workload, current)
    pods = fetch_pods(session, target, live, names)
    check_pods(workload, names, pods)
    deadline = session.deadline(how.timeout)

    def plan(_: Target, pod: Raw) -> Decision:
        replace = plan_replace_place if target.kind is STATEFULSET else plan_replace_pod
        return replace(workload, pod)

    marked = [Target(POD, target.namespace, name) for name in names]
    if not how.dry:
        warnings = claim_warnings(workload, recreated=True)
        question = [f"replace {', '.join(names)} of {target.display}: this deletes pods", *warnings]
        if session.confirm("\n  ".join(question), [target.namespace], yes=how.yes):
            session.told(warnings)
    write(session, marked, plan, how._replace(wait=False, yes=True), doing="replace")
    if how.wait and not how.dry:
        from kubectl_kruise.operations.rollout.restart import await_gone

        uids = {uid_of(pods[name]) for name in names}
        await_gone(session.cluster, session.clock, workload, uids, deadline=deadline)
    wait_for_end(session, targets, how, deadline=deadline)


def _names(targets: Sequence[Target], names: Sequence[str]) -> Sequence[str]:
    """Give the names of the pods meant, which of a set may be ordinals; UsageError for several workloads."""
    if len(targets) > 1:
        raise UsageError("pods are named for one workload at a time")
    kind, _, name, _ = targets[0]
    return full_names(name, names) if kind is STATEFULSET else names

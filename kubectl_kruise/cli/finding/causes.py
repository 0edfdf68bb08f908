"""A look at the pods of rollouts that a list shows under way: why they are not done (cli.md §4.6)."""

from collections.abc import Mapping, Sequence
from typing import Final

from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.changes.stewards import migration_of
from kubectl_kruise.engine.overview import overview
from kubectl_kruise.engine.verdict import Outcome
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import CLONESET, POD, STATEFULSET
from kubectl_kruise.objects.workload import Workload

MOST_ROLLOUTS: Final = 3
MOST_PODS: Final = 500
"""Larger sets take more than one page, and a list should not take longer for them."""


def find_causes(session: Session, workloads: Sequence[Workload]) -> Mapping[str, str]:
    """Give short causes by uid, of CloneSets and sets under way; none where many are, or where pods may not be listed.

    Of what an unfinished migration holds, that is the cause.
    """
    held = {each.uid: f"held by {holder}" for each in workloads if (holder := migration_of(each.raw))}
    moving = [
        each
        for each in workloads
        if each.kind in (CLONESET, STATEFULSET)
        and each.uid not in held
        and each.observed
        and overview(each).outcome is Outcome.PROGRESSING
    ]
    if len(moving) > MOST_ROLLOUTS:
        return held
    return held | {each.uid: _cause(session, each) for each in moving if each.replicas <= MOST_PODS}


def _cause(session: Session, workload: Workload) -> str:
    from kubectl_kruise.engine.causes import cause_of
    from kubectl_kruise.operations.rollout.progress import Aim, Progress

    try:
        listed = session.cluster.list(POD.path(workload.namespace), labels=workload.selector)
    except KruiseError:  # the list itself is what was asked for
        return ""
    now = session.clock.time()
    progress = Progress(workload.kind, workload.raw, Aim(), now, lookup=lambda _: None)
    progress.take_pods(listed["items"], now)
    return cause_of(workload, progress.counts(), progress.snapshot(now, every_pod=True).pods)

"""Whether a set counts every pod that it was given, and goes on doing so: before that it may not work (migration.md §5.2.3)."""

from typing import Final

from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.engine.migration.sets import Sets, knows_revision, revision_of, to_relabel
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import deleting
from kubectl_kruise.operations.migrate.handover.revisions import await_released
from kubectl_kruise.operations.migrate.handover.targets import MANAGER_SECONDS
from kubectl_kruise.operations.migrate.looking import list_pods
from kubectl_kruise.operations.migrate.run import Run

SECOND_LOOK: Final = 1.0
"""Seconds between the two readings that have to agree."""


def agreed(run: Run, journal: Journal, path: str, kind: Kind) -> bool:
    """Compare twice what the set at `path` counts with its pods; False where its revision has moved meanwhile.

    The manager of Kruise takes revisions of a set back that is being deleted, and then they are collected with it: the
    name that the native controller has chosen may be another one afterwards (§2.2 A16). Raises TimedOutError where the
    set counts other pods than it has for a minute.
    """
    await_released(run, journal, path)
    first = _counted(run, journal, path, kind)
    if not first:
        return False
    run.wait(SECOND_LOOK)
    return _counted(run, journal, path, kind) == first


def _counted(run: Run, journal: Journal, path: str, kind: Kind) -> str:
    """Wait until the set counts every pod as updated; gives its revision, "" where pods are of another one."""

    def look() -> str | None:
        live = run.cluster.get(path)
        now = Sets(None, live, list_pods(run, journal))
        if to_relabel(now) or deleting(live):
            return ""
        status = live.get("status") or {}
        counts = {int(status.get(key) or 0) for key in ("replicas", "updatedReplicas")}
        settled = counts == {len(now.owned_by(live))} and knows_revision(live, kind)
        return revision_of(live) if settled else None

    waiting_for = f"the {kind.called} to count its pods, all of them updated"
    return run.until(look, waiting_for, seconds=MANAGER_SECONDS)

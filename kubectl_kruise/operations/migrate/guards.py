"""What guards the deletion of owners: preconditions, and the finalizer that holds one while its pods move (migration.md §4.2)."""

from collections.abc import Iterable
from typing import Final

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.checks.source import PROTECTION
from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.names import MIGRATE_HOLD
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.raw import Raw, labels_of, metadata, uid_of, version_of
from kubectl_kruise.operations.migrate.run import Run

YOUNG_SECONDS: Final = 30.0
"""Age of an ownership below which the garbage collector may not know of it (§4.2)."""


def delete_alone(run: Run, path: str, live: Raw, *, any_version: bool = False) -> None:
    """Delete an owner and leave what it owns; only this very object, and only in this version unless told otherwise."""
    guards = {"uid": uid_of(live)}
    if not any_version:
        guards["resourceVersion"] = version_of(live)
    run.check()
    try:
        run.cluster.delete(path, options={"propagationPolicy": "Orphan", "preconditions": guards})
    except NotFoundError:
        return  # gone already, as wanted


def let_go(run: Run, path: str, live: Raw | None) -> None:
    """Take our hold off an object; others may stand beside it."""
    finalizers = metadata(live or {}).get("finalizers") or []
    if MIGRATE_HOLD not in finalizers:
        return
    at = f"/metadata/finalizers/{finalizers.index(MIGRATE_HOLD)}"
    operations = [{"op": "test", "path": at, "value": MIGRATE_HOLD}, {"op": "remove", "path": at}]
    try:
        run.cluster.patch(path, Patch(PatchType.JSON, operations))
    except NotFoundError:
        return


def unprotect(run: Run, journal: Journal, path: str, live: Raw) -> Raw:
    """Take the label off that forbids deletion, where the user has said so; the new owner bears it already."""
    if not journal.options.get("unprotect") or PROTECTION not in labels_of(live):
        return live
    body = {"metadata": {"resourceVersion": version_of(live), "labels": {PROTECTION: None}}}
    return run.cluster.patch(path, Patch(PatchType.MERGE, body))


def await_age(run: Run, objects: Iterable[Raw], youngest: str, *, since: float = 0.0) -> None:
    """Wait until objects, and what happened at `since`, are old enough for the collector to know whose they are.

    `youngest` names in a sentence what is waited for; `since` is in epoch seconds.
    """
    made = [parse_rfc3339(metadata(each).get("creationTimestamp")) or 0.0 for each in objects]
    left = max([since, *made]) + YOUNG_SECONDS - run.clock.time()
    if left > 0:
        run.tell(f"waits {left:.0f}s: {youngest} is younger than {YOUNG_SECONDS:g}s")
        run.wait(left)

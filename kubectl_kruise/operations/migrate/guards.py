"""What guards the deletion of owners: preconditions, and the finalizer that holds one while its pods move (migration.md §4.2)."""

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.names import MIGRATE_HOLD
from kubectl_kruise.objects.raw import Raw, metadata, uid_of, version_of
from kubectl_kruise.operations.migrate.run import Run


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

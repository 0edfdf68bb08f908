"""Whether revisions can change hands: some the server lets nobody patch, so that controllers would try for ever (migration.md §10)."""

from collections.abc import Iterator
from typing import Final

from kubectl_kruise.cluster.port import DryRun, Patch, PatchType
from kubectl_kruise.engine.migration.checks.check import Check, some
from kubectl_kruise.errors import KruiseError, NotAllowedError
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION
from kubectl_kruise.facts.names import MIGRATE_PREFIX
from kubectl_kruise.objects.raw import Raw, metadata, name_of, owner_uid
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.run import Run

_TRIED: Final = {"metadata": {"annotations": {f"{MIGRATE_PREFIX}try": "true"}}}
_INVALID: Final = 422


def check_revisions(run: Run, workload: Workload) -> Iterator[Check]:
    """Let the server try a patch of every revision that the other set would take over.

    Their data may not change, and is compared byte by byte with what a patch writes: compact, keys in order. Data that
    somebody has written otherwise (by hand, from a backup) fits no patch, also none of the collector's or a controller's.
    """
    path = CONTROLLER_REVISION.path(run.namespace)
    try:
        listed = run.cluster.list(path, labels=workload.selector, keep=_slim)["items"]
    except NotAllowedError:
        return
    mine = [name_of(each) for each in listed if owner_uid(each) in ("", workload.uid)]
    if stuck := [name for name in sorted(mine) if _stuck(run, f"{path}/{name}")]:
        yield Check(
            "P-REVISION",
            f"ControllerRevision {some(stuck)}: its data is not written as the server writes it, so nobody can take it over",
            f"kubectl get controllerrevision {stuck[0]} -o yaml | kubectl replace --force -f -",
            f"controllerrevision/{stuck[0]}",
        )


def _stuck(run: Run, path: str) -> bool:
    run.check()
    try:
        run.cluster.patch(path, Patch(PatchType.MERGE, _TRIED), dry_run=DryRun.SERVER)
    except (
        KruiseError
    ) as error:  # rights and other failures are not what is looked for: controllers have their own
        return error.http == _INVALID and "immutable" in f"{error.message} {error.cause}"
    return False


def _slim(revision: Raw) -> Raw:
    return {"metadata": {key: value for key, value in metadata(revision).items() if key != "managedFields"}}

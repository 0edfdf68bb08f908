"""Revisions of a set that is handed over: until its manager has let go of them, none of their names is final (migration.md §2.2 A16)."""

from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.errors import NotAllowedError
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION
from kubectl_kruise.objects.raw import Raw, metadata, owner_uid, uid_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.run import Run

BLIND_SECONDS = 10.0
"""How long is waited where revisions may not be listed: the collector has never taken longer."""

RELEASE_SECONDS = 60.0


def await_released(run: Run, journal: Journal, getting: str) -> None:
    """Wait until no revision has another controller than the set at the path `getting`.

    Raises TimedOutError after a minute: somebody else's revisions match the selector then.
    """
    target = uid_of(run.cluster.get(getting))
    path = CONTROLLER_REVISION.path(run.namespace)
    selector = Workload(journal.source_manifest, journal.kind).selector

    def released() -> bool | None:
        listed = run.cluster.list(path, labels=selector, keep=_slim)["items"]
        return True if all(owner_uid(each) in ("", target) for each in listed) else None

    try:
        run.until(released, "the revisions of the old set to be let go of", seconds=RELEASE_SECONDS)
    except NotAllowedError:
        run.tell(f"revisions may not be listed: waits {BLIND_SECONDS:g}s instead")
        run.wait(BLIND_SECONDS)


def _slim(revision: Raw) -> Raw:
    return {"metadata": {key: value for key, value in metadata(revision).items() if key != "managedFields"}}

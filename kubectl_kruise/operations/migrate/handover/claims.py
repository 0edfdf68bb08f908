"""Volume claims of a set that is handed over: nobody may own one meanwhile (migration.md §2.2 A13, §5.2.1 T2)."""

from collections.abc import Iterable

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.ordinals import ordinal_of
from kubectl_kruise.engine.statefulset.ordinals import claim_name
from kubectl_kruise.errors import TimedOutError
from kubectl_kruise.facts.kinds import PVC
from kubectl_kruise.objects.raw import Raw, dig, metadata, name_of, uid_of
from kubectl_kruise.objects.retention import RETENTION, retention_of
from kubectl_kruise.operations.migrate.looking import fetch
from kubectl_kruise.operations.migrate.run import Run

CLAIM_SECONDS = 60.0
_PAGE = 500


def await_unowned(run: Run, owner: Raw, pods: Iterable[Raw]) -> None:
    """Wait until no claim of these pods names the set or a pod as its owner, so that none is collected with it.

    Raises TimedOutError after a minute.
    """
    names = names_of(owner, pods)
    if not names:
        return
    uids = {uid_of(owner), *(uid_of(pod) for pod in pods)}
    run.until(
        lambda: None if any(_owners(claim) & uids for claim in claims_of(run, names)) else True,
        f"the volume claims of {name_of(owner)} to have no owner",
        seconds=CLAIM_SECONDS,
    )


def restore_policy(run: Run, path: str, wanted: Raw) -> None:
    """Let the set at `path` do with its claims what `wanted` says, where that was changed for the migration."""
    live = fetch(run, path)
    if live is not None and retention_of(live) != retention_of(wanted):
        body = {"spec": {RETENTION[-1]: retention_of(wanted)}}
        run.cluster.patch(path, Patch(PatchType.MERGE, body))


def await_policy(run: Run, owner: Raw, pods: Iterable[Raw]) -> None:
    """Wait until the claims belong to the set where it shall take them along when it is deleted; a word where they do not: T13."""
    names = names_of(owner, pods)
    if not names or retention_of(owner)["whenDeleted"] != "Delete":
        return
    mine = {uid_of(owner)}
    try:
        run.until(
            lambda: True if all(_owners(claim) & mine for claim in claims_of(run, names)) else None,
            f"the volume claims of {name_of(owner)} to be owned by it",
            seconds=CLAIM_SECONDS,
        )
    except TimedOutError as error:
        run.tell(f"{error.line()}: they stay when it is deleted")


def claims_of(run: Run, names: set[str]) -> list[Raw]:
    """Read the claims of these names, without what they ask for."""
    listed = run.cluster.list(PVC.path(run.namespace), chunk=_PAGE, keep=_slim)["items"]
    return [claim for claim in listed if name_of(claim) in names]


def names_of(owner: Raw, pods: Iterable[Raw]) -> set[str]:
    """Give the names of the claims that pods of a set have by its templates."""
    templates = [name_of(each) for each in dig(owner, ("spec", "volumeClaimTemplates")) or []]
    ordinals = [ordinal_of(pod, name_of(owner)) for pod in pods] if templates else []
    return {claim_name(template, name_of(owner), ordinal) for template in templates for ordinal in ordinals}


def _owners(claim: Raw) -> set[str]:
    return {str(each.get("uid")) for each in metadata(claim).get("ownerReferences") or []}


def _slim(claim: Raw) -> Raw:
    return {"metadata": {key: value for key, value in metadata(claim).items() if key != "managedFields"}}

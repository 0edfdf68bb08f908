"""What is left to do when the pods are where they belong: old ReplicaSets, book-keeping (migration.md §5.1.1 D16, D17)."""

import copy
from collections.abc import Sequence

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.journal import Journal, Phase
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts.kinds import REPLICASET
from kubectl_kruise.facts.names import MIGRATE_ID, MIGRATE_TOTAL
from kubectl_kruise.objects.raw import Raw, annotations_of, deleting, name_of, uid_of
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, await_gone, fetch
from kubectl_kruise.operations.migrate.run import Run


def delete_replicasets(run: Run, manifests: Sequence[Raw]) -> None:
    """Delete ReplicaSets that own nothing any more; one of that name made since stays."""
    for manifest in manifests:
        options = {"preconditions": {"uid": uid_of(manifest)}, "propagationPolicy": "Orphan"}
        try:
            run.cluster.delete(REPLICASET.path(run.namespace, name_of(manifest)), options=options)
        except (NotFoundError, ConflictError):
            continue


def restore_replicasets(run: Run, journal: Journal) -> None:
    """Create the ReplicaSets of older revisions anew: they have no pods, and let the Deployment go back further."""
    for manifest in journal.zero_sized:
        path = REPLICASET.path(run.namespace, name_of(manifest))
        live = fetch(run, path)
        if live is not None and deleting(live):
            await_gone(run, path, f"ReplicaSet {name_of(live)}")
            live = None
        if live is None:
            body = copy.deepcopy(manifest)
            body["metadata"].pop("uid", None)
            body["spec"]["replicas"] = 0
            run.cluster.create(REPLICASET.path(run.namespace), body)


def close_books(run: Run, keeper: Keeper) -> None:
    """Take the book-keeping off the workload of Kruise, where one was made, but for where it came from."""
    path = Paths(run.namespace, keeper.journal).kruise
    live = run.cluster.get(path) if keeper.journal.forward else {}
    if stale := {MIGRATE_ID, MIGRATE_TOTAL} & annotations_of(live).keys():
        patch = Patch(PatchType.MERGE, {"metadata": {"annotations": dict.fromkeys(sorted(stale))}})
        run.cluster.patch(path, patch)
    keeper.write(phase=Phase.DONE)

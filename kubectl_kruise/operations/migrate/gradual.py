"""Migrations that make new pods: gradually under a surge, or all at once after a pause (migration.md §6.1, §7)."""

import copy

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.freezing import freeze_autoscaler, freeze_scaled_object
from kubectl_kruise.engine.migration.journal import Rewrite
from kubectl_kruise.engine.migration.references import Pointer
from kubectl_kruise.engine.migration.surge import Limits
from kubectl_kruise.facts.kinds import HPA
from kubectl_kruise.facts.names import MIGRATE_ID
from kubectl_kruise.facts.neighbours import SCALED_OBJECT
from kubectl_kruise.objects.pod import finished
from kubectl_kruise.objects.raw import Raw, annotations_of, deleting, name_of, owner_uid, uid_of
from kubectl_kruise.operations.migrate.adopting import bookkeeping
from kubectl_kruise.operations.migrate.guards import delete_alone
from kubectl_kruise.operations.migrate.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, await_gone, fetch, list_pods
from kubectl_kruise.operations.migrate.probing import probe_target
from kubectl_kruise.operations.migrate.rewriting import apply_rewrites, undo_rewrites
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.settling import await_whole
from kubectl_kruise.operations.migrate.surging import Surge
from kubectl_kruise.operations.migrate.trouble import TargetExistsError


def freezes_for(pointers: list[Pointer], most: int) -> list[Rewrite]:
    """Give what holds the autoscalers of the source still while `most` pods may exist."""
    frozen: list[Rewrite] = []
    for pointer in pointers:
        if not pointer.rewritable:
            continue
        if pointer.kind is HPA:
            frozen += freeze_autoscaler(pointer.obj, most)
        elif pointer.kind is SCALED_OBJECT:
            frozen += freeze_scaled_object(pointer.obj)
    return frozen


def move_gradually(run: Run, keeper: Keeper, *, follow: bool = False) -> Surge:
    """Move the pods of a Deployment to a CloneSet under the limits of the journal, from wherever this stands."""
    surge = Surge(run, keeper, limits_of(keeper), follow=follow)
    create_target(run, keeper, replicas=0)
    if fetch(run, surge.deployment.path) is not None:
        surge.move(surge.deployment, surge.cloneset)
    return surge


def move_back(run: Run, keeper: Keeper) -> Surge:
    """Move the pods back to the Deployment, which is made again where it is gone, and delete the CloneSet."""
    paths = Paths(run.namespace, keeper.journal)
    surge = Surge(run, keeper, limits_of(keeper), follow=True)
    if fetch(run, paths.deployment) is None:
        body = copy.deepcopy(keeper.journal.deployment_manifest)
        body["spec"]["replicas"] = 0
        run.cluster.create(paths.deployments, body)
    if (cloneset := fetch(run, paths.cloneset)) is not None:
        surge.move(surge.cloneset, surge.deployment)
        delete_alone(run, paths.cloneset, cloneset, any_version=True)
        await_gone(run, paths.cloneset, "the CloneSet")
    return surge


def recreate(run: Run, keeper: Keeper) -> None:
    """Stop every pod of the Deployment, then start as many of the CloneSet, from wherever this stands."""
    paths, journal = Paths(run.namespace, keeper.journal), keeper.journal
    deployment = fetch(run, paths.deployment)
    cloneset = fetch(run, paths.cloneset)
    if cloneset is None and deployment is not None:
        probe_target(run.cluster, paths.clonesets, journal.target_manifest)
        scale(run, paths.deployment, 0)
        run.tell("wait until every old pod has ended")
        owners = {uid_of(journal.replicaset)}
        run.until(
            lambda: None if any(_belongs(pod, owners) for pod in list_pods(run, journal)) else True,
            "the pods of the Deployment to end",
        )
    create_target(run, keeper, replicas=journal.replicas)
    await_whole(run, journal)


def recreate_back(run: Run, keeper: Keeper) -> None:
    """Let the Deployment have its pods again, and delete the CloneSet with its own."""
    paths, journal = Paths(run.namespace, keeper.journal), keeper.journal
    if (cloneset := fetch(run, paths.cloneset)) is not None:
        options = {"propagationPolicy": "Foreground", "preconditions": {"uid": uid_of(cloneset)}}
        run.cluster.delete(paths.cloneset, options=options)
        await_gone(run, paths.cloneset, "the CloneSet")
    if fetch(run, paths.deployment) is None:
        run.cluster.create(paths.deployments, journal.deployment_manifest)
    else:
        scale(run, paths.deployment, journal.replicas)


def create_target(run: Run, keeper: Keeper, *, replicas: int) -> None:
    """Create the CloneSet where it is not there yet; it owns nothing and takes nothing, so nothing is locked."""
    paths, journal = Paths(run.namespace, keeper.journal), keeper.journal
    live = fetch(run, paths.cloneset)
    if live is not None:
        if annotations_of(live).get(MIGRATE_ID) != journal.id:
            raise TargetExistsError(
                f'cloneset "{name_of(live)}" exists already, and is not of this migration'
            )
        return
    body = copy.deepcopy(journal.target_manifest)
    body["spec"]["replicas"] = replicas
    body["metadata"].setdefault("annotations", {}).update(bookkeeping(journal))
    probe_target(run.cluster, paths.clonesets, body)
    run.cluster.create(paths.clonesets, body)


def finish(run: Run, keeper: Keeper, pointed: list[Rewrite], *, keep_source: bool) -> list[str]:
    """Point everything at the CloneSet, let autoscalers go on, delete the Deployment; gives what could not be changed."""
    failed = apply_rewrites(run, keeper, pointed)
    failed += undo_rewrites(run, keeper, temporary=True)
    paths = Paths(run.namespace, keeper.journal)
    deployment = fetch(run, paths.deployment)
    if deployment is not None and not keep_source:
        if not deleting(deployment):
            delete_alone(run, paths.deployment, deployment, any_version=True)
        await_gone(run, paths.deployment, "the Deployment")
        keeper.write(zero_sized=[*keeper.journal.zero_sized, keeper.journal.replicaset])
    return failed


def limits_of(keeper: Keeper) -> Limits:
    options = keeper.journal.options
    return Limits(keeper.journal.replicas, int(options["surge"]), int(options["unavailable"]))


def scale(run: Run, path: str, replicas: int) -> None:
    run.check()
    run.cluster.patch(f"{path}/scale", Patch(PatchType.MERGE, {"spec": {"replicas": replicas}}))


def _belongs(pod: Raw, owners: set[str]) -> bool:
    return owner_uid(pod) in owners and not finished(pod)

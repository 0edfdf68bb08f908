"""Create a CloneSet that makes its own pods: it owns nothing and takes nothing, so nothing is locked (migration.md §6.1 G0, G2)."""

import copy

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.manifests import bookkeeping
from kubectl_kruise.engine.migration.situation import knows_revision
from kubectl_kruise.engine.migration.stages import Stage
from kubectl_kruise.errors import KruiseError, TimedOutError
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.names import MIGRATE_TOTAL
from kubectl_kruise.objects.raw import Raw, api_version, deleting, put, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.probing import probe_target
from kubectl_kruise.operations.migrate.guards import delete_alone
from kubectl_kruise.operations.migrate.handover.targets import MANAGER_SECONDS, refusal
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, await_gone, await_that, fetch
from kubectl_kruise.operations.migrate.replacing.owning import check_target
from kubectl_kruise.operations.migrate.rewriting import undo_rewrites
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import NoManagerError


def try_target(run: Run, keeper: Keeper) -> None:
    """Let the server judge the CloneSet before anything changes; where it refuses, no journal is left."""
    paths = Paths(run.namespace, keeper.journal)
    if fetch(run, paths.kruise) is not None:
        return
    try:
        probe_target(run.cluster, paths.kruises, _unpaused(keeper.journal.target_manifest))
    except KruiseError as error:
        if refusal(error):
            undo_rewrites(run, keeper)
            keeper.remove()
        raise


def create_target(run: Run, keeper: Keeper, *, replicas: int) -> None:
    """Create the CloneSet where it is not there yet, not paused, so that its pods come."""
    paths, journal = Paths(run.namespace, keeper.journal), keeper.journal
    live = fetch(run, paths.kruise)
    if live is not None:
        check_target(journal, live)
        return
    run.seen(Stage.CREATE_TARGET, None)
    run.tell(f"create the CloneSet with {replicas} replicas")
    body = _unpaused(journal.target_manifest)
    body["spec"]["replicas"] = replicas
    notes = {**bookkeeping(journal), MIGRATE_TOTAL: str(journal.replicas)}
    body["metadata"].setdefault("annotations", {}).update(notes)
    run.cluster.create(paths.kruises, body)


def await_manager(run: Run, keeper: Keeper) -> None:
    """Wait until a controller has looked at the CloneSet; where none does, it is deleted again and nothing has changed."""
    paths = Paths(run.namespace, keeper.journal)
    try:
        await_that(
            run,
            paths.kruise,
            knows_revision,
            "a controller to look at the CloneSet",
            seconds=MANAGER_SECONDS,
        )
    except TimedOutError:
        live = fetch(run, paths.kruise)
        if live is not None and not deleting(live):
            delete_alone(run, paths.kruise, live, any_version=True)
            await_gone(run, paths.kruise, "the CloneSet")
        undo_rewrites(run, keeper)
        keeper.remove()
        raise NoManagerError(
            f"no controller has looked at the CloneSet within {MANAGER_SECONDS:g}s: it is deleted again, and the"
            " Deployment is as it was",
            hint="install Kruise, or run: kubectl kruise controller run",
        ) from None


def set_pause(run: Run, keeper: Keeper) -> None:
    """Pause the CloneSet in the end where the Deployment was."""
    path, wanted = Paths(run.namespace, keeper.journal).kruise, keeper.journal.target_manifest
    if not Workload(wanted, CLONESET).paused:
        return
    live = run.cluster.get(path)
    if not Workload(live, CLONESET).paused:
        patch: Raw = {"metadata": {"resourceVersion": version_of(live)}}
        put(patch, CLONESET.layout(api_version(live)).paused, value=True)
        run.cluster.patch(path, Patch(PatchType.MERGE, patch))


def _unpaused(manifest: Raw) -> Raw:
    made = copy.deepcopy(manifest)
    put(made, CLONESET.layout(api_version(made)).paused, value=False)
    return made

"""Create a workload that makes its own pods: it owns nothing and takes nothing, so nothing is locked (migration.md §6.1 G0, G2)."""

import copy
from functools import partial

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.engine.migration.manifests import bookkeeping
from kubectl_kruise.engine.migration.pairs import SETS
from kubectl_kruise.engine.migration.sets import knows_revision
from kubectl_kruise.engine.migration.stages import Stage
from kubectl_kruise.engine.migration.stillness import keeping
from kubectl_kruise.errors import KruiseError, TimedOutError
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.names import MIGRATE_TOTAL
from kubectl_kruise.objects.raw import Raw, api_version, deleting, put, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.probing import probe_target
from kubectl_kruise.operations.migrate.guards import delete_alone
from kubectl_kruise.operations.migrate.handover.claims import restore_policy
from kubectl_kruise.operations.migrate.handover.targets import MANAGER_SECONDS, refusal
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, await_gone, await_that, fetch
from kubectl_kruise.operations.migrate.replacing.owning import check_target
from kubectl_kruise.operations.migrate.rewriting import undo_rewrites
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import NoManagerError


def try_target(run: Run, keeper: Keeper) -> None:
    """Let the server judge the new workload before anything changes; where it refuses, no journal is left."""
    paths = Paths(run.namespace, keeper.journal)
    if fetch(run, paths.target) is not None:
        return
    try:
        probe_target(run.cluster, paths.targets, _working(keeper.journal))
    except KruiseError as error:
        if refusal(error):
            give_up(run, keeper)
        raise


def create_target(run: Run, keeper: Keeper, *, replicas: int) -> None:
    """Create the new workload where it is not there yet, at work, so that its pods come."""
    paths, journal = Paths(run.namespace, keeper.journal), keeper.journal
    live = fetch(run, paths.target)
    if live is not None:
        check_target(journal, live)
        return
    run.seen(Stage.CREATE_TARGET, None)
    run.tell(f"create the {journal.target_kind.called} with {replicas} replicas")
    body = _working(journal)
    body["spec"]["replicas"] = replicas
    if journal.forward:
        notes = {**bookkeeping(journal), MIGRATE_TOTAL: str(journal.replicas)}
        body["metadata"].setdefault("annotations", {}).update(notes)
    run.cluster.create(paths.targets, body)


def await_manager(run: Run, keeper: Keeper) -> None:
    """Wait until a controller has looked at the new workload. Raises NoManagerError where none does."""
    kind = keeper.journal.target_kind
    path = Paths(run.namespace, keeper.journal).target
    known = partial(knows_revision, kind=kind)
    waiting_for = f"a controller to look at the {kind.called}"
    try:
        await_that(run, path, known, waiting_for, seconds=MANAGER_SECONDS)
    except TimedOutError:
        raise NoManagerError(
            f"no controller has looked at the {kind.called} within {MANAGER_SECONDS:g}s",
            hint="look at the kube-controller-manager"
            if kind.native
            else "install Kruise, or run: kubectl kruise controller run",
        ) from None


def find_manager(run: Run, keeper: Keeper) -> None:
    """Wait as `await_manager` does; where nobody comes, the workload is deleted again, nothing has changed, no journal is left."""
    journal = keeper.journal
    try:
        await_manager(run, keeper)
    except NoManagerError as error:
        path = Paths(run.namespace, journal).target
        live = fetch(run, path)
        if live is not None and not deleting(live):
            delete_alone(run, path, live, any_version=True)
            await_gone(run, path, f"the {journal.target_kind.called}")
        give_up(run, keeper)
        raise NoManagerError(
            f"{error.message}: it is deleted again, and the {journal.kind.called} is as it was",
            hint=error.hint,
        ) from None


def give_up(run: Run, keeper: Keeper) -> None:
    """Leave no trace of a migration that has replaced no pod."""
    undo_rewrites(run, keeper)
    if keeper.journal.pair is SETS:
        restore_policy(run, Paths(run.namespace, keeper.journal).source, keeper.journal.source_manifest)
    keeper.remove()


def set_pause(run: Run, keeper: Keeper) -> None:
    """Pause the CloneSet in the end where the Deployment was."""
    if keeper.journal.target_kind is not CLONESET:
        return
    path, wanted = Paths(run.namespace, keeper.journal).target, keeper.journal.target_manifest
    if not Workload(wanted, CLONESET).paused:
        return
    live = run.cluster.get(path)
    if not Workload(live, CLONESET).paused:
        patch: Raw = {"metadata": {"resourceVersion": version_of(live)}}
        put(patch, CLONESET.layout(api_version(live)).paused, value=True)
        run.cluster.patch(path, Patch(PatchType.MERGE, patch))


def _working(journal: Journal) -> Raw:
    """Give the new workload as it is created: a set keeps all claims meanwhile, a CloneSet is not paused yet."""
    if journal.target_kind in SETS:
        return keeping(journal.target_manifest)
    made = copy.deepcopy(journal.target_manifest)
    put(made, CLONESET.layout(api_version(made)).paused, value=False)
    return made

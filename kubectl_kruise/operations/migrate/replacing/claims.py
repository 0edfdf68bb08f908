"""Volume claims of a set whose pods are replaced: nobody owns one before the other set has them all (migration.md §6.2, §7)."""

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.levels import owned_by_any
from kubectl_kruise.engine.migration.pairs import SETS
from kubectl_kruise.engine.migration.stages import Stage
from kubectl_kruise.engine.migration.stillness import keeping_patch
from kubectl_kruise.objects.raw import deleting, uid_of
from kubectl_kruise.objects.retention import retains
from kubectl_kruise.operations.migrate.handover.claims import await_policy, await_unowned, restore_policy
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, fetch, list_pods
from kubectl_kruise.operations.migrate.run import Run


def keep_claims(run: Run, keeper: Keeper, path: str) -> None:
    """Let the set at `path` keep every claim of pods that it loses, and wait until neither it nor a pod owns one.

    Raises TimedOutError where one is owned after a minute: it would be collected.
    """
    if keeper.journal.pair is not SETS:
        return
    live = fetch(run, path)
    if live is None or deleting(live):
        return
    if not retains(live):
        run.seen(Stage.KEEP_CLAIMS, None)
        run.tell("let the set keep every volume claim")
        live = run.cluster.patch(path, Patch(PatchType.MERGE, keeping_patch(live)))
    await_unowned(run, live, owned_by_any(list_pods(run, keeper.journal), {uid_of(live)}))


def let_claims_go(run: Run, keeper: Keeper, *, back: bool = False) -> None:
    """Give the set that has all pods now its own policy; `back` is the source, which has them again."""
    journal = keeper.journal
    if journal.pair is not SETS:
        return
    paths = Paths(run.namespace, journal)
    path, wanted = (
        (paths.source, journal.source_manifest) if back else (paths.target, journal.target_manifest)
    )
    restore_policy(run, path, wanted)
    if (live := fetch(run, path)) is not None:
        await_policy(run, live, owned_by_any(list_pods(run, journal), {uid_of(live)}))

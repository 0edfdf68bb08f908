"""The whole way from one set to the other: every step, then a watch that every pod stays (migration.md §5.2)."""

from kubectl_kruise.engine.migration.sets import Handing
from kubectl_kruise.operations.migrate.handover.claims import await_policy
from kubectl_kruise.operations.migrate.handover.driving import drive
from kubectl_kruise.operations.migrate.handover.sets import SetHandover
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.persisting import persist
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.settling import await_whole, watch_settled


def pass_on(run: Run, keeper: Keeper, *, to_kruise: bool) -> list[float]:
    """Hand the pods over to the set of Kruise, or to the native one, from wherever this stands.

    Gives the seconds that each pod was without owner, as far as this run saw it. Raises what `drive` raises, and the
    errors of `trouble`; a second call goes on from there.
    """
    handover = SetHandover(run, keeper, to_kruise=to_kruise)
    now = drive(run, handover.course)
    # A set that never had to be let work, or that an earlier run has, is compared all the same.
    while not (
        handover.verified or handover.aim.never_left(now.getting or {}) or persist(run, handover.agreed)
    ):
        now = drive(run, handover.course)
    run.tell(str(Handing.SETTLE))
    path, kind = handover.getting, handover.kind
    live = persist(run, lambda: await_whole(run, path, kind))
    persist(run, lambda: watch_settled(run, keeper.journal, path, kind))
    persist(run, lambda: await_policy(run, live, now.pods))
    return handover.ownerless

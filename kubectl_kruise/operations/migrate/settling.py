"""The end of a migration: every pod stays for a while, or its new owner is held again (migration.md §4.2, §5.1.1 D14, §5.2.1 T13)."""

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.engine.migration.lock import lock_patch
from kubectl_kruise.engine.migration.stillness import still_patch
from kubectl_kruise.facts.kinds import CLONESET, Kind
from kubectl_kruise.objects.condition import condition_true
from kubectl_kruise.objects.raw import Raw, deleting, dig, uid_of, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.looking import Paths, await_that
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import RestartedError
from kubectl_kruise.operations.rollout.sources import Feed, News, Relisted, Silence, Source

_LOOK_SECONDS = 1.0


def await_whole(run: Run, path: str, kind: Kind, *, unready: bool = False) -> Raw:
    """Wait until the workload at `path` has all its pods, updated and, unless they may be `unready`, available; gives it."""
    wanted_of = ("replicas", "updatedReplicas", *(() if unready else ("availableReplicas",)))

    def whole(live: Raw) -> bool:
        status, wanted = live.get("status") or {}, dig(live, ("spec", "replicas"), 1)
        counts = {int(status.get(key) or 0) for key in wanted_of}
        return Workload(live, kind).observed and counts == {wanted}

    return await_that(
        run, path, whole, f"all pods of the {kind.called} to be {'updated' if unready else 'available'}"
    )


def watch_settled(run: Run, journal: Journal, path: str, kind: Kind) -> None:
    """Watch for `run.settle` seconds that no pod of the snapshot goes; the workload at `path` has them.

    Raises RestartedError, with the workload held again, as soon as one is deleted that nobody has evicted.
    """
    if not run.settle:
        return
    paths = Paths(run.namespace, journal)
    listed = run.cluster.list(paths.pods, labels=_selector(journal))
    watched = _Watched({mark.uid for mark in journal.pods}, listed["items"])
    source = Source(run.cluster, paths.pods, version_of(listed), watched.take, labels=_selector(journal))
    feed = Feed([source], run.clock)
    end = run.clock.monotonic() + run.settle
    while (left := end - run.clock.monotonic()) > 0:
        run.check()
        for delivery in feed.take(min(left, _LOOK_SECONDS)):
            delivery.take(delivery.news)
        if watched.deleted:
            live = run.cluster.get(path)
            patch = lock_patch(live) if kind is CLONESET else still_patch(live, kind)
            run.cluster.patch(path, Patch(PatchType.MERGE, patch))
            raise RestartedError(
                f"pod {watched.deleted} is being deleted: the {kind.called} is locked again",
                hint="--rollback gives the pods back",
            )


class _Watched:
    """The pods that have to stay; `deleted` names the first that does not."""

    def __init__(self, uids: set[str], pods: list[Raw]) -> None:
        # Those on their way out before the watch began are nobody's fault any more.
        self._uids = {uid_of(pod) for pod in pods if not deleting(pod)} & uids
        self.deleted = ""

    def take(self, news: News) -> None:
        match news:
            case Silence():
                return
            case Relisted(items):
                left = {uid_of(pod) for pod in items}
                self.deleted = self.deleted or ", ".join(sorted(self._uids - left))
            case Exception():
                raise news
            case _:
                pod = news.object
                going = news.type == "DELETED" or deleting(pod)
                if going and uid_of(pod) in self._uids and not condition_true(pod, "DisruptionTarget"):
                    self.deleted = self.deleted or str(pod["metadata"]["name"])


def _selector(journal: Journal) -> str:
    return Workload(journal.source_manifest, journal.kind).selector

"""Following rollouts to their verdict: one GET and one LIST each, then two watches, no polling.

The verdict is looked at after every batch of events before anything is painted, so a command ends with the write that
completes the rollout. One deadline holds for all objects together.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Change, Cluster
from kubectl_kruise.errors import KruiseError, NotAllowedError, NotFoundError
from kubectl_kruise.facts.kinds import (
    CONTROLLER_REVISION,
    DEPLOYMENT,
    POD,
    POD_UNAVAILABLE_BUDGET,
    PVC,
    REPLICASET,
    STATEFULSET,
    Kind,
)
from kubectl_kruise.facts.names import DEPLOYMENT_REVISION
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    api_version,
    metadata,
    name_of,
    namespace_of,
    owner_uid,
    uid_of,
    version_of,
)
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.progress import Aim, Known, Progress
from kubectl_kruise.operations.rollout.sources import Feed, News, Relisted, Silence, Source

BUDGET_SECONDS: Final = 5.0
"""How old an answer about a budget, or about what holds a set up, may be."""


class Followed(NamedTuple):
    """An object as it was read or written last."""

    kind: Kind
    raw: Raw


Note = Callable[[str], None]
"""Takes a remark for people."""


class Reporter(Protocol):
    """Whoever tells people or programs how it goes."""

    def show(self, rollouts: Sequence[Progress], now: float) -> float | None:
        """Tell what is new; give the time at which to be asked again if nothing happens, None for never."""

    def close(self) -> None:
        """Put away what was set up; called however the following ends."""


class Terms(NamedTuple):
    """`timeout` seconds bound the whole command, None waits for ever."""

    aim: Aim = Aim()
    timeout: float | None = None


class Rollout:
    """One followed object with its sources."""

    def __init__(
        self, cluster: Cluster, followed: Followed, aim: Aim, clock: Clock, *, qualified: bool = False
    ) -> None:
        self._cluster = cluster
        self._clock = clock
        self._namespace = namespace_of(followed.raw)
        self._version = api_version(followed.raw)
        self.progress = Progress(
            followed.kind,
            followed.raw,
            aim,
            clock.time(),
            lookup=self._lookup,
            budget=self._budget,
            stall=self._stall if followed.kind is STATEFULSET else None,
            context=cluster.context,
            qualified=qualified,
        )
        self._labels = self.progress.workload.selector
        self._pods_since = ""
        self._foreign: set[str] = set()
        self._revision_seen = ""
        self._budgets: dict[str, tuple[float, str]] = {}
        self._stalled: tuple[float, Sequence[str]] = (-math.inf, ())

    def read(self, note: Note) -> None:
        """List the pods, and a Deployment's ReplicaSets before them; go by the status alone where that is not allowed."""
        try:
            self._read_replica_sets()
            listed = self._cluster.list(POD.path(self._namespace), labels=self._labels)
        except NotAllowedError as error:
            note(
                f"{self.progress.name}: pods cannot be listed, so this goes by its status alone ({error.message})"
            )
            return
        self._pods_since = version_of(listed)
        self.progress.take_pods(listed.get("items") or [], self._clock.time())

    def sources(self) -> list[Source]:
        """Give the watches: the object by name, and the pods if they may be read."""
        workload = self.progress.workload
        collection = workload.kind.path(self._namespace, version=self._version)
        found = [
            Source(
                self._cluster, collection, version_of(workload.raw), self._take_object,
                fields=f"metadata.name={workload.name}",
            )
        ]  # fmt: skip
        if self._pods_since:
            pods = POD.path(self._namespace)
            found.append(Source(self._cluster, pods, self._pods_since, self._take_pods, labels=self._labels))
        return found

    def look_for_successor(self) -> None:
        """Ask once whether a deleted object's name is taken again."""
        workload = self.progress.workload
        try:
            found = self._cluster.get(
                workload.kind.path(self._namespace, workload.name, version=self._version)
            )
        except KruiseError:
            return
        if uid_of(found) != workload.uid:
            self.progress.came_back(uid_of(found))

    def _heard(self, news: News, now: float) -> Change | Relisted | None:
        """Give what a watch has to tell of objects; its end is raised, its silence noted."""
        if isinstance(news, KruiseError):
            raise news
        if isinstance(news, Silence):
            self.progress.take_silence(news.text, now)
            return None
        return news

    def _take_object(self, news: News) -> None:
        now = self._clock.time()
        told = self._heard(news, now)
        if told is None:
            return
        if isinstance(told, Relisted):
            gone = not told.items
            raw = self.progress.workload.raw if gone else told.items[0]
            told = Change("DELETED" if gone else "MODIFIED", raw)
        self.progress.take_object(told, now)
        if annotations_of(self.progress.workload.raw).get(DEPLOYMENT_REVISION, "") != self._revision_seen:
            self._read_replica_sets()
        if self.progress.final is not None and told.type == "DELETED":
            self.look_for_successor()

    def _take_pods(self, news: News) -> None:
        now = self._clock.time()
        told = self._heard(news, now)
        if told is None:
            return
        if isinstance(told, Relisted):
            self._read_replica_sets()
            self.progress.take_pods(told.items, now)
            return
        if self.progress.workload.kind is DEPLOYMENT and not self.progress.owns(told.object):
            self._learn_owner(told.object)
        self.progress.take_pod(told, now)

    def _learn_owner(self, pod: Raw) -> None:
        """Read the ReplicaSets again for a pod of an owner not met before: it may be the newest one's first pod."""
        owner = owner_uid(pod)
        if owner and owner not in self._foreign:
            self._foreign.add(owner)
            self._read_replica_sets()

    def _read_replica_sets(self) -> None:
        workload = self.progress.workload
        if workload.kind is not DEPLOYMENT:
            return
        self._revision_seen = annotations_of(workload.raw).get(DEPLOYMENT_REVISION, "")
        listed = self._cluster.list(REPLICASET.path(self._namespace), labels=self._labels)
        self.progress.take_replica_sets(listed.get("items") or [], self._clock.time())

    def _lookup(self, revision: str) -> Known | None:
        if self.progress.workload.kind is DEPLOYMENT:
            sets = {name_of(each): each for each in self.progress.replica_sets.values()}
            text = annotations_of(sets.get(revision, {})).get(DEPLOYMENT_REVISION, "")
            return Known(int(text)) if text.isdecimal() else None
        try:
            found = self._cluster.get(CONTROLLER_REVISION.path(self._namespace, revision))
        except (NotFoundError, NotAllowedError):
            return None
        return Known(int(found.get("revision") or 0), parse_rfc3339(metadata(found).get("creationTimestamp")))

    def _budget(self, name: str, *, deletes: bool) -> str:
        """Say why a PodUnavailableBudget lets no further pod go, "" where it does; asked for every few seconds.

        `deletes`: pods are to be deleted, not updated in place.
        """
        now = self._clock.time()
        asked, why = self._budgets.get(name, (-math.inf, ""))
        if now < asked + BUDGET_SECONDS:
            return why
        try:
            found = self._cluster.get(POD_UNAVAILABLE_BUDGET.path(self._namespace, name))
        except KruiseError:
            why = ""
        else:
            from kubectl_kruise.engine.budget import Operation, why_held  # few rollouts have one

            why = why_held(found, Operation.DELETE if deletes else Operation.UPDATE)
        self._budgets[name] = now, why
        return why

    def _stall(self, workload: Workload, pods: Sequence[Raw]) -> Sequence[str]:
        """Say what holds a set up, as its controller would find it; asked for every few seconds."""
        now = self._clock.time()
        if now < self._stalled[0] + BUDGET_SECONDS:
            return self._stalled[1]
        from kubectl_kruise.engine.changes.claims import has_claims  # few rollouts come to a stop
        from kubectl_kruise.engine.statefulset.standstill import why_waiting
        from kubectl_kruise.operations.rollout.revisions import fetch_history

        try:
            revisions = [each.raw for each in fetch_history(self._cluster, workload)]
            listed = self._cluster.list(PVC.path(self._namespace))["items"] if has_claims(workload) else []
        except KruiseError:
            reasons: Sequence[str] = ()
        else:
            reasons = why_waiting(workload, pods, revisions, {name_of(each): each for each in listed}, now)
        self._stalled = now, reasons
        return reasons


def read_rollouts(
    cluster: Cluster, objects: Sequence[Followed], aim: Aim, clock: Clock, *, note: Note
) -> list[Rollout]:
    """Read what there is to know about each object's pods; no watch is opened."""
    several = len({namespace_of(followed.raw) for followed in objects}) > 1
    rollouts = [Rollout(cluster, followed, aim, clock, qualified=several) for followed in objects]
    for rollout in rollouts:
        rollout.read(note)
    return rollouts


def follow(
    cluster: Cluster,
    objects: Sequence[Followed],
    terms: Terms,
    *,
    clock: Clock,
    reporter: Reporter,
    note: Note,
) -> list[Progress]:
    """Follow rollouts until each has its verdict, or the deadline passes.

    `objects` are as read or as the write that started the rollout returned them. Raises what the server answers to a
    watch, UnreachableError where it stays away.
    """
    deadline = None if terms.timeout is None else clock.time() + terms.timeout
    rollouts = read_rollouts(cluster, objects, terms.aim, clock, note=note)
    progress = [rollout.progress for rollout in rollouts]
    feed: Feed | None = None
    while True:
        now = clock.time()
        finished = _finished(progress, terms, deadline, now)
        again = reporter.show(progress, now)
        if finished:
            return progress
        # Only now: what is done at the first look opens no watch.
        feed = feed or Feed([source for rollout in rollouts for source in rollout.sources()], clock)
        times = [
            time for time in (deadline, again, *(each.next_due() for each in progress)) if time is not None
        ]
        for delivery in feed.take(max(0.0, min(times) - now) if times else None):
            delivery.take(delivery.news)


def _finished(progress: Sequence[Progress], terms: Terms, deadline: float | None, now: float) -> bool:
    """Judge all; when the deadline has passed, that is the verdict of those that have none."""
    verdicts = [each.judge(now) for each in progress]
    if all(verdict.final for verdict in verdicts):
        return True
    if deadline is None or now < deadline:
        return False
    for each in progress:
        each.time_out(terms.timeout or 0.0, now)
    return True

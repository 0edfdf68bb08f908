"""Pods of one workload, counted as they change: an event costs one pod's assessment, whatever the size of the set."""

import heapq
from collections import Counter
from collections.abc import Iterator
from typing import Final

from kubectl_kruise.engine.counts import Counts, target_of
from kubectl_kruise.engine.phases import Phase, PodProgress, Rules, assess_pod
from kubectl_kruise.engine.problems import FailFast, Problem, Sighting, sight
from kubectl_kruise.objects.pod import short_hash
from kubectl_kruise.objects.raw import Raw, uid_of
from kubectl_kruise.objects.slim import slim_pod
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.snapshot import Trouble

MOMENT: Final = 0.001
"""Seconds after which a pod that has been ready for exactly minReadySeconds counts: the rule is strict."""

PHASES: Final = (
    Phase.HOOK, Phase.GRACE, Phase.BATCH, Phase.RESTARTING, Phase.RESIZING, Phase.STARTING, Phase.UNSCHEDULABLE,
    Phase.SETTLING, Phase.AVAILABLE, Phase.FAILING, Phase.TERMINATING,
)  # fmt: skip
URGENCY: Final = {
    phase: rank
    for rank, phase in enumerate(
        (
            Phase.FAILING, Phase.UNSCHEDULABLE, Phase.RESTARTING, Phase.BATCH, Phase.RESIZING, Phase.STARTING,
            Phase.GRACE, Phase.HOOK, Phase.SETTLING, Phase.TERMINATING, Phase.OLD, Phase.AVAILABLE,
        )
    )
}  # fmt: skip


class Tally:
    """Progress of every pod by uid, and what adds up over them."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._pods: dict[str, Raw] = {}
        self._progress: dict[str, PodProgress] = {}
        self._sums: Counter[str] = Counter()
        self._phases: Counter[Phase] = Counter()
        self._old: Counter[str] = Counter()
        self._unfinished: dict[str, PodProgress] = {}
        self._due: list[tuple[float, str]] = []
        self._sightings: dict[tuple[str, ...], Sighting] = {}
        self._first_restarts: dict[tuple[str, ...], int] = {}

    def __len__(self) -> int:
        return len(self._progress)

    def put(self, pod: Raw, now: float) -> None:
        """Take a pod as it is now."""
        uid = uid_of(pod)
        self._pods[uid] = slim_pod(pod)
        self._assess(uid, now)

    def drop(self, uid: str) -> None:
        """Forget a pod that is gone."""
        if self._pods.pop(uid, None) is not None:
            self._add(self._progress.pop(uid), -1)
            self._unfinished.pop(uid, None)
            self._forget_sightings(uid)
            for identity in [identity for identity in self._first_restarts if identity[0] == uid]:
                del self._first_restarts[identity]

    def keep_only(self, uids: set[str]) -> None:
        """Forget every pod that a fresh list does not name."""
        for uid in [uid for uid in self._pods if uid not in uids]:
            self.drop(uid)

    def adopt(self, rules: Rules, now: float) -> None:
        """Count by other rules, where they differ."""
        if rules != self.rules:
            self.rules = rules
            for uid in self._pods:
                self._assess(uid, now)

    def tick(self, now: float) -> bool:
        """Assess the pods whose phase time alone has changed; say whether there were any."""
        moved = False
        while self._due and self._due[0][0] <= now:
            _, uid = heapq.heappop(self._due)
            if uid in self._pods:
                self._assess(uid, now)
                moved = True
        return moved

    def next_due(self, limits: FailFast | None) -> float | None:
        """Give the time at which a phase or, under `limits`, the verdict changes by itself."""
        times = [self._due[0][0]] if self._due else []
        if limits:
            times += [limits.due(problem, sighting) for problem, sighting in self._sighted()]
        return min(times, default=None)

    def counts(self, workload: Workload) -> Counts:
        sums = self._sums
        known = (short_hash(workload.current_revision), short_hash(self.rules.update_revision))
        return Counts(
            desired=workload.replicas,
            target=target_of(workload, sums["updated"]),
            total=sums["total"],
            updated=sums["updated"],
            updated_ready=sums["updated_ready"],
            updated_available=sums["updated_available"],
            ready=sums["ready"],
            available=sums["available"],
            failing=self._phases[Phase.FAILING] + self._phases[Phase.UNSCHEDULABLE],
            hooked_old=sums["hooked_old"],
            chosen=sums["chosen"],
            strays=tuple(
                sorted(
                    (name, count)
                    for name, count in self._old.items()
                    if count and short_hash(name) not in known
                )
            ),
            from_pods=True,
        )

    def phases(self, counts: Counts) -> dict[str, int]:
        """Give how many pods stand in each phase, in the order they pass through; phases without pods left out."""
        found = {"waiting": counts.waiting, **{phase.value: self._phases[phase] for phase in PHASES}}
        return {phase: count for phase, count in found.items() if count}

    def pods(self) -> list[PodProgress]:
        """Give every pod, the worst first."""
        return sorted(self._progress.values(), key=_urgency)

    def raw(self) -> list[Raw]:
        """Give every pod as it was taken, cut down to what progress is read from."""
        return list(self._pods.values())

    def unfinished(self, most: int | None = None) -> list[PodProgress]:
        """Give the pods that are neither available nor waiting, the worst first, at most `most`."""
        found = self._unfinished.values()
        return sorted(found, key=_urgency) if most is None else heapq.nsmallest(most, found, key=_urgency)

    def problems(self) -> list[Problem]:
        """Give the troubles of updated pods, the oldest first, each with the time since when it is known."""
        sighted = sorted(
            self._sighted(), key=lambda found: (found[1].since, found[0].pod, found[0].container)
        )
        return [problem for problem, _ in sighted]

    def troubles(self, limits: FailFast, now: float) -> list[Trouble]:
        """Give the same with the time since when the pod has been in trouble, and whether it is beyond the limits."""
        found = []
        for problem in self.problems():
            sighting = self._sightings[problem.identity]
            unready = self._unfinished[problem.identity[0]].since
            since = sighting.since if unready is None else min(sighting.since, unready)
            found.append(Trouble(problem, since, limits.due(problem, sighting) <= now))
        return found

    def hopeless(self, limits: FailFast, now: float) -> Problem | None:
        """Give the first problem that is beyond the limits, None where there is none."""
        due = [(limits.due(problem, sighting), problem.pod, problem) for problem, sighting in self._sighted()]
        return min(
            (found for found in due if found[0] <= now), key=lambda found: found[:2], default=(0, "", None)
        )[2]

    def durations(self) -> list[float]:
        """Give the seconds each finished pod took."""
        return [found.took for found in self._progress.values() if found.took is not None]

    def old_images(self) -> dict[str, str]:
        """Give the images of some pod that is still old, {} where there is none."""
        for uid, found in self._progress.items():
            if not found.updated and found.counted:
                return {
                    str(each["name"]): str(each.get("image") or "")
                    for each in self._pods[uid]["spec"]["containers"]
                }
        return {}

    def _sighted(self) -> Iterator[tuple[Problem, Sighting]]:
        for found in self._unfinished.values():
            if found.updated:
                for problem in found.problems:
                    yield problem, self._sightings[problem.identity]

    def _assess(self, uid: str, now: float) -> None:
        if (before := self._progress.get(uid)) is not None:
            self._add(before, -1)
        found = assess_pod(self._pods[uid], self.rules, now)
        self._progress[uid] = found
        self._add(found, 1)
        if found.phase in (Phase.AVAILABLE, Phase.OLD):
            self._unfinished.pop(uid, None)
        else:
            self._unfinished[uid] = found
        if found.recheck is not None:
            heapq.heappush(self._due, (found.recheck + MOMENT, uid))
        if found.ready:
            self._forget_sightings(uid)
        for problem in found.problems:
            seen = sight(self._sightings, problem, now, updated_in_place=found.in_place)
            first = self._first_restarts.setdefault(problem.identity, seen.restarts)
            self._sightings[problem.identity] = seen._replace(restarts=first)

    def _forget_sightings(self, uid: str) -> None:
        """Begin anew for a pod that got ready; what it had crashed by then still counts if it crashes again."""
        for identity in [identity for identity in self._sightings if identity[0] == uid]:
            del self._sightings[identity]

    def _add(self, found: PodProgress, sign: int) -> None:
        if found.phase is not Phase.OLD:
            self._phases[found.phase] += sign
        if not found.counted:
            return
        old_hook = found.phase is Phase.HOOK and not found.updated
        for key, counts in (
            ("total", True), ("updated", found.updated), ("ready", found.ready), ("available", found.available),
            ("updated_ready", found.updated and found.ready),
            ("updated_available", found.updated and found.available), ("hooked_old", old_hook), ("chosen", found.chosen),
        ):  # fmt: skip
            if counts:
                self._sums[key] += sign
        if not found.updated:
            self._old[found.revision] += sign


def _urgency(found: PodProgress) -> tuple[int, str]:
    return URGENCY[found.phase], found.name

"""Who a pod is: what has to be the same after a migration (migration.md §4.1, §5.1.1 D5, D12)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kubectl_kruise.facts.names import REVISION_LABEL, TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.pod import statuses_of
from kubectl_kruise.objects.raw import Raw, labels_of, name_of, uid_of


class PodMark(NamedTuple):
    """A pod as it was at the start: identity, restarts of all containers, and its labels of revision."""

    name: str
    uid: str
    restarts: int = 0
    revision: str = ""
    template_hash: str = ""


class Losses(NamedTuple):
    """Names of pods that are gone, and of pods whose containers have restarted since."""

    gone: tuple[str, ...] = ()
    restarted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.gone or self.restarted)


def mark_of(pod: Raw) -> PodMark:
    labels = labels_of(pod)
    restarts = sum(int(status.get("restartCount") or 0) for status in statuses_of(pod).values())
    return PodMark(
        name_of(pod),
        uid_of(pod),
        restarts,
        labels.get(REVISION_LABEL, ""),
        labels.get(TEMPLATE_HASH_LABEL, ""),
    )


def compare_marks(before: Iterable[PodMark], pods: Sequence[Raw]) -> Losses:
    """Say which pods of the snapshot are no longer what they were."""
    now = {uid_of(pod): mark_of(pod) for pod in pods}
    gone, restarted = [], []
    for mark in before:
        found = now.get(mark.uid)
        if found is None:
            gone.append(mark.name)
        elif found.restarts > mark.restarts:
            restarted.append(mark.name)
    return Losses(tuple(gone), tuple(restarted))

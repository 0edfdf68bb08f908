"""Who a pod is, and what became of it (migration.md §5.1.1 D5, D12)."""

from kubectl_kruise.engine.migration.marks import Losses, PodMark, compare_marks, mark_of
from kubectl_kruise.objects.raw import Raw
from tests.engine.migration.objects import pod


def _restarted(name: str, *counts: int) -> Raw:
    made = pod(name, "r", **{"controller-revision-hash": "web-1"})
    made["status"]["containerStatuses"] = [
        {"name": f"c{at}", "restartCount": count} for at, count in enumerate(counts)
    ]
    return made


def test_a_mark_counts_the_restarts_of_all_containers() -> None:
    assert mark_of(_restarted("p1", 2, 1)) == PodMark("web-p1", "p1", 3, "web-1", "7cffcc7b48")
    assert mark_of(pod("p2")).restarts == 0


def test_losses_are_told_by_name() -> None:
    before = [mark_of(_restarted("p1", 1)), mark_of(_restarted("p2", 1)), mark_of(_restarted("p3", 1))]

    losses = compare_marks(before, [_restarted("p1", 1), _restarted("p2", 2), pod("p9")])
    assert losses == Losses(("web-p3",), ("web-p2",))
    assert losses
    assert not compare_marks(before[:1], [_restarted("p1", 1), pod("p9")])


def test_another_pod_of_the_same_name_is_a_loss() -> None:
    again = pod("p1")
    again["metadata"]["uid"] = "other"

    assert compare_marks([mark_of(pod("p1"))], [again]).gone == ("web-p1",)

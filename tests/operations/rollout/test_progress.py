"""What a followed rollout remembers, and what it tells of one moment."""

from kubectl_kruise.cluster.port import Change
from kubectl_kruise.engine.pace import Estimate
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.operations.rollout.progress import Aim, Known, Progress
from tests.operations.rollout.scenes import NOW, cloneset, pods


def following(raw: dict, listed: list[dict], **more: object) -> Progress:
    progress = Progress(CLONESET, raw, Aim(), NOW, lookup=lambda _: None, **more)
    progress.take_pods(listed, NOW)
    return progress


def test_the_rest_takes_as_many_waves_as_pods_are_missing() -> None:
    """Three pods took two seconds each, seven are missing, one at a time."""
    progress = following(cloneset(5, replicas=10), pods(new=3, old=7))

    assert progress.snapshot(NOW).estimate == Estimate(14.0, 3)


def test_the_images_of_before_are_remembered_when_no_old_pod_is_left() -> None:
    progress = following(cloneset(5), pods(new=1, old=2))
    assert progress.snapshot(NOW).old_images == {"app": "app:1"}

    progress.take_pods(pods(new=3, old=0), NOW + 1)

    assert progress.snapshot(NOW + 1).old_images == {"app": "app:1"}


def test_where_a_rollout_came_from_is_remembered_when_the_status_has_forgotten_it() -> None:
    progress = following(cloneset(5), pods(new=3, old=0))
    done = cloneset(6, updated=3)
    done["status"]["currentRevision"] = "web-new"

    progress.take_object(Change("MODIFIED", done), NOW)

    assert (progress.came_from, progress.workload.current_revision) == ("web-old", "web-new")


def test_progress_is_what_was_seen_to_change() -> None:
    progress = following(cloneset(5), pods(new=1, old=2))
    progress.judge(NOW)
    assert progress.snapshot(NOW).last_progress is None

    progress.take_pods(pods(new=2, old=1), NOW + 7)

    assert progress.snapshot(NOW + 7).last_progress == NOW + 7
    assert progress.snapshot(NOW + 9).last_progress == NOW + 7


def test_without_any_pod_seen_the_status_counts() -> None:
    progress = following(cloneset(5, updated=2), [])
    assert (progress.counts().updated, progress.counts().from_pods) == (2, False)

    progress.take_pods(pods(new=1, old=0), NOW)
    progress.take_pods([], NOW)

    assert (progress.counts().updated, progress.counts().from_pods) == (0, True)


def test_a_revision_is_looked_up_once() -> None:
    asked: list[str] = []

    def lookup(name: str) -> Known:
        asked.append(name)
        return Known(4)

    progress = Progress(CLONESET, cloneset(5), Aim(), NOW, lookup=lookup)

    assert [progress.number("web-new"), progress.number("web-new"), progress.number("")] == [4, 4, None]
    assert asked == ["web-new"]


def test_a_verdict_stays() -> None:
    progress = following(cloneset(5, updated=3), pods(new=3, old=0))
    verdict = progress.judge(NOW)
    assert verdict.final

    progress.take_object(Change("DELETED", cloneset(6)), NOW)
    progress.time_out(1.0, NOW + 1)

    assert progress.judge(NOW + 2) == verdict
    assert progress.next_due() is None

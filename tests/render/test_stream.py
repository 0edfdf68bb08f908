"""Lines and records come with news, and every 30 s without."""

import io
import json

import pytest

from kubectl_kruise.cluster.port import Change
from kubectl_kruise.errors import UnreachableError
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.operations.rollout.progress import Aim, Progress
from kubectl_kruise.operations.rollout.sources import Silence
from kubectl_kruise.render.records import RECORDS
from kubectl_kruise.render.stream import StreamReporter
from tests.operations.rollout.scenes import NOW, cloneset, pod, pods


class Log:
    def __init__(self, *language):
        self.out = io.StringIO()
        self.reporter = StreamReporter(self.out, *language)

    def tell(self, progress, seconds):
        """Give when to come again, and the words of the new lines after time and name."""
        before = len(self.out.getvalue())
        progress.judge(NOW + seconds)
        again = self.reporter.show([progress], NOW + seconds)
        lines = self.out.getvalue()[before:].splitlines()
        return (again and again - NOW), [line.split(" ", 2)[2] for line in lines]


@pytest.fixture
def progress():
    found = Progress(CLONESET, cloneset(5, observed=1), Aim(), NOW, lookup=lambda _: None)
    found.take_pods(pods(0, 3), NOW)
    return found


def test_one_line_per_change(progress):
    log = Log()

    assert log.tell(progress, 0) == (30, ["start generation=2 target=3/3 mode=in-place"])
    progress.take_object(Change("MODIFIED", cloneset(6)), NOW)
    assert log.tell(progress, 1) == (31, ["observed generation=2"])
    assert log.tell(progress, 5) == (31, []), "no news"
    progress.take_pod(Change("MODIFIED", pod("web-0", ready=False)), NOW)
    assert log.tell(progress, 6) == (36, ["progress updated=1/3 ready=0 available=0 starting=1"])
    progress.take_pod(Change("MODIFIED", pod("web-0")), NOW)
    assert log.tell(progress, 6.5) == (7, []), "changes within a second come together"
    assert log.tell(progress, 7) == (37, ["progress updated=1/3 ready=1 available=1"])
    assert log.tell(progress, 37) == (67, ["waiting updated=1/3 available=1 last-change=30s"])
    for each in pods(3, 0):
        progress.take_pod(Change("MODIFIED", each), NOW)
    progress.take_object(Change("MODIFIED", cloneset(9, updated=3)), NOW)
    assert log.tell(progress, 37.1) == (None, ["done updated=3/3 available=3 took=37s"]), (
        "the verdict never waits"
    )
    assert log.tell(progress, 90) == (None, [])


def test_a_server_that_is_away_is_noted_beside_the_lines(progress):
    notes = []
    log = Log()
    log.reporter = StreamReporter(log.out, note=notes.append)
    away = Silence(UnreachableError("no server answers", cause="refused"))
    for seconds, news in ((1, away), (2, away), (3, Silence(None))):
        progress.take_silence(news.text, NOW + seconds)
        log.reporter.show([progress], NOW + seconds)

    assert notes == ["no server answers (refused); trying again", "the server answers again"]


def test_a_trouble_is_told_once_at_once(progress):
    log = Log()
    log.tell(progress, 0)
    progress.take_object(Change("MODIFIED", cloneset(6)), NOW)
    log.tell(progress, 0)

    progress.take_pod(Change("MODIFIED", pod("web-0", ready=False, waiting="ErrImagePull")), NOW)
    _, lines = log.tell(progress, 0.1)
    assert lines[-1] == 'pod=web-0 container=app warning=ErrImagePull restarts=0 message="no such tag"'
    progress.take_pod(Change("MODIFIED", pod("web-0", ready=False, waiting="ImagePullBackOff")), NOW)
    assert log.tell(progress, 5)[1] == [], "back-off and error of one pull alternate"


def test_nothing_but_plain_text(progress):
    log = Log()
    log.tell(progress, 0)

    assert log.out.getvalue().isascii()
    assert "\x1b" not in log.out.getvalue()


def test_records_are_one_per_line(progress):
    log = Log(RECORDS)
    progress.judge(NOW)
    log.reporter.show([progress], NOW)
    progress.take_object(Change("MODIFIED", cloneset(6)), NOW)
    progress.take_pod(Change("MODIFIED", pod("web-0", ready=False, waiting="ErrImagePull")), NOW)
    log.reporter.show([progress], NOW + 2)

    assert [json.loads(line)["kind"] for line in log.out.getvalue().splitlines()] == [
        "RolloutStatus", "RolloutStatus", "Event",
    ]  # fmt: skip

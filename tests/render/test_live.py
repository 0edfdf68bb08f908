"""The live screen on a real terminal: a pseudo-terminal of 100 columns, a rollout that plays itself."""

import io
import os
import signal
import sys

import pexpect
import pytest

from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.operations.rollout.progress import Aim, Progress
from kubectl_kruise.render.live import LiveLines, LiveReporter
from kubectl_kruise.views.spans import Span
from kubectl_kruise.views.text import symbols
from tests.operations.rollout.scenes import NOW, cloneset, pods
from tests.places import ROOT

PLAY = """
import sys
from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.operations.rollout.follow import Followed, Terms, follow
from kubectl_kruise.render.live import LiveReporter
from kubectl_kruise.views.text import symbols
from tests.operations.rollout.scenes import CLONESETS, NOW, PODS, ScriptedCluster, cloneset, pods

cluster = ScriptedCluster(cloneset(5), pods(1, 2))
clock = VirtualClock(NOW)

class Script(LiveReporter):
    def show(self, rollouts, now):
        again = super().show(rollouts, now)
        if not any(rollout.final for rollout in rollouts):
            for each in pods(3, 0):
                cluster.streams[PODS].put(each)
            cluster.streams[CLONESETS].put(cloneset(9, updated=3))
        return again

reporter = Script(sys.stdout, symbols(unicode=True), color=False)
try:
    follow(cluster, [Followed(CLONESET, cluster.objects["web"])], Terms(), clock=clock, reporter=reporter, note=print)
finally:
    reporter.close()
"""


@pytest.fixture
def screen():
    env = {
        "TERM": "xterm",
        "PATH": "",
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
        "PYTHONWARNINGS": "error",
    }
    child = pexpect.spawn(
        sys.executable, ["-c", PLAY], env=env, dimensions=(30, 100), encoding="utf-8", timeout=30
    )
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0, child.before
    return child.before


def test_the_last_frame_stays_on_the_screen(screen):
    assert screen.rpartition("\r\n\r\n")[2] == "✓ CloneSet shop/web: 3 of 3 available on web-new\r\n\x1b[?25h"
    assert "1 of 3 available" in screen, "the first frame"


def test_without_colour_there_is_no_style_either(screen):
    assert "\x1b[1m" not in screen


def test_no_alternate_screen_and_the_cursor_comes_back(screen):
    assert "\x1b[?1049h" not in screen
    assert screen.count("\x1b[?25l") == screen.count("\x1b[?25h") == 1


class Terminal(io.StringIO):
    def isatty(self):
        return True


def follow_once(raw, listed):
    progress = Progress(CLONESET, raw, Aim(), NOW, lookup=lambda _: None)
    progress.take_pods(listed, NOW)
    progress.judge(NOW)
    return progress


def test_frames_are_at_least_a_fifth_of_a_second_apart():
    out = Terminal()
    reporter = LiveReporter(out, symbols(unicode=True), color=False)
    progress = follow_once(cloneset(5), pods(1, 2))

    assert reporter.show([progress], NOW) == NOW + 1
    painted = len(out.getvalue())
    assert reporter.show([progress], NOW + 0.1) == pytest.approx(NOW + 0.2)
    assert len(out.getvalue()) == painted
    reporter.show([progress], NOW + 0.2)
    assert len(out.getvalue()) > painted
    reporter.close()


@pytest.fixture
def lines(monkeypatch):
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((60, 30)))
    found = LiveLines(Terminal(), color=False)
    found.draw([(Span("one"),), (Span("two"),)])
    yield found
    found.close()


def drawn(lines, *texts):
    """Draw once more and give what that wrote."""
    before = len(lines._out.getvalue())
    lines.draw([(Span(text),) for text in texts])
    return lines._out.getvalue()[before:]


UP = "\x1b[1A"


def test_a_frame_is_painted_over_the_one_before(lines):
    assert UP in drawn(lines, "one", "three")


def test_a_terminal_of_another_size_is_painted_anew(lines, monkeypatch):
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((90, 30)))

    again = drawn(lines, "one", "three")

    assert "\x1b[2J\x1b[H" in again
    assert UP not in again
    assert UP in drawn(lines, "one", "four"), "once only"


def test_after_a_stop_the_frame_comes_below_what_the_shell_wrote(lines):
    signal.raise_signal(signal.SIGCONT)

    again = drawn(lines, "one", "three")

    assert UP not in again
    assert again.startswith("\r")
    assert "one" in again


def test_the_signal_is_given_back(lines):
    lines.close()

    assert signal.getsignal(signal.SIGCONT) is signal.SIG_DFL


def test_a_finished_rollout_needs_no_rich():
    out = Terminal()

    LiveReporter(out, symbols(unicode=False), color=False).show(
        [follow_once(cloneset(5, updated=3), pods(3, 0))], NOW
    )

    assert out.getvalue() == "+ CloneSet shop/web: 3 of 3 available on web-new\n"

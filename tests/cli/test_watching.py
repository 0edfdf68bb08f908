"""`get -w`: the table, then a row for every change."""

import io
import sys

import pytest

from kubectl_kruise.cli import app
from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Change
from kubectl_kruise.errors import UnreachableError
from kubectl_kruise.operations.rollout.sources import Silence
from tests.operations.rollout.scenes import CLONESETS, NOW, ScriptedCluster, cloneset


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Ending(ScriptedCluster):
    """Ends its watch with an error, which is the only end a watch of a list has."""

    def served(self, group, plural="", *, fresh=False):
        return ("v1alpha1",)

    def watch(self, path, since, **how):
        assert path == CLONESETS
        while not self.streams[path].empty():
            found = self.streams[path].get()
            if isinstance(found, Silence):
                how["away"](found.reason)
            else:
                yield found
        raise UnreachableError("the server went away")


@pytest.mark.parametrize("words", [["cs"], ["cs/web"]], ids=["a kind", "one object"])
def test_rows_come_as_they_change(words, capsys):
    cluster = Ending(cloneset(5, updated=1), [])
    cluster.streams[CLONESETS].put(Change("MODIFIED", cloneset(6, updated=2)))
    cluster.streams[CLONESETS].put(Change("BOOKMARK", {"metadata": {"resourceVersion": "7"}}))
    cluster.streams[CLONESETS].put(Change("MODIFIED", cloneset(8, updated=3)))

    with pytest.raises(UnreachableError):
        app.run(["get", *words, "-w"], connect=lambda *_: cluster, clock=VirtualClock(NOW))

    assert [line.split()[:4] for line in capsys.readouterr().out.splitlines()] == [
        ["NAME", "KIND", "STATUS", "READY"],
        ["web", "CloneSet", "progressing", "1/3"],
        ["web", "CloneSet", "progressing", "2/3"],
        ["web", "CloneSet", "done", "0/3"],
    ]


def test_a_server_that_is_away_is_noted_once_and_so_is_its_return(capsys):
    cluster = Ending(cloneset(5, updated=1), [])
    away = Silence(UnreachableError("no server answers", cause="refused"))
    for news in (away, away, Silence(None), Change("MODIFIED", cloneset(6, updated=2))):
        cluster.streams[CLONESETS].put(news)

    with pytest.raises(UnreachableError):
        app.run(["get", "cs", "-w"], connect=lambda *_: cluster, clock=VirtualClock(NOW))

    shown = capsys.readouterr()
    assert shown.err == "no server answers (refused); trying again\nthe server answers again\n"
    assert len(shown.out.splitlines()) == 3


def test_on_a_terminal_the_table_says_it_below(monkeypatch):
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("CI", raising=False)
    cluster = Ending(cloneset(5, updated=1), [])
    cluster.streams[CLONESETS].put(Silence(UnreachableError("no server answers", cause="refused")))

    with pytest.raises(UnreachableError):
        app.run(["get", "cs", "-w"], connect=lambda *_: cluster, clock=VirtualClock(NOW))

    assert "! no news: no server answers (refused); trying again" in out.getvalue()

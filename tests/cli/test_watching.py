"""`get -w`: the table, then a row for every change."""

import pytest

from kubectl_kruise.cli import app
from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Change
from kubectl_kruise.errors import UnreachableError
from tests.operations.rollout.scenes import CLONESETS, NOW, ScriptedCluster, cloneset


class Ending(ScriptedCluster):
    """Ends its watch with an error, which is the only end a watch of a list has."""

    def watch(self, path, since, **how):
        assert path == CLONESETS
        while not self.streams[path].empty():
            yield self.streams[path].get()
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

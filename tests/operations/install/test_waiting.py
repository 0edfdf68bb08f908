from collections.abc import Iterator
from typing import Any

import pytest

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Change
from kubectl_kruise.errors import ExpiredError, NotFoundError, ServerError, TimedOutError
from kubectl_kruise.facts.crds.definitions import definition
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.operations.install.waiting import wait_established


def crd(**conditions: str) -> dict[str, Any]:
    raw: dict[str, Any] = dict(definition(CLONESET))
    found = [{"type": name, "status": status, "message": "taken"} for name, status in conditions.items()]
    return raw | {"status": {"conditions": found}}


class Slow:
    """A server that needs a moment: `changes` arrive by watch, the collection answers after `refusals` 404s."""

    def __init__(self, changes: list[Any], refusals: int = 0) -> None:
        self.changes, self.refusals = changes, refusals
        self.clock = VirtualClock()
        self.asked: list[str] = []

    def list(self, _path: str) -> dict[str, Any]:
        return {"metadata": {"resourceVersion": "1"}, "items": [crd()]}

    def watch(self, _path: str, since: str, *, timeout: float) -> Iterator[Change]:
        assert since == "1"
        while self.changes:
            change = self.changes.pop(0)
            if isinstance(change, Exception):
                raise change
            yield Change("MODIFIED", change)
        self.clock.advance(timeout)

    def get(self, path: str, *, query: dict[str, str]) -> dict[str, Any]:
        self.asked.append(path)
        assert query == {"limit": "1"}
        if len(self.asked) <= self.refusals:
            raise NotFoundError("404 page not found")
        return {"items": []}


def wait(server: Slow, timeout: float = 10.0) -> None:
    wait_established(server, [CLONESET], server.clock, timeout)  # type: ignore[arg-type]


def test_waits_for_established_and_then_for_the_collection() -> None:
    """fault B162"""
    server = Slow([crd(Established="False"), crd(NamesAccepted="True", Established="True")], refusals=2)

    wait(server)

    assert server.asked == ["/apis/apps.kruise.io/v1alpha1/clonesets"] * 3


def test_a_stale_watch_lists_again() -> None:
    server = Slow([ExpiredError("too old"), crd(Established="True")])

    wait(server)

    assert len(server.asked) == 1


def test_says_what_is_not_there_in_time() -> None:
    with pytest.raises(TimedOutError, match=r"timed out after 10s: .*clonesets\.apps\.kruise\.io"):
        wait(Slow([crd(Established="False")]))


def test_refused_names_end_the_wait() -> None:
    with pytest.raises(ServerError, match="not accepted") as refusal:
        wait(Slow([crd(NamesAccepted="False", Established="False")]))

    assert refusal.value.cause == "taken"

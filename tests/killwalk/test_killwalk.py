"""A small sample of the walk that `python -m tests.killwalk` does as a whole: the process itself is killed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kubectl_kruise.controllers import cloneset
from kubectl_kruise.facts.kinds import DEPLOYMENT
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.simulation import RECORDED, build
from tests.killwalk.proxy import Point, Proxy
from tests.killwalk.walk import WAYS, Killer, kill_at

NAMESPACE = "shop"


@pytest.fixture
def killer(tmp_path: Path) -> Iterator[Killer]:
    """Give one that runs against a sandbox in this process, whose time passes with the requests."""
    sandbox = Sandbox()
    sandbox.add(*build(sandbox.client("kubelet"), sandbox.clock, RECORDED))
    sandbox.add(*cloneset.build(sandbox.client("kruise-manager"), sandbox.clock))
    client = sandbox.client(namespace=NAMESPACE)
    client.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    proxy = Proxy(sandbox.transport, lambda: sandbox.run(1))
    yield Killer(proxy, client, NAMESPACE, tmp_path)
    proxy.close()


@pytest.mark.parametrize(
    "point",
    [
        Point(4, after=True),
        Point(7, after=True),
        Point(40, writes=False),
    ],
    ids=str,
)
def test_a_killed_command_goes_on_where_it_was(killer: Killer, point: Point) -> None:
    killer.create(DEPLOYMENT, ["web"], pods=3)

    assert kill_at(killer, WAYS["forward"], "web", point) == ""

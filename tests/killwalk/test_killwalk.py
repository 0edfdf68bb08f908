"""A small sample of the walk that `python -m tests.killwalk` does as a whole: the process itself is killed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kubectl_kruise.controllers import cloneset, statefulset
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.simulation import RECORDED, build
from tests.killwalk.killer import Killer
from tests.killwalk.proxy import Point, Proxy
from tests.killwalk.walk import begin, kill_at
from tests.killwalk.ways import WAYS

NAMESPACE = "shop"
SECONDS = 5
"""How far the sandbox gets with each request of the command."""


@pytest.fixture
def killer(tmp_path: Path) -> Iterator[Killer]:
    """Give one that runs against a sandbox in this process, whose time passes with the requests."""
    sandbox = Sandbox()
    sandbox.add(*build(sandbox.client("kubelet"), sandbox.clock, RECORDED))
    manager = sandbox.client("kruise-manager")
    sandbox.add(*cloneset.build(manager, sandbox.clock), statefulset.build(manager, sandbox.clock))
    client = sandbox.client(namespace=NAMESPACE)
    client.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    proxy = Proxy(sandbox.transport, lambda: sandbox.run(SECONDS))
    yield Killer(proxy, client, tmp_path)
    proxy.close()


@pytest.mark.parametrize(
    ("way", "point"),
    [
        ("forward", Point(7, after=True)),
        ("back", Point(5)),
        ("surge", Point(6, after=True)),
        ("recreate-undo", Point(3, after=True)),
        ("sets", Point(4, after=True)),
        ("sets-back-undo", Point(3)),
    ],
    ids=str,
)
def test_a_killed_command_goes_on_where_it_was(killer: Killer, way: str, point: Point) -> None:
    killer.create(WAYS[way].kind, ["web"], pods=2)
    assert begin(killer, WAYS[way], "web") == ""

    assert kill_at(killer, WAYS[way], "web", point) == ""

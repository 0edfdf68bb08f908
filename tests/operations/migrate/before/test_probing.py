"""What Kruise would lose of a template is found before anything is done (migration.md §4.5, §11.2 row 38)."""

from typing import Any

import pytest

from kubectl_kruise.errors import RefusedError
from kubectl_kruise.operations.migrate.before.probing import lost_paths
from kubectl_kruise.operations.migrate.flow import adopt
from tests.operations.migrate.world import World, deployment


@pytest.mark.parametrize(
    ("sent", "answered", "lost"),
    [
        pytest.param({"a": 1}, {"a": 1}, [], id="all there"),
        pytest.param({"a": 1}, {"a": 2, "b": 3}, [], id="changed and added is not lost"),
        pytest.param({"a": {"b": 1, "c": 2}}, {"a": {"c": 2}}, ["t.a.b"], id="a field"),
        pytest.param({"a": {"b": 1}}, {}, ["t.a.b"], id="a map with all it held"),
        pytest.param({"a": {"b": None, "c": {}, "d": []}}, {}, [], id="nothing was said"),
        pytest.param([{"n": 1, "x": 2}], [{"n": 1}], ["t[0].x"], id="a field of an item"),
        pytest.param([1, 2], [1], ["t[1]"], id="an item"),
        pytest.param({"a": False, "b": 0, "c": ""}, {}, ["t.a", "t.b", "t.c"], id="zeros are said"),
        pytest.param(
            {"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"x": "1"}}},
            {"metadata": {}},
            ["t.metadata.labels.x"],
            id="creation times do not count",
        ),
    ],
)
def test_lost_paths(sent: Any, answered: Any, lost: list[str]) -> None:
    assert list(lost_paths(sent, answered, "t")) == lost


def test_a_field_younger_than_kruise_stops_the_migration() -> None:
    """migration.md §11.2 row 38: it survives the plain dry run and is gone from the probe's answer."""
    template = deployment()["spec"]["template"]
    template["spec"]["hostnameOverride"] = "web.shop"
    world = World(replicas=2, template=template)
    before = world.marks()
    keeper = world.begin()
    with pytest.raises(RefusedError, match=r"spec\.template\.spec\.hostnameOverride.*\(P-LOSS\)"):
        adopt(world.run(), keeper)
    assert world.cloneset is None
    assert world.deployment is not None
    assert world.marks() == before

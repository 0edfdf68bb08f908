"""A CloneSet is written in a version in which the server takes it, with the values it has (migration.md §3.3, §3.8)."""

import pytest

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.convert.deployment import Target
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.objects.raw import dig
from kubectl_kruise.operations.migrate.before.speaking import convert_for
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.sandbox.embedded import Sandbox
from tests.convert.sources import deployment, rolling


@pytest.mark.parametrize(
    ("unavailable", "version", "codes"),
    [
        pytest.param(0, "v1alpha1", ["W-VERSION"], id="migration.md §11.1 row 3"),
        pytest.param("25%", "v1beta1", [], id="others stay"),
    ],
)
def test_no_value_is_changed_to_please_a_version(
    unavailable: int | str, version: str, codes: list[str]
) -> None:
    sandbox = Sandbox(VirtualClock(), release=Release.MAIN)
    cluster = sandbox.client(namespace="shop")
    cluster.create("/api/v1/namespaces", {"metadata": {"name": "shop"}})
    source = deployment(strategy=rolling(1, unavailable))
    found = convert_for(Run(cluster, sandbox.clock, "shop"), source, Target(version="v1beta1"), None)
    layout = CLONESET.layout(version)
    assert found.obj["apiVersion"] == f"apps.kruise.io/{version}"
    assert (dig(found.obj, layout.max_surge), dig(found.obj, layout.max_unavailable)) == (1, unavailable)
    assert [remark.code for remark in found.remarks] == codes

"""Sets whose pods are to be made anew, begun as the command begins them."""

from typing import Any

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.convert.advancedstatefulset import asts_to_statefulset
from kubectl_kruise.convert.statefulset import SetTarget, statefulset_to_asts
from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.operations.migrate.journal.beginning import begin_between_sets
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from tests.operations.migrate.sets.world import SetWorld

DELETE = {"whenDeleted": "Delete", "whenScaled": "Delete"}


def begin(
    world: SetWorld, mode: Mode, cluster: Cluster | None = None, image: str = "", **options: Any
) -> Keeper:
    """Begin with the set there is; with `image` the new pods have another one than the old."""
    live = world.native or world.kruise
    assert live is not None
    target = statefulset_to_asts(live, SetTarget()).obj if world.native else asts_to_statefulset(live).obj
    if image:
        target["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return begin_between_sets(world.run(cluster), live, target, options, mode)

"""The CloneSet controller: watches CloneSets, pods, claims and revisions, and writes like Kruise's manager."""

import secrets
from collections.abc import Callable

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.budgets import Budgets
from kubectl_kruise.controllers.cloneset.controller import CloneSetController
from kubectl_kruise.controllers.cloneset.tuning import WORKERS, Tuning
from kubectl_kruise.controllers.cloneset.watching.caches import open_caches
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.loop import Controller
from kubectl_kruise.controllers.recreation import Recreations
from kubectl_kruise.controllers.upkeep import upkeep_of_pods
from kubectl_kruise.controllers.watching.pulljobs import open_pull_jobs
from kubectl_kruise.engine.cloneset.creation import ID_LENGTH
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.kinds import POD_UNAVAILABLE_BUDGET
from kubectl_kruise.facts.names import RANDOM_LETTERS
from kubectl_kruise.objects.raw import Raw

__all__ = ["WORKERS", "Tuning", "build", "draw_instance_id"]


def build(
    cluster: Cluster,
    clock: Clock,
    *,
    namespace: str = "",
    version: str = "v1alpha1",
    gates: Gates | None = None,
    tuning: Tuning | None = None,
    draw: Callable[[], str] | None = None,
    rank: Callable[[Raw], int] | None = None,
    parallel: int = 1,
    recreations: bool = False,
    budgets: bool = False,
    pods: Informer | None = None,
) -> list[Controller]:
    """Give the controllers that make CloneSets work, for `controllers.loop.Runner` or `Stepper`.

    `namespace` "" means all. `version` is the served version of CloneSets to work through. `draw` gives random
    instance ids; `rank` orders pods that the rules leave equal, which otherwise stand in order of their names; `parallel`
    is the number of requests at a time where many pods are created: 1 for stepping. `recreations`
    brings the upkeep of container restarts, for clusters that have a node daemon; `budgets` that of
    PodUnavailableBudgets, which comes with the gate for updates, too, where the cluster has any. `pods` is an informer of
    all pods to share with somebody else in this process.
    """
    caches = open_caches(cluster, namespace, version, rank, pods)
    gates = gates or Gates()
    controller = CloneSetController(
        cluster,
        clock,
        caches,
        gates=gates,
        pull_jobs=open_pull_jobs(cluster, namespace) if gates.image_predownload else None,
        tuning=tuning or Tuning(),
        draw=draw or draw_instance_id,
        parallel=parallel,
    )
    controllers: list[Controller] = [controller, *upkeep_of_pods(cluster, clock, caches.pods)]
    if recreations:
        controllers.append(Recreations(cluster, clock, caches.pods, namespace=namespace))
    if (budgets or gates.budgets_hold_updates) and cluster.served(
        POD_UNAVAILABLE_BUDGET.group, POD_UNAVAILABLE_BUDGET.plural, fresh=True
    ):
        controllers.append(
            Budgets(cluster, clock, namespace=namespace, pods=caches.pods, clonesets=caches.clonesets)
        )
    return controllers


def draw_instance_id(choose: Callable[[str], str] = secrets.choice) -> str:
    """Draw five characters that cannot spell a word."""
    return "".join(choose(RANDOM_LETTERS) for _ in range(ID_LENGTH))

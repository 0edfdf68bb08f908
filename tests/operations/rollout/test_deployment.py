"""Deployments: pods are those of the newest ReplicaSet, also of one that appears while we watch."""

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.facts.kinds import DEPLOYMENT, POD, REPLICASET
from kubectl_kruise.operations.rollout.follow import Followed, Rollout
from kubectl_kruise.operations.rollout.progress import Aim
from tests.operations.rollout.scenes import NOW


def deployment(revision: int, *, generation: int = 1, observed: int = 1, updated: int = 2) -> dict:
    return {
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {
            "name": "cart", "namespace": "shop", "uid": "d", "generation": generation, "resourceVersion": "5",
            "annotations": {"deployment.kubernetes.io/revision": str(revision)},
        },
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "cart"}}},
        "status": {
            "observedGeneration": observed, "replicas": 2, "updatedReplicas": updated, "availableReplicas": 2,
            "readyReplicas": 2,
        },
    }  # fmt: skip


def replica_set(name: str, revision: int, owner: str = "d") -> dict:
    return {
        "metadata": {
            "name": name, "uid": f"u-{name}", "ownerReferences": [{"uid": owner, "controller": True}],
            "annotations": {"deployment.kubernetes.io/revision": str(revision)},
        }
    }  # fmt: skip


def pod(name: str, owner: str) -> dict:
    return {
        "metadata": {
            "name": name, "uid": f"u-{name}", "ownerReferences": [{"uid": f"u-{owner}", "controller": True}],
            "labels": {"app": "cart", "pod-template-hash": owner.rpartition("-")[2]},
        },
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }  # fmt: skip


class Cluster:
    namespace, context, server = "shop", "", ""

    def __init__(self, replica_sets, pods) -> None:
        self.replica_sets, self.pods = replica_sets, pods
        self.requests: list[str] = []

    def list(self, path: str, *, labels: str = "", **_: object) -> dict:
        self.requests.append(path)
        return {
            "metadata": {"resourceVersion": "9"},
            "items": self.pods if path == POD.path("shop") else self.replica_sets,
        }


def read(cluster: Cluster, raw: dict) -> Rollout:
    rollout = Rollout(cluster, Followed(DEPLOYMENT, raw), Aim(), VirtualClock(NOW))
    rollout.read(print)
    return rollout


def test_only_pods_of_its_own_replica_sets_count():
    sets = [replica_set("cart-aa", 1), replica_set("cart-bb", 2), replica_set("other-cc", 9, owner="x")]
    rollout = read(
        Cluster(sets, [pod("p1", "cart-aa"), pod("p2", "cart-bb"), pod("p3", "other-cc")]), deployment(2)
    )

    counts = rollout.progress.counts()

    assert (rollout.progress.revision, counts.total, counts.updated, counts.updated_available) == (
        "cart-bb",
        2,
        1,
        1,
    )


def test_a_rollback_makes_an_old_replica_set_the_newest():
    sets = [replica_set("cart-aa", 3), replica_set("cart-bb", 2)]

    assert read(Cluster(sets, [pod("p1", "cart-aa")]), deployment(3)).progress.revision == "cart-aa"


def test_the_first_pod_of_a_new_replica_set_makes_it_known():
    cluster = Cluster([replica_set("cart-aa", 1)], [pod("p1", "cart-aa")])
    rollout = read(cluster, deployment(1))
    cluster.replica_sets = [replica_set("cart-aa", 1), replica_set("cart-bb", 2)]
    take_pod = rollout.sources()[1]._take

    from kubectl_kruise.cluster.port import Change

    take_pod(Change("ADDED", pod("p2", "cart-bb")))
    take_pod(Change("MODIFIED", pod("p2", "cart-bb")))
    take_pod(Change("ADDED", pod("p3", "stranger-zz")))
    take_pod(Change("MODIFIED", pod("p3", "stranger-zz")))

    assert rollout.progress.counts().total == 2
    assert cluster.requests.count(REPLICASET.path("shop")) == 3, "once for each owner not met before"

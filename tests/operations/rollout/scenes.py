"""CloneSets and pods in the states that a rollout passes through, and a cluster that plays a script."""

import queue
from typing import Any

from kubectl_kruise.cluster.port import Change
from kubectl_kruise.errors import ExpiredError, NotFoundError
from kubectl_kruise.facts.kinds import CLONESET, POD

NOW = 1_767_225_600.0
CLONESETS, PODS = CLONESET.path("shop"), POD.path("shop")


def cloneset(
    version: int, *, updated: int = 0, generation: int = 2, observed: int = 2, uid: str = "cs", **spec: Any
) -> dict[str, Any]:
    return {
        "apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet",
        "metadata": {"name": "web", "namespace": "shop", "uid": uid, "generation": generation, "resourceVersion": str(version)},
        "spec": {
            "replicas": 3, "selector": {"matchLabels": {"app": "web"}},
            "updateStrategy": {"type": "InPlaceIfPossible", "maxUnavailable": 1},
            "template": {"spec": {"containers": [{"name": "app", "image": "app:2"}]}}, **spec,
        },
        "status": {
            "observedGeneration": observed, "replicas": 3, "updatedReplicas": updated, "updatedReadyReplicas": updated,
            "updatedAvailableReplicas": updated, "expectedUpdatedReplicas": 3, "updateRevision": "web-new",
            "currentRevision": "web-old",
        },
    }  # fmt: skip


def pod(
    name: str,
    *,
    revision: str = "web-new",
    ready: bool = True,
    owner: str = "cs",
    waiting: str = "",
    version: int = 1,
) -> dict[str, Any]:
    state = {"waiting": {"reason": waiting, "message": "no such tag"}} if waiting else {"running": {}}
    return {
        "metadata": {
            "name": name, "namespace": "shop", "uid": f"u-{name}", "resourceVersion": str(version),
            "labels": {"app": "web", "controller-revision-hash": revision},
            "ownerReferences": [{"uid": owner, "controller": True}], "creationTimestamp": "2025-12-31T23:00:00Z",
        },
        "spec": {"nodeName": "n-1", "containers": [{"name": "app", "image": "app:2" if revision == "web-new" else "app:1"}]},
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": str(ready), "lastTransitionTime": "2025-12-31T23:00:02Z"}],
            "containerStatuses": [{"name": "app", "ready": ready, "restartCount": 0, "state": state}],
        },
    }  # fmt: skip


def pods(new: int, old: int) -> list[dict[str, Any]]:
    return [pod(f"web-{n}") for n in range(new)] + [
        pod(f"web-{n}", revision="web-old") for n in range(new, new + old)
    ]


class ScriptedCluster:
    """Watches yield what a test puts into their queues; a put ExpiredError is raised there. Requests are noted."""

    namespace, context, server = "shop", "test", "https://test"

    def __init__(self, raw: dict[str, Any], listed: list[dict[str, Any]]) -> None:
        self.objects = {"web": raw}
        self.pods = listed
        self.requests: list[str] = []
        self.streams: dict[str, queue.Queue[Any]] = {CLONESETS: queue.Queue(), PODS: queue.Queue()}

    def get(self, path: str, *, query: Any = None) -> dict[str, Any]:
        self.requests.append(f"GET {path}")
        name = path.rpartition("/")[2]
        if name not in self.objects:
            raise NotFoundError(f"no {name}")
        return self.objects[name]

    def list(self, path: str, *, labels: str = "", fields: str = "", chunk: int = 500) -> dict[str, Any]:
        self.requests.append(f"LIST {path} {labels or fields}")
        items = self.pods if path == PODS else list(self.objects.values())
        return {"metadata": {"resourceVersion": "100"}, "items": items}

    def watch(
        self,
        path: str,
        since: str,
        *,
        labels: str = "",
        fields: str = "",
        timeout: Any = None,
        follow: bool = True,
        away: Any = None,
    ):
        self.requests.append(f"WATCH {path} {labels or fields} after {since}")
        while True:
            try:
                found = self.streams[path].get(block=follow)
            except queue.Empty:
                return
            if isinstance(found, ExpiredError):
                raise found
            yield Change("MODIFIED", found) if isinstance(found, dict) else found

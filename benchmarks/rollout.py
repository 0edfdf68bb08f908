"""A CloneSet whose pods and status the benchmark writes itself, so that it knows which write completes the rollout."""

from typing import Any, Final

from benchmarks.stage import cloneset
from kubectl_kruise.cluster.client import Client
from kubectl_kruise.facts.kinds import CLONESET, NODE, POD

NAME: Final = "bench"
NAMESPACE: Final = "default"
OBJECT: Final = f"cloneset/{NAME}"
REVISION: Final = f"{NAME}-6d5c4b3a2"
CONDITIONS: Final = ("PodScheduled", "Initialized", "ContainersReady", "Ready")


class Rollout:
    """`client` is that of a sandbox in which nobody else works on CloneSets and pods."""

    def __init__(self, client: Client, replicas: int) -> None:
        self._client, self._replicas = client, replicas
        # Pods of nodes that do not exist are collected; this one has no kubelet to work on them.
        client.create(NODE.path(), {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "by-hand"}})
        self._live = client.create(CLONESET.path(NAMESPACE), cloneset(NAME, replicas))
        for number in range(replicas):
            pod = client.create(POD.path(NAMESPACE), self._pod(number))
            self.touch(pod, "1")

    def touch(self, pod: dict[str, Any], restarts: str) -> dict[str, Any]:
        """Write a pod's status: running and ready, with a text that makes it differ from the one before."""
        at = pod["metadata"]["creationTimestamp"]
        status = {
            "phase": "Running",
            "message": restarts,
            "conditions": [{"type": kind, "status": "True", "lastTransitionTime": at} for kind in CONDITIONS],
            "containerStatuses": [
                {"name": "app", "image": "app:1", "imageID": "", "ready": True, "restartCount": 0}
            ],
        }
        path = POD.path(NAMESPACE, pod["metadata"]["name"], subresource="status")
        return self._client.replace(path, {**pod, "status": status})

    def pods(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._client.list(POD.path(NAMESPACE))["items"]
        return found

    def report(self, *, complete: bool) -> None:
        """Write the CloneSet's status, one that agrees with the pods or one that lags behind."""
        counted = self._replicas if complete else 0
        status = {
            "observedGeneration": self._live["metadata"]["generation"],
            "replicas": self._replicas,
            "readyReplicas": self._replicas,
            "availableReplicas": self._replicas,
            "updatedReplicas": counted,
            "updatedReadyReplicas": counted,
            "updatedAvailableReplicas": counted,
            "expectedUpdatedReplicas": self._replicas,
            "updateRevision": REVISION,
            "currentRevision": REVISION if complete else f"{NAME}-7f9c8d6b5",
        }
        path = CLONESET.path(NAMESPACE, NAME, subresource="status")
        self._live = self._client.replace(path, {**self._live, "status": status})

    def _pod(self, number: int) -> dict[str, Any]:
        meta = self._live["metadata"]
        owner = {
            "apiVersion": self._live["apiVersion"],
            "kind": self._live["kind"],
            "name": NAME,
            "uid": meta["uid"],
            "controller": True,
        }
        labels = {
            "app": NAME,
            "controller-revision-hash": REVISION,
            "lifecycle.apps.kruise.io/state": "Normal",
        }
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"{NAME}-{number:05}", "labels": labels, "ownerReferences": [owner]},
            "spec": {"containers": [{"name": "app", "image": "app:1"}], "nodeName": "by-hand"},
        }

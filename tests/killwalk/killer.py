"""Runs the command line against one namespace, through a proxy that may end it."""

import copy
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.engine.migration.pairs import SETS
from kubectl_kruise.facts.kinds import HPA, POD, Kind
from kubectl_kruise.objects.pod import ready
from kubectl_kruise.objects.raw import Raw
from tests.killwalk.proxy import Point, Proxy

LONGEST_SECONDS = 240.0
LOOK_SECONDS = 0.5
KILLED = -9
POD_SPEC: Raw = {
    "containers": [
        {
            "name": "main",
            "image": "nginx:1",
            "imagePullPolicy": "IfNotPresent",
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
        }
    ],
    "terminationGracePeriodSeconds": 1,
    "restartPolicy": "Always",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "securityContext": {},
}
"""With every default: a CloneSet gets none where no webhook of Kruise runs, and is compared with a Deployment, which does."""


class Killer:
    """Runs `migrate` as a process of its own; `lasts` is how long the server keeps a watch open that brings nothing."""

    def __init__(self, proxy: Proxy, client: Client, folder: Path, *, lasts: float | None = None) -> None:
        self.proxy, self.client, self.namespace, self.lasts = proxy, client, client.namespace, lasts
        config = folder / "kubeconfig"
        config.write_text(json.dumps(_kubeconfig(proxy.address, self.namespace)))
        self._environ = os.environ | {"KUBECONFIG": str(config), "HOME": str(folder)}

    def run(self, words: Sequence[str], name: str, point: Point | None = None) -> tuple[int, str]:
        """Run `migrate` with these words, `{name}` filled in; gives its exit code and what it said."""
        words = [word.format(name=name) for word in words]
        command = [sys.executable, "-m", "kubectl_kruise", "migrate", *words, "--yes", "--settle=0"]
        started: list[subprocess.Popen[str]] = []
        self.proxy.arm(point, lambda: started[0].pid)
        started.append(
            subprocess.Popen(
                command, env=self._environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
        )
        said, _ = started[0].communicate(timeout=LONGEST_SECONDS)
        return started[0].returncode, said

    def create(self, kind: Kind, names: Sequence[str], pods: int) -> None:
        """Create workloads of so many pods, with an autoscaler each, and wait until they are ready."""
        for name in names:
            self.client.create(kind.path(self.namespace), _workload(kind, name, pods))
            self.client.create(HPA.path(self.namespace), _autoscaler(kind, name, pods))
        self.await_ready(len(names) * pods)

    def await_ready(self, pods: int) -> None:
        """Wait until so many pods of the namespace are ready. Raises TimeoutError."""

        def there() -> bool:
            return sum(map(ready, self.client.list(POD.path(self.namespace))["items"])) >= pods

        self.wait(there, f"fewer than {pods} pods are ready")

    def wait(self, condition: Callable[[], bool], failure: str) -> None:
        """Wait until something is so. Raises TimeoutError."""
        end = time.monotonic() + LONGEST_SECONDS
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(failure)
            self.rest()

    def rest(self) -> None:
        """Let the cluster work for a moment."""
        self.proxy.done()
        if self.lasts is not None:
            time.sleep(LOOK_SECONDS)


def labels_of(name: str) -> str:
    """Give the selector of everything that belongs to one workload."""
    return f"app={name}"


def _workload(kind: Kind, name: str, pods: int) -> Raw:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": copy.deepcopy(POD_SPEC)}
    spec = {"replicas": pods, "selector": {"matchLabels": labels}, "template": template}
    if kind in SETS:
        claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        spec |= {
            "serviceName": name,
            "podManagementPolicy": "Parallel",
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": claim}],
        }
    return {
        "apiVersion": f"{kind.group}/{kind.versions[0]}",
        "kind": kind.kind,
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
    }


def _autoscaler(kind: Kind, name: str, pods: int) -> Raw:
    """Give one that leaves the workload as it is, as long as nobody else scales it."""
    aim = {"apiVersion": f"{kind.group}/{kind.versions[0]}", "kind": kind.kind, "name": name}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {"scaleTargetRef": aim, "minReplicas": pods, "maxReplicas": pods},
    }


def _kubeconfig(server: str, namespace: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "proxy",
        "contexts": [{"name": "proxy", "context": {"cluster": "proxy", "user": "", "namespace": namespace}}],
        "clusters": [{"name": "proxy", "cluster": {"server": server}}],
        "users": [],
    }

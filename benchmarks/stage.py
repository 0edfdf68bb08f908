"""Where the benchmarks play: a sandbox of their own, or a namespace of their own on another server."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from kubectl_kruise.cluster.client import Client

NAMESPACE = "kruise-benchmarks"


class Stage(NamedTuple):
    """`environment` is for commands; its kubeconfig's context has the namespace to work in."""

    environment: dict[str, str]
    folder: Path

    @property
    def kubeconfig(self) -> str:
        return self.environment["KUBECONFIG"]

    def client(self) -> "closing[Client]":
        # Not at the top: a process counts the memory of the one that starts it as its own until it has its own.
        from kubectl_kruise.cluster.connection import ConnectionFlags, connect

        return closing(connect(ConnectionFlags(kubeconfig=self.kubeconfig)))

    def call(self, *command: str, given: str = "") -> str:
        """Run a command that is not measured; a RuntimeError with what it said where it fails."""
        done = subprocess.run(
            command, env=self.environment, input=given, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    def create(self, manifest: Mapping[str, Any]) -> None:
        self.call("kubectl", "create", "-f", "-", given=json.dumps(manifest))


@contextmanager
def sandbox(*options: str) -> Iterator[Stage]:
    """Start a sandbox with state of its own; nobody else's is touched."""
    with tempfile.TemporaryDirectory(prefix="kubectl-kruise-bench-") as folder:
        stage = _stage(Path(folder), f"{folder}/kubeconfig")
        try:
            stage.call("kubectl-kruise", "sandbox", "start", *options)
            sandbox_state = Path(folder, "state", "kubectl-kruise", "sandbox", "kubeconfig")
            Path(stage.kubeconfig).write_bytes(sandbox_state.read_bytes())
            yield stage
        finally:
            subprocess.run(
                ["kubectl-kruise", "sandbox", "stop"], env=stage.environment, capture_output=True, check=False
            )


@contextmanager
def other_server(kubeconfig: str, namespace: str = NAMESPACE) -> Iterator[Stage]:
    """Work in a namespace on a server that is there already, and remove it afterwards.

    Our controllers run meanwhile, unless a manager is there.
    """
    with tempfile.TemporaryDirectory(prefix="kubectl-kruise-bench-") as folder:
        stage = _stage(Path(folder), f"{folder}/kubeconfig")
        view = ("kubectl", "config", "view", "--raw", "--flatten", "--minify", f"--kubeconfig={kubeconfig}")
        Path(stage.kubeconfig).write_text(stage.call(*view), "utf-8")
        stage.call("kubectl", "config", "set-context", "--current", f"--namespace={namespace}")
        stage.call("kubectl-kruise", "install", "crds")
        stage.call("kubectl", "create", "namespace", namespace)
        command = ["kubectl-kruise", "controller", "run", "--kinds=clonesets,statefulsets", f"-n={namespace}"]
        controller = subprocess.Popen(
            command, env=stage.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            yield stage
        finally:
            controller.terminate()
            controller.wait()
            stage.call("kubectl", "delete", "namespace", namespace)


def _stage(folder: Path, kubeconfig: str) -> Stage:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_STATE_HOME": f"{folder}/state",
        "XDG_CACHE_HOME": f"{folder}/cache",
        "KUBECACHEDIR": f"{folder}/kube-cache",
        "KUBECONFIG": kubeconfig,
    }
    return Stage(environment, folder)


def cloneset(name: str, replicas: int, **strategy: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {**_pods(name, replicas), "updateStrategy": {"type": "InPlaceIfPossible", **strategy}},
    }


def parallel_set(name: str, replicas: int, **rolling: Any) -> dict[str, Any]:
    """Give an Advanced StatefulSet that starts all pods at once and updates them in place."""
    spec = _pods(name, replicas)
    spec["template"]["spec"]["readinessGates"] = [{"conditionType": "InPlaceUpdateReady"}]
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "StatefulSet",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            **spec,
            "serviceName": name,
            "podManagementPolicy": "Parallel",
            "updateStrategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"podUpdatePolicy": "InPlaceIfPossible", **rolling},
            },
        },
    }


def native_set(name: str, replicas: int) -> dict[str, Any]:
    """Give a StatefulSet of Kubernetes that starts all pods at once."""
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {**_pods(name, replicas), "serviceName": name, "podManagementPolicy": "Parallel"},
    }


def deployment(name: str, replicas: int) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": _pods(name, replicas),
    }


def _pods(name: str, replicas: int) -> dict[str, Any]:
    """Give the part of a spec that says which pods there are, and how many."""
    return {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": name}},
        "template": {
            "metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "app", "image": "app:1"}]},
        },
    }

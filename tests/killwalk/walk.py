"""Kill the command line itself at every request, run the same command again, and look after the pods."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, POD, Kind
from kubectl_kruise.objects.pod import active, ready, statuses_of
from kubectl_kruise.objects.raw import Raw, name_of, owner_of, uid_of
from tests.killwalk.proxy import Point, Proxy

LONGEST_SECONDS = 120.0
LOOK_SECONDS = 0.5
MISSED = "the command was done before"


class Way(NamedTuple):
    """One mode: `begin` is what has to have happened, `command` is the one that dies, `owner` has the pods in the end."""

    kind: Kind
    begin: tuple[tuple[str, ...], ...]
    command: tuple[str, ...]
    owner: str


WAYS = {
    "forward": Way(DEPLOYMENT, (), ("deployment/{name}",), "CloneSet"),
    "undo": Way(DEPLOYMENT, (("deployment/{name}",),), ("deployment/{name}", "--rollback"), "ReplicaSet"),
    "back": Way(CLONESET, (), ("cloneset/{name}", "--to", "deployment"), "ReplicaSet"),
    "back-undo": Way(
        CLONESET, (("cloneset/{name}", "--to", "deployment"),), ("cloneset/{name}", "--rollback"), "CloneSet"
    ),
}


class Killer:
    """Runs the command line against one namespace, through a proxy."""

    def __init__(self, proxy: Proxy, client: Client, namespace: str, folder: Path) -> None:
        self.proxy, self.client, self.namespace = proxy, client, namespace
        self._config = folder / "kubeconfig"
        self._config.write_text(json.dumps(_kubeconfig(proxy.address, namespace)))
        self._environ = os.environ | {"KUBECONFIG": str(self._config), "HOME": str(folder)}

    def run(self, words: Sequence[str], point: Point | None = None) -> tuple[int, str]:
        """Run `migrate` with these words; gives its exit code and what it said."""
        command = [sys.executable, "-m", "kubectl_kruise", "migrate", *words, "--yes", "--settle", "0"]
        process: list[subprocess.Popen[str]] = []
        self.proxy.arm(point, lambda: process[0].pid)
        process.append(
            subprocess.Popen(
                command, env=self._environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
        )
        said, _ = process[0].communicate(timeout=LONGEST_SECONDS)
        return process[0].returncode, said

    def pods(self, name: str) -> dict[str, tuple[str, int]]:
        """Give name and restarts of the active pods of a workload, by uid."""
        listed = self.client.list(POD.path(self.namespace), labels=f"app={name}")["items"]
        return {uid_of(pod): (name_of(pod), _restarts(pod)) for pod in listed if active(pod)}

    def owners(self, name: str) -> set[str]:
        listed = self.client.list(POD.path(self.namespace), labels=f"app={name}")["items"]
        return {str((owner_of(pod) or {}).get("kind")) for pod in listed}

    def create(self, kind: Kind, names: Sequence[str], pods: int) -> None:
        """Create workloads, and wait until all their pods are ready."""
        for name in names:
            self.client.create(kind.path(self.namespace), _workload(kind, name, pods))
        wanted = len(names) * pods
        end = time.monotonic() + LONGEST_SECONDS
        while sum(map(ready, self.client.list(POD.path(self.namespace))["items"])) < wanted:
            if time.monotonic() > end:
                raise TimeoutError(f"fewer than {wanted} pods are ready")
            self.proxy.done()
            time.sleep(LOOK_SECONDS)

    def remove(self, name: str) -> None:
        for kind in (DEPLOYMENT, CLONESET):
            try:
                self.client.delete(
                    kind.path(self.namespace, name), options={"propagationPolicy": "Background"}
                )
            except NotFoundError:
                continue


def kill_at(killer: Killer, way: Way, name: str, point: Point) -> str:
    """Let the command die at one point, and run it again; gives "" where every pod is as before, else what is not."""
    for words in way.begin:
        code, said = killer.run(_named(words, name))
        if code:
            return f"{point}: could not begin: {said}"
    before = killer.pods(name)
    code, said = killer.run(_named(way.command, name), point)
    if code == 0:
        return f"{point}: {MISSED}"
    if code != -9:
        return f"{point}: ended by itself with {code}: {said}"
    code, said = killer.run(_named(way.command, name))
    if code not in (0, 4):
        return f"{point}: run again, it ended with {code}: {said}"
    after, owners = killer.pods(name), killer.owners(name)
    if after != before:
        return f"{point}: pods were {before}, are {after}"
    return "" if owners == {way.owner} else f"{point}: pods are of {owners}"


def points(writes: int, requests: int, *, every: int) -> Iterator[Point]:
    """Give both sides of every write, and every so many of all requests."""
    for number in range(1, writes + 1):
        yield Point(number)
        yield Point(number, after=True)
    for number in range(1, requests + 1, every):
        yield Point(number, writes=False)


def _named(words: Sequence[str], name: str) -> list[str]:
    return [word.format(name=name) for word in words]


def _restarts(pod: Raw) -> int:
    return sum(int(each.get("restartCount") or 0) for each in statuses_of(pod).values())


def _workload(kind: Kind, name: str, pods: int) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": "main", "image": "nginx:1", "imagePullPolicy": "IfNotPresent"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"terminationGracePeriodSeconds": 1, "containers": [container]},
    }
    spec = {"replicas": pods, "selector": {"matchLabels": labels}, "template": template}
    return {
        "apiVersion": f"{kind.group}/{kind.versions[0]}",
        "kind": kind.kind,
        "metadata": {"name": name},
        "spec": spec,
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

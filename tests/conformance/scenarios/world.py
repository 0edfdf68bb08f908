"""The world of the recordings, played by our own: an in-process server, its controllers, and a virtual clock."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.controllers import cloneset, statefulset
from kubectl_kruise.engine.gates import resolve_gates
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.crds.definitions import CRD_KINDS, definition
from kubectl_kruise.facts.kinds import (
    CLONESET,
    CRD,
    DEPLOYMENT,
    NATIVE_STATEFULSET,
    REPLICASET,
    STATEFULSET,
    Kind,
)
from kubectl_kruise.facts.names import RANDOM_LETTERS
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.objects.raw import Raw, dig, labels_of, metadata, name_of
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.simulation import RECORDED, build
from kubectl_kruise.sandbox.simulation.nodes import ZONES
from tests.conformance.comparing.normalise import NAMESPACE, Names
from tests.conformance.comparing.writes import WriteLog
from tests.conformance.scenarios.observe import plural_of

if TYPE_CHECKING:
    from kubectl_kruise.controllers.loop import Controller

QUIET_SECONDS = 4.0
"""A step of a recording was closed when nobody had written for about as long, unless its note says otherwise."""

LONGEST_SECONDS = 600.0
ANY_NODE = "NODE"
ANY_ZONE = {RECORDED.zone_prefix + letter: "ZONE" for letter in ZONES}
"""Recordings that put this for nodes do not say where pods went."""
LONGEST_CIRCLES = 300


class World:
    """One scenario's cluster. Pods are put on the nodes the recording says: the scheduler is not on trial."""

    def __init__(self, recording: dict[str, Any], phase: float = 0.0) -> None:
        noted = re.search(r"closed after (\d+) quiet seconds", recording.get("note") or "")
        self._quiet = float(noted[1]) if noted else QUIET_SECONDS
        self.release = release_of(recording.get("recorded", {}).get("kruise", ""))
        self.native = "kruise" not in recording["recorded"]
        self.anywhere = any(
            pod["node"] == ANY_NODE for step in recording["steps"] for pod in step["state"]["pods"]
        )
        self.racing = "early completion of the rollout races" in (recording.get("note") or "")
        self.names = Names()
        self._placements = _placements(recording)
        self._placed = self._placements[0]
        self._draw = random.Random(recording["id"])
        self._chosen: dict[str, str] = {}
        self._preferred: dict[str, int] = {}
        self.gates = resolve_gates(recording.get("recorded", {}).get("gates", {}))
        self.sandbox = Sandbox(gates=self.gates, release=self.release)
        self.user = self.sandbox.client("recording", namespace=NAMESPACE)
        self.log = WriteLog(self.sandbox.transport)
        self.sandbox.add(
            *build(
                self.sandbox.client("kubelet"),
                self.sandbox.clock,
                replace(RECORDED, resize_restarts="kubelet" in recording["recorded"]),
                choose=self._choose,
                manager=self._manager() if self.native else None,
            )
        )
        self._controllers: list[Controller] = []
        if self.native:
            # Some begin with pods of a Kruise workload, whose manager's writes they leave out.
            manager = self.sandbox.client("kruise-manager", namespace=NAMESPACE)
            self.sandbox.add(
                *cloneset.build(manager, self.sandbox.clock, gates=self.gates),
                statefulset.build(manager, self.sandbox.clock, gates=self.gates),
            )
        else:
            self.start_manager()
        self.user.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        self.sandbox.run(QUIET_SECONDS + phase)
        self.log.take()

    @property
    def workloads(self) -> dict[Kind, str]:
        """Give the kinds of workloads, each with the version that the recording writes and lists."""
        if self.native:
            return {DEPLOYMENT: "v1", REPLICASET: "v1", NATIVE_STATEFULSET: "v1"}
        return {
            CLONESET: "v1beta1" if self.release is Release.MAIN else "v1alpha1",
            STATEFULSET: "v1beta1",
            DEPLOYMENT: "v1",
        }

    def version_of(self, kind: Kind) -> str:
        return self.workloads.get(kind, "")

    def start_manager(self) -> None:
        """Start the manager's controllers, in the place of those that ran before."""
        for old in self._controllers:
            self.sandbox.controllers.remove(old)
        self._controllers = cloneset.build(
            self._manager(), self.sandbox.clock, version=self.workloads[CLONESET], gates=self.gates,
            draw=self._draw_id, rank=self._rank, budgets=True, recreations=True,
        )  # fmt: skip
        self._controllers.append(statefulset.build(self._manager(), self.sandbox.clock, gates=self.gates))
        self.sandbox.add(*self._controllers)

    def upgrade(self, kruise: str) -> None:
        """Put the CRDs and the manager of another release in the place of the present ones; the objects stay."""
        self.release = release_of(kruise)
        for kind in CRD_KINDS:
            path = CRD.path(name=kind.resource)
            live = self.user.get(path)
            self.user.replace(path, {**live, "spec": definition(kind, self.release, converted=True)["spec"]})
        self.start_manager()

    def begin(self, step: int) -> None:
        """Let pods that come to be in this step get their recorded nodes."""
        self._placed = self._placements[step]

    def place(self, pod: str, node: str) -> None:
        """Let the scheduler put this pod on this node."""
        self._chosen[pod] = node

    def prefer(self, pods: Sequence[str]) -> None:
        """Let pods that the rules leave equal be taken in this order: the manager's own is that of its cache, by chance."""
        self._preferred = {name: at for at, name in enumerate(pods)}

    def read_workload(self, kind: str, name: str) -> Raw | None:
        found = next(known for known in self.workloads if kind in {known.kind, plural_of(known)})
        try:
            return self.user.get(found.path(NAMESPACE, name, version=self.version_of(found)))
        except NotFoundError:
            return None

    def write_status(self, live: Raw, status: Raw) -> None:
        """Change counters of a workload's status."""
        kind = next(known for known in self.workloads if known.kind == live["kind"])
        path = kind.path(NAMESPACE, name_of(live), version=self.version_of(kind), subresource="status")
        self.user.patch(path, Patch(PatchType.MERGE, {"status": status}))

    def restart(self, gates: dict[str, bool] | None) -> None:
        """Start the manager anew, webhooks included, with these feature gates in place of the present ones."""
        self.gates = self.gates if gates is None else resolve_gates(gates)
        self.sandbox.server.use_gates(self.gates)
        self.start_manager()

    def run_until(self, reached: Callable[[], bool]) -> None:
        """Let everybody work, a key at a time, until something is so; or until they have gone in circles for long."""
        for _ in range(LONGEST_CIRCLES):
            if not self.sandbox.step() and (due := self.sandbox.next_due()) is not None:
                self.sandbox.clock.advance(max(0.0, due - self.sandbox.clock.monotonic()))
            if reached():
                break
        self._learn()

    def run(self, seconds: float) -> None:
        self.sandbox.run(seconds)
        self._learn()

    def run_until_quiet(self) -> None:
        """Let time pass until nobody has written for a while."""
        clock, store = self.sandbox.clock, self.sandbox.server.store
        self.sandbox.settle()
        last, version = clock.monotonic(), store.version
        end = clock.monotonic() + LONGEST_SECONDS
        while clock.monotonic() < min(end, last + self._quiet):
            due = self.sandbox.next_due()
            wait = last + self._quiet - clock.monotonic()
            self.sandbox.run(min(wait, max(0.0, due - clock.monotonic())) if due is not None else wait)
            if store.version != version:
                last, version = clock.monotonic(), store.version
        self._learn()

    def _manager(self) -> Client:
        """Give the client of the manager on trial, Kruise's or that of the native controllers; its writes are logged."""
        name = "kube-controller-manager" if self.native else "kruise-manager"
        return Client(
            self.log, namespace=NAMESPACE, context="", server="", user_agent=name,
            field_manager=name, pause=self.sandbox.clock.advance,
        )  # fmt: skip

    def _learn(self) -> None:
        """Number the pods made since the last look, in the order in which the server stored them."""
        for write in self.log.writes:
            if (write.verb, write.resource) != ("create", "pods"):
                continue
            if write.code == 201:
                self.names.learn(metadata(write.body).get("generateName") or "", write.name)
            else:
                self.names.refuse(write.name)

    def _choose(self, pod: Raw, nodes: Sequence[str]) -> str:
        if name_of(pod) in self._chosen:
            return self._chosen[name_of(pod)]
        self._learn()
        placeholder = self.names.placeholder(name_of(pod))
        return self._placed.get(placeholder, nodes[len(self._chosen) % len(nodes)])

    def _rank(self, pod: Raw) -> int:
        return self._preferred.get(name_of(pod), len(self._preferred))

    def _draw_id(self) -> str:
        return "".join(self._draw.choices(RANDOM_LETTERS, k=5))


def release_of(kruise: str) -> Release:
    """Give the release that a recording began with, by what it says of the manager."""
    return Release.MAIN if kruise.startswith("HEAD") else Release.V1_9_0


def _placements(recording: dict[str, Any]) -> list[dict[str, str]]:
    """Give for every step the nodes of the pods made in it, as settled states and answers show them later.

    A name can come back for another pod: what was seen after that says nothing of the pod before.
    """
    known: dict[str, str] = {}
    found = []
    for step in reversed(recording["steps"]):
        known = known | {
            pod["name"]: pod["node"]
            for pod in step["state"]["pods"]
            if pod.get("node") not in {None, ANY_NODE}
        }
        found.append(known)
        made = {w["name"] for w in step["writes"] if (w["verb"], w["resource"]) == ("create", "pods")}
        known = {name: node for name, node in known.items() if name not in made}
        answered = (step.get("response") or {}).get("object") or {}
        if answered.get("kind") == "Pod" and (node := _answered_node(answered)):
            known[name_of(answered)] = node
    return found[::-1]


def _answered_node(pod: Raw) -> str:
    """Give the node that an answer shows a pod on: itself, or by the zone that binding labelled the pod with."""
    zone = labels_of(pod).get("topology.kubernetes.io/zone", "")
    by_zone = {zone_of(node): node for node in RECORDED.nodes}
    return dig(pod, ("spec", "nodeName"), "") or by_zone.get(zone, "")


def zone_of(node: str) -> str:
    """Give the zone of a node of the recorded cluster: fake-0 is in fake-a."""
    return RECORDED.zone_prefix + ZONES[RECORDED.nodes.index(node)]

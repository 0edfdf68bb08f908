"""What there is of one workload, before and after: whose the pods are, and what a migration may have left behind."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.engine.migration.journal import Phase
from kubectl_kruise.engine.migration.pairs import DEPLOYMENTS, Pair, twin_of
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import CONFIGMAP, DEPLOYMENT, HPA, POD, PVC, REPLICASET, Kind
from kubectl_kruise.facts.names import MIGRATE_PREFIX, MIGRATE_SOURCE
from kubectl_kruise.objects.pod import active, ready, statuses_of
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    dig,
    labels_of,
    name_of,
    owner_uid,
    uid_of,
)
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.journal.keeping import LABEL, read_journal


class Mark(NamedTuple):
    """Who a pod is, and that nothing has happened to it."""

    name: str
    uid: str
    address: str
    node: str
    restarts: int


class Scene(NamedTuple):
    """All objects with the labels of one workload, the pods that are not ending, and the journals that name it.

    `claims` are names and uids of its volume claims.
    """

    native: Raw | None
    kruise: Raw | None
    replicasets: list[Raw]
    pods: list[Raw]
    autoscaler: Raw | None
    journals: list[Raw]
    claims: set[tuple[str, str]]

    @classmethod
    def of(cls, client: Client, name: str, labels: str, pair: Pair = DEPLOYMENTS) -> Self:
        space = client.namespace
        journals = client.list(CONFIGMAP.path(space), labels=LABEL)["items"]
        return cls(
            _get(client, pair.native, name),
            _get(client, pair.kruise, name),
            client.list(REPLICASET.path(space), labels=labels)["items"],
            [pod for pod in client.list(POD.path(space), labels=labels)["items"] if active(pod)],
            _get(client, HPA, name),
            [each for each in journals if read_journal(each).source.name == name],
            {(name_of(each), uid_of(each)) for each in client.list(PVC.path(space), labels=labels)["items"]},
        )

    @property
    def marks(self) -> set[Mark]:
        return set(map(_mark, self.pods))

    def workload(self, kind: Kind) -> Raw | None:
        return self.native if kind.native else self.kruise

    def remains(self) -> Iterator[str]:
        """Give every mark that a migration has left, but for where a CloneSet came from, and every unfinished journal."""
        objects: dict[str, list[Raw | None]] = {
            "native workload": [self.native],
            "workload of Kruise": [self.kruise],
            "replicaset": [*self.replicasets],
            "pod": [*self.pods],
            "autoscaler": [self.autoscaler],
        }
        for what, found in objects.items():
            for raw in found:
                marks = set(_marked(raw) if raw else ()) - ({MIGRATE_SOURCE} if raw is self.kruise else set())
                yield from (f"{what} has {each}" for each in marks if each.startswith(MIGRATE_PREFIX))
        for each in self.journals:
            if (phase := read_journal(each).phase) is not Phase.DONE:
                yield f"the journal is left, {phase}"

    def strays(self, kind: Kind) -> Iterator[str]:
        """Give what does not belong to the one workload of this kind that is to have everything."""
        other = twin_of(kind)
        if self.workload(other) is not None:
            yield f"the {other.called} is left"
        live = self.workload(kind)
        if live is None:
            yield f"there is no {kind.kind}"
            return
        homes = {uid_of(live)}
        if kind is DEPLOYMENT:
            yield from (
                f"{name_of(each)} is of nobody" for each in self.replicasets if owner_uid(each) not in homes
            )
            homes = {uid_of(each) for each in self.replicasets}
        else:
            yield from (f"{name_of(each)} is left" for each in self.replicasets)
        yield from (f"pod {name_of(pod)} is of others" for pod in self.pods if owner_uid(pod) not in homes)

    def short(self, kind: Kind, pods: int) -> Iterator[str]:
        """Give what the workload of this kind lacks to be whole, with so many pods."""
        live = self.workload(kind)
        if (wanted := dig(live, ("spec", "replicas"))) != pods:
            yield f"replicas is {wanted}"
        if (found := sum(map(ready, self.pods))) != pods or len(self.pods) != pods:
            yield f"{found} of {len(self.pods)} pods are ready"
        if live is not None and (Workload(live, kind).paused or Workload(live, kind).on_delete):
            yield "it is held"
        if dig(live, ("spec", "scaleStrategy", "maxUnavailable")) == 0:
            yield "it is locked"
        aim = dig(self.autoscaler, ("spec", "scaleTargetRef"), {})
        group = str(aim.get("apiVersion")).partition("/")[0]
        if self.autoscaler is not None and (aim.get("kind"), group) != (kind.kind, kind.group):
            yield f"its autoscaler names the {aim}"


def bounds(scene: Scene) -> Any:
    """Give what an autoscaler may do, which is the same again in the end."""
    spec = dict((scene.autoscaler or {}).get("spec") or {})
    spec.pop("scaleTargetRef", None)
    return spec


def _marked(raw: Raw) -> list[str]:
    return [*annotations_of(raw), *labels_of(raw), *dig(raw, ("metadata", "finalizers"), [])]


def _mark(pod: Raw) -> Mark:
    restarts = sum(int(each.get("restartCount") or 0) for each in statuses_of(pod).values())
    address, node = dig(pod, ("status", "podIP"), ""), dig(pod, ("spec", "nodeName"), "")
    return Mark(name_of(pod), uid_of(pod), address, node, restarts)


def _get(client: Client, kind: Kind, name: str) -> Raw | None:
    try:
        return client.get(kind.path(client.namespace, name))
    except NotFoundError:
        return None

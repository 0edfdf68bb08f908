"""Read what of a migration is there (migration.md §5.1.3)."""

from collections.abc import Callable
from typing import Final

from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.engine.migration.situation import Heirs, Situation
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import POD, REPLICASET
from kubectl_kruise.facts.names import TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.raw import Raw, api_version, dig, labels_of, metadata, name_of, uid_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.run import Run

_PAGE: Final = 200
"""Pods that are in memory as a whole at a time."""


class Paths:
    """Where the objects of one migration are."""

    def __init__(self, namespace: str, journal: Journal) -> None:
        native, kruise = (
            (journal.source, journal.target) if journal.forward else (journal.target, journal.source)
        )
        kinds = journal.pair
        self.natives = kinds.native.path(namespace)
        self.native = kinds.native.path(namespace, native.name)
        version = api_version({"apiVersion": kruise.api_version})
        self.kruises = kinds.kruise.path(namespace, version=version)
        self.kruise = kinds.kruise.path(namespace, kruise.name, version=version)
        self.replicasets = REPLICASET.path(namespace)
        self.replicaset = (
            REPLICASET.path(namespace, name_of(journal.replicaset)) if journal.replicaset else ""
        )
        self.pods = POD.path(namespace)
        self.source, self.target = (
            (self.native, self.kruise) if journal.forward else (self.kruise, self.native)
        )
        self.sources, self.targets = (
            (self.natives, self.kruises) if journal.forward else (self.kruises, self.natives)
        )
        self._namespace = namespace

    def pod(self, name: str) -> str:
        return POD.path(self._namespace, name)


def look(run: Run, journal: Journal) -> Situation:
    """Read the four kinds of objects, one after the other: what follows is right also if one moves on meanwhile."""
    paths = Paths(run.namespace, journal)
    deployment = fetch(run, paths.native)
    replicaset = fetch(run, paths.replicaset) if paths.replicaset else None
    cloneset = fetch(run, paths.kruise)
    return Situation(deployment, replicaset, cloneset, list_pods(run, journal))


def list_pods(run: Run, journal: Journal) -> list[Raw]:
    """Give the pods that the workload's selector matches, also those of others."""
    return pods_matching(run, Workload(journal.source_manifest, journal.kind).selector)


def pods_matching(run: Run, selector: str) -> list[Raw]:
    """Give the pods that a selector matches, each without the bulk that says nothing of who has it and how it is."""
    listed = run.cluster.list(POD.path(run.namespace), labels=selector, chunk=_PAGE, keep=_slim)
    items: list[Raw] = listed["items"]
    return items


def _slim(pod: Raw) -> Raw:
    """Leave out of a pod the managed fields, and of its spec everything but what its containers shall run, and its claims."""
    kept = {key: value for key, value in metadata(pod).items() if key != "managedFields"}
    containers = [
        {key: container[key] for key in ("name", "image", "resources") if key in container}
        for container in dig(pod, ("spec", "containers"), [])
    ]
    claims = [each for each in dig(pod, ("spec", "volumes")) or [] if "persistentVolumeClaim" in each]
    spec = {"containers": containers, **({"volumes": claims} if claims else {})}
    return {"metadata": kept, "spec": spec, "status": pod.get("status") or {}}


def heirs_of(journal: Journal) -> Heirs:
    """Say which pods go over, by what the journal notes of them."""
    replicaset = journal.replicaset
    return Heirs(journal.pods, uid_of(replicaset), labels_of(replicaset).get(TEMPLATE_HASH_LABEL, ""))


def fetch(run: Run, path: str) -> Raw | None:
    """Read an object, None for one that does not exist."""
    run.check()
    try:
        return run.cluster.get(path)
    except NotFoundError:
        return None


def await_gone(run: Run, path: str, title: str) -> None:
    """Wait until an object does not exist any more."""
    run.until(lambda: None if fetch(run, path) else True, f"{title} to be gone")


def await_that(
    run: Run, path: str, holds: Callable[[Raw], bool], waiting_for: str, *, seconds: float | None = None
) -> Raw:
    """Wait until an object exists for which `holds` is true, and give it."""

    def found() -> Raw | None:
        live = fetch(run, path)
        return live if live is not None and holds(live) else None

    return run.until(found, waiting_for, seconds=seconds)

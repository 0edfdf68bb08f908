"""The ControllerRevisions of a native StatefulSet (SS1, SS2): which one its template is, and which are let go."""

import copy
from collections.abc import Iterable, Sequence
from typing import Any, Final

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.engine.revisions.choice import (
    Choice,
    Write,
    after_name_taken,
    number_of,
    sorted_revisions,
)
from kubectl_kruise.engine.revisions.content import data_bytes, recorded_template, recording_data
from kubectl_kruise.engine.revisions.history import excess_revisions
from kubectl_kruise.engine.revisions.naming import revision_hash, revision_name
from kubectl_kruise.errors import ConflictError
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION, NATIVE_STATEFULSET
from kubectl_kruise.facts.names import HASH_LABEL
from kubectl_kruise.objects.pod import revision
from kubectl_kruise.objects.raw import Raw, annotations_of, labels_of, name_of, namespace_of, owner_of
from kubectl_kruise.sandbox.native.pod_defaults import fill_native_pod_spec
from kubectl_kruise.sandbox.simulation.ownership import Claims, owner_reference
from kubectl_kruise.sandbox.simulation.statefulset.view import NativeSet

ATTEMPTS: Final = 5


class Revisions:
    """Reads and writes the revisions of sets."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._claims = Claims(cluster, NATIVE_STATEFULSET, CONTROLLER_REVISION)

    def adopt(self, view: NativeSet, candidates: Iterable[Raw]) -> list[Raw]:
        """Give the revisions that match and that nobody else controls, oldest first, after taking those of nobody.

        Raises ConflictError where the set may take none: it is being deleted, or another has its name.
        """
        matching = [each for each in candidates if view.selector.matches(labels_of(each))]
        orphans = [each for each in matching if owner_of(each) is None]
        if orphans:
            self._claims.adopt(view.raw, orphans)
        return sorted_revisions(matching)

    def settle(self, view: NativeSet, revisions: Sequence[Raw]) -> Choice:
        """Find the revision of the present template, writing it where it is missing or has an old number."""
        choice = choose(view, revisions)
        if choice.write is Write.UPDATE:
            return Choice(self._renumber(choice.update), Write.NONE, choice.collisions)
        while choice.write is Write.CREATE:
            try:
                created = self._cluster.create(CONTROLLER_REVISION.path(view.namespace), choice.update)
            except ConflictError:
                choice = after_name_taken(choice, self._cluster.get(_path(choice.update)))
            else:
                return Choice(created, Write.NONE, choice.collisions)
        return choice

    def trim(self, view: NativeSet, revisions: Sequence[Raw], pods: Iterable[Raw], live: set[str]) -> None:
        """Delete the oldest revisions that nothing uses, beyond the history limit; a negative one keeps them all."""
        if view.history_limit < 0:
            return
        for old in excess_revisions(revisions, live, map(revision, pods), limit=view.history_limit):
            self._cluster.delete(_path(old))

    def _renumber(self, wanted: Raw) -> Raw:
        """Write the new number; after a lost race to the revision as it is by then."""
        body = wanted
        for _ in range(ATTEMPTS - 1):
            try:
                return self._cluster.replace(_path(body), body)
            except ConflictError:
                body = {**self._cluster.get(_path(wanted)), "revision": wanted["revision"]}
        return self._cluster.replace(_path(body), body)


def choose(view: NativeSet, revisions: Sequence[Raw]) -> Choice:
    """Find or build the revision of the template among `revisions`, sorted.

    Bytes are compared; where none are equal, the newest one is used as well if its template becomes the present one
    by defaulting: so one that another version of Kubernetes wrote in other words is no change.
    """
    collisions = int(view.status.get("collisionCount") or 0)
    number = number_of(revisions[-1]) + 1 if revisions else 1
    data = native_data(view.template)
    equal = [each for each in revisions if data_bytes(each.get("data") or {}) == data_bytes(data)]
    if equal and equal[-1] is not revisions[-1]:
        return Choice({**equal[-1], "revision": number}, Write.UPDATE, collisions)
    if equal or (revisions and _means(revisions[-1], data)):
        return Choice(revisions[-1], Write.NONE, collisions)
    return Choice(_built(view, data, number, collisions), Write.CREATE, collisions)


def native_data(template: Raw) -> Raw:
    """Give the `data` that records a template as the server shows it.

    Empty values that Kruise and older releases print, creation times above all, are left out (N-2).
    """
    return recording_data(_without_nulls(template))


def _means(stored: Raw, data: Raw) -> bool:
    """Say whether restoring a revision would bring back what `data` records."""
    template = copy.deepcopy(recorded_template(stored.get("data") or {}))
    if not isinstance(template.setdefault("spec", {}), dict):
        return False
    fill_native_pod_spec(template["spec"])
    return data_bytes(native_data(template)) == data_bytes(data)


def _without_nulls(value: Any) -> Any:
    match value:
        case dict():
            return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
        case list():
            return [_without_nulls(inner) for inner in value]
        case _:
            return value


def _built(view: NativeSet, data: Raw, number: int, collisions: int) -> Raw:
    digest = revision_hash(data_bytes(data), collisions)
    meta: Raw = {
        "name": revision_name(view.name, digest),
        "namespace": view.namespace,
        "labels": {**labels_of(view.template), HASH_LABEL: digest},
        "ownerReferences": [owner_reference(NATIVE_STATEFULSET, view.raw)],
    }
    if annotations := annotations_of(view.raw):
        meta["annotations"] = dict(annotations)
    kind = {"apiVersion": "apps/v1", "kind": "ControllerRevision"}
    return {**kind, "metadata": meta, "data": data, "revision": number}


def _path(raw: Raw) -> str:
    return CONTROLLER_REVISION.path(namespace_of(raw), name_of(raw))

"""The journal in the cluster: its creation is the mutual exclusion, its version guards every later write (migration.md §4.1)."""

from dataclasses import replace
from typing import Any, Final, Self

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.engine.migration.journal import Journal, Reference, journal_name
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError, ServerError, UnreachableError
from kubectl_kruise.facts.kinds import CONFIGMAP, SECRET, Kind
from kubectl_kruise.facts.names import MIGRATE_ID
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw, uid_of, version_of

LABEL: Final = "cli.kruise.io/migration"
"""On every journal, so that they can be listed."""


class Keeper:
    """The journal of one migration, as this run last saw it."""

    def __init__(self, cluster: Cluster, clock: Clock, kind: Kind, live: Raw) -> None:
        self._cluster = cluster
        self._clock = clock
        self._kind = kind
        self._live = live
        self.journal = _read(live)

    @classmethod
    def find(cls, cluster: Cluster, clock: Clock, namespace: str, source: Reference) -> Self | None:
        """Give the journal of a source, None where there is none. Raises ServerError for one that cannot be read."""
        for kind in (CONFIGMAP, SECRET):
            try:
                live = cluster.get(kind.path(namespace, journal_name(source)))
            except NotFoundError:
                continue
            return cls(cluster, clock, kind, live)
        return None

    @classmethod
    def start(
        cls, cluster: Cluster, clock: Clock, namespace: str, journal: Journal, *, secret: bool = False
    ) -> Self:
        """Write the journal of a new migration. Raises ConflictError where another one has been begun meanwhile."""
        kind = SECRET if secret else CONFIGMAP
        body: Raw = {
            "apiVersion": "v1",
            "kind": kind.kind,
            "metadata": {
                "name": journal_name(journal.source),
                "labels": {LABEL: "true"},
                "annotations": {MIGRATE_ID: journal.id},
            },
            _DATA[kind.kind]: journal.data(),
        }
        path = kind.path(namespace)
        try:
            live = cluster.create(path, body)
        except (ConflictError, ServerError, UnreachableError) as error:
            found = cls.find(cluster, clock, namespace, journal.source)
            if found is None:
                raise
            if found.journal.id != journal.id:
                raise ConflictError(
                    f"another run has begun to migrate {journal.source.kind} {journal.source.name}",
                    cause=error.cause,
                ) from None
            return found
        return cls(cluster, clock, kind, live)

    def write(self, **changes: Any) -> None:
        """Write changed fields; nothing is sent where none has changed.

        Raises ConflictError where another run has written meanwhile: two of them must not go on.
        """
        journal = replace(self.journal, **changes)
        if journal == self.journal:
            return
        journal = replace(journal, renewed_at=rfc3339(self._clock.time()))
        body = {key: value for key, value in self._live.items() if key not in ("data", "stringData")}
        body[_DATA[self._kind.kind]] = journal.data()
        try:
            self._live = self._cluster.replace(self._path, body)
        except (ConflictError, ServerError, UnreachableError) as error:
            self._live = self._after(error, journal)
        self.journal = journal

    def remove(self) -> None:
        """Delete the journal; one that is gone already is what was wanted."""
        try:
            self._cluster.delete(self._path, options={"preconditions": {"uid": uid_of(self._live)}})
        except NotFoundError:
            return

    def _after(self, error: KruiseError, journal: Journal) -> Raw:
        """Give the journal after a write of unknown outcome, if it is the one we wrote."""
        live = self._cluster.get(self._path)
        if _read(live) == journal:
            return live
        if version_of(live) == version_of(self._live):
            raise error
        raise ConflictError(
            f"another run is migrating {journal.source.kind} {journal.source.name}: it has written the journal meanwhile"
        )

    @property
    def _path(self) -> str:
        meta = self._live["metadata"]
        return self._kind.path(meta["namespace"], meta["name"])


_DATA: Final = {"ConfigMap": "data", "Secret": "stringData"}


def _read(live: Raw) -> Journal:
    data = live.get("data") or {}
    if live.get("kind") == "Secret":
        from base64 import b64decode

        data = {key: b64decode(value).decode() for key, value in data.items()}
    try:
        return Journal.read(data)
    except ValueError as error:
        raise ServerError(
            f"the journal {live['metadata']['name']} is not one of this release", cause=str(error)
        ) from None

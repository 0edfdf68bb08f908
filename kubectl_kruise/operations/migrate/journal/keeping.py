"""The journal of one migration: its creation is the mutual exclusion, its version guards every later write (migration.md §4.1)."""

import threading
from base64 import b64decode
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, Self

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.engine.migration.journal import Journal, Phase, Reference, journal_name
from kubectl_kruise.errors import (
    ConflictError,
    KruiseError,
    NotAllowedError,
    NotFoundError,
    ServerError,
    UnreachableError,
)
from kubectl_kruise.facts.kinds import CONFIGMAP, SECRET, Kind
from kubectl_kruise.facts.names import MIGRATE_ID
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.objects.raw import Raw, annotations_of, metadata, uid_of, version_of
from kubectl_kruise.operations.migrate.journal.holding import RENEW_SECONDS, check_free, this_process
from kubectl_kruise.operations.migrate.journal.storing import (
    USUAL,
    Filing,
    ObjectStore,
    Place,
    Store,
    file_store,
)
from kubectl_kruise.operations.migrate.trouble import BusyError

LABEL: Final = "cli.kruise.io/migration"
"""On every journal, so that they can be listed."""


class Keeper:
    """The journal of one migration, as this run last saw it; `copy` is the file that repeats it, None without one."""

    def __init__(self, store: Store, clock: Clock, live: Raw, filing: Filing, namespace: str) -> None:
        self._store = store
        self._clock = clock
        self._live = live
        self._lock = threading.Lock()
        self.journal = read_journal(live)
        self.removed = False
        """Whether this run has deleted the journal: then nothing can be resumed any more."""
        self._filing = filing._replace(place=_place(store))
        self._namespace = namespace

    @property
    def place(self) -> Place:
        return self._filing.place

    @property
    def original(self) -> bool:
        """Say whether this is the journal itself, and no copy of one that lies in the cluster."""
        return bool(version_of(self._live))

    @property
    def title(self) -> str:
        """Say where the journal is, `configmap/kruise-migrate-…` or a file."""
        return self._store.title

    @classmethod
    def find(
        cls,
        cluster: Cluster,
        clock: Clock,
        namespace: str,
        source: Reference,
        *,
        filing: Filing = USUAL,
    ) -> Self | None:
        """Give the journal of a source, None where there is none. Raises ServerError for one that cannot be read.

        A file of this machine counts where it is the journal itself, or where the copy belongs to a migration whose
        CloneSet still bears its id: then the journal was deleted by somebody.
        """
        name = journal_name(source)
        for kind in (CONFIGMAP, SECRET):
            store = ObjectStore(cluster, kind, namespace, name)
            try:
                return cls(store, clock, store.get(), filing, namespace)
            except NotFoundError:
                continue
            except NotAllowedError:
                if kind is CONFIGMAP:
                    raise
        if filing.copies is None:
            return None
        file = file_store(filing.copies, namespace, name)
        try:
            live = file.get()
        except NotFoundError:
            return None
        if version_of(live):
            return cls(file, clock, live, filing, namespace)
        journal = read_journal(live)
        return (
            cls.start(cluster, clock, namespace, journal, filing=filing)
            if _unfinished(cluster, namespace, journal)
            else None
        )

    @classmethod
    def start(
        cls, cluster: Cluster, clock: Clock, namespace: str, journal: Journal, *, filing: Filing = USUAL
    ) -> Self:
        """Write the journal of a new migration. Raises BusyError where another one has been begun meanwhile."""
        name = journal_name(journal.source)
        body: Raw = {
            "metadata": {"name": name, "labels": {LABEL: "true"}, "annotations": {MIGRATE_ID: journal.id}}
        }
        store: Store
        if filing.place is Place.FILE:
            assert filing.copies is not None  # noqa: S101 - whoever chooses the file names the folder
            store = file_store(filing.copies, namespace, name)
            body |= {"data": journal.data()}
        else:
            kind = _KINDS[filing.place]
            store = ObjectStore(cluster, kind, namespace, name)
            body |= {"apiVersion": "v1", "kind": kind.kind, _DATA[kind.kind]: journal.data()}
        try:
            live = store.create(body)
        except (ConflictError, ServerError, UnreachableError) as error:
            found = cls.find(cluster, clock, namespace, journal.source, filing=filing)
            if found is None:
                raise
            if found.journal.id != journal.id:
                raise BusyError(
                    f"another run has begun to migrate {journal.source.kind} {journal.source.name} (E-BUSY)",
                    cause=error.cause,
                    hint="wait for it, and run this again",
                ) from None
            return found
        made = cls(store, clock, live, filing, namespace)
        made._copy()
        return made

    def write(self, **changes: Any) -> None:
        """Write changed fields; nothing is sent where none has changed.

        Raises ConflictError where another run has written meanwhile: two of them must not go on.
        """
        journal = replace(self.journal, **changes)
        if journal == self.journal:
            return
        now = rfc3339(self._clock.time())
        if journal.phase is not self.journal.phase:
            journal = replace(journal, phases={**journal.phases, journal.phase.value: now})
            if journal.phase is Phase.DONE:
                journal = replace(journal, holder="")
        self._send(replace(journal, renewed_at=now))

    def check_free(self, *, steal: bool = False) -> None:
        """Raise BusyError where another run may be working on this migration."""
        check_free(self.journal, this_process(), self._clock.time(), steal=steal)

    def take(self, *, steal: bool = False) -> None:
        """Become the one run that works on this migration. Raises BusyError while another one does."""
        self.check_free(steal=steal)
        self.write(holder=this_process())

    def renew(self) -> None:
        """Say once a minute that this run is still alive; may be called from any thread, as often as one likes."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            now = self._clock.time()
            if now - (parse_rfc3339(self.journal.renewed_at) or 0.0) >= RENEW_SECONDS:
                self._send(replace(self.journal, renewed_at=rfc3339(now)))
        finally:
            self._lock.release()

    def let_go(self) -> None:
        """Let other runs go on at once; where that fails they wait until this one counts as dead."""
        try:
            self.write(holder="")
        except KruiseError:
            return

    def remove(self) -> None:
        """Delete the journal and its copy; one that is gone already is what was wanted."""
        self.removed = True
        with suppress(NotFoundError):
            self._store.delete(uid_of(self._live))
        if self._file is not None:
            self._file.path.unlink(missing_ok=True)

    def _send(self, journal: Journal) -> None:
        body = {key: value for key, value in self._live.items() if key not in ("data", "stringData")}
        body[_DATA.get(str(body.get("kind")), "data")] = journal.data()
        try:
            self._live = self._store.replace(body)
        except (ConflictError, ServerError, UnreachableError) as error:
            self._live = self._after(error, journal)
        self.journal = journal
        self._copy()

    def _after(self, error: KruiseError, journal: Journal) -> Raw:
        """Give the journal after a write of unknown outcome, if it is the one we wrote."""
        live = self._store.get()
        if read_journal(live) == journal:
            return live
        if version_of(live) == version_of(self._live):
            raise error
        raise ConflictError(
            f"another run is migrating {journal.source.kind} {journal.source.name}: it has written the journal meanwhile"
        )

    @property
    def _file(self) -> Any:
        if self._filing.copies is None or self._filing.place is Place.FILE:
            return None
        return file_store(self._filing.copies, self._namespace, str(metadata(self._live)["name"]))

    def _copy(self) -> None:
        """Repeat the journal on this machine; a disk that takes nothing is no reason to stop."""
        if self._file is None:
            return
        body = {"metadata": {"name": metadata(self._live)["name"]}, "data": self.journal.data()}
        try:
            self._file.copy(body)
        except OSError:
            return


_KINDS: Final[dict[Place, Kind]] = {Place.CONFIGMAP: CONFIGMAP, Place.SECRET: SECRET}
_DATA: Final = {"ConfigMap": "data", "Secret": "stringData"}


def read_journal(live: Raw) -> Journal:
    """Read the journal that an object or a file holds. Raises ServerError for one that is none, or of another release."""
    name = metadata(live).get("name")
    data = live.get("data") or {}
    try:
        if live.get("kind") == SECRET.kind:
            data = {key: b64decode(value).decode() for key, value in data.items()}
        return Journal.read(data)
    except ValueError as error:
        raise ServerError(
            f"the journal {name} is not one of this release",
            cause=str(error),
            hint="if nothing is half-way, delete it; else use the release that wrote it",
        ) from None


def _place(store: Store) -> Place:
    if isinstance(store, ObjectStore):
        return Place.SECRET if store.kind is SECRET else Place.CONFIGMAP
    return Place.FILE


def _unfinished(cluster: Cluster, namespace: str, journal: Journal) -> bool:
    """Say whether the CloneSet of a migration still bears the id of its journal."""
    if not journal.forward:
        return False
    version = journal.target.api_version.rpartition("/")[2]
    try:
        live = cluster.get(journal.pair.kruise.path(namespace, journal.target.name, version=version))
    except NotFoundError:
        return False
    return annotations_of(live).get(MIGRATE_ID) == journal.id

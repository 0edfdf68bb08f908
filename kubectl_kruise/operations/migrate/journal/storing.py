"""Where a journal can lie: in a ConfigMap, in a Secret, or in a file of this machine alone (migration.md §4.1)."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import Raw, metadata, uid_of, version_of

_NAME_MAX: Final = 240
"""Bytes of a file's name, with room for what is put behind it: no file system has more than 255."""


class Place(StrEnum):
    CONFIGMAP = "configmap"
    SECRET = "secret"  # noqa: S105 - a kind of object
    FILE = "file"


class Filing(NamedTuple):
    """Where the journal of a new migration lies; `copies` is the folder for files, None for no copies."""

    place: Place = Place.CONFIGMAP
    copies: Path | None = None


USUAL: Final = Filing()


class Store(Protocol):
    """One place for one journal, an object with `metadata` and `data`; raises as a cluster does."""

    title: str

    def get(self) -> Raw: ...

    def create(self, body: Raw) -> Raw: ...

    def replace(self, body: Raw) -> Raw:
        """Write the journal anew. Raises ConflictError where it is no longer of the version in `body`."""

    def delete(self, uid: str) -> None: ...


class ObjectStore:
    """A journal in the cluster."""

    def __init__(self, cluster: Cluster, kind: Kind, namespace: str, name: str) -> None:
        self.kind = kind
        self.title = f"{kind.singular}/{name}"
        self._cluster = cluster
        self._collection = kind.path(namespace)
        self._path = kind.path(namespace, name)

    def get(self) -> Raw:
        return self._cluster.get(self._path)

    def create(self, body: Raw) -> Raw:
        return self._cluster.create(self._collection, body)

    def replace(self, body: Raw) -> Raw:
        return self._cluster.replace(self._path, body)

    def delete(self, uid: str) -> None:
        self._cluster.delete(self._path, options={"preconditions": {"uid": uid}})


class FileStore:
    """A journal in a file that only its owner may read; runs on this machine exclude each other by a lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.title = str(path)

    def get(self) -> Raw:
        try:
            found = json.loads(self.path.read_text())
        except FileNotFoundError:
            raise NotFoundError(f"there is no file {self.path}") from None
        except ValueError:
            return {"metadata": {"name": str(self.path)}}  # no journal, as its reader will say
        return found if isinstance(found, dict) else {"metadata": {"name": str(self.path)}}

    def create(self, body: Raw) -> Raw:
        with self._locked():
            if self.path.exists():
                raise ConflictError(f"the file {self.path} exists already")
            return self._write(body, 1)

    def replace(self, body: Raw) -> Raw:
        with self._locked():
            live = self.get()
            if version_of(live) != version_of(body):
                raise ConflictError(f"the file {self.path} was written by somebody else meanwhile")
            return self._write(body, int(version_of(live)) + 1)

    def delete(self, uid: str) -> None:
        with self._locked():
            if uid_of(self.get()) == uid:
                self.path.unlink(missing_ok=True)

    def copy(self, body: Raw) -> None:
        """Write what stands in the cluster, whatever was here before."""
        with self._locked():
            self._write(body, 0)

    def _write(self, body: Raw, version: int) -> Raw:
        name = metadata(body)["name"]
        uid = uid_of(body) or hashlib.sha256(os.urandom(16)).hexdigest()[:32]
        stored = {**body, "metadata": {**metadata(body), "name": name, "uid": uid}}
        if version:
            stored["metadata"]["resourceVersion"] = str(version)
        fresh = self.path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump(stored, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)
        return stored

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            with suppress(ImportError):  # Windows has no such locks
                import fcntl

                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def copies_folder(environ: Mapping[str, str], server: str) -> Path:
    """Give the folder for the journals of one cluster, as the XDG rules have it."""
    root = environ.get("XDG_STATE_HOME") or str(
        Path(environ.get("HOME") or "~").expanduser() / ".local" / "state"
    )
    digest = hashlib.sha256(server.encode()).hexdigest()[:12]
    return Path(root) / "kubectl-kruise" / "migrations" / digest


def file_store(folder: Path, namespace: str, name: str) -> FileStore:
    """Give the file of one journal; names of objects hold nothing that a file name may not, but may be too long."""
    title = f"{namespace}_{name}"
    if len(title) > _NAME_MAX:
        digest = hashlib.sha256(title.encode()).hexdigest()[:12]
        title = f"{title[: _NAME_MAX - len(digest) - 1]}-{digest}"
    return FileStore(folder / f"{title}.json")

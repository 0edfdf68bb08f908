"""Which versions a server serves, asked once per group and kept for an hour."""

import json
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.objects.raw import Raw, dig

KEEP_SECONDS: Final = 3600


class Discovery:
    """Served versions per group, in memory and in `cache`; a cache that cannot be read or written does not matter."""

    def __init__(
        self, get: Callable[[str], Raw], cache: Path | None, *, now: Callable[[], float] = time.time
    ) -> None:
        self._get, self._cache, self._now = get, cache, now
        self._versions: dict[str, tuple[str, ...]] = {}
        self._from_disk: set[str] = set()
        self._stale: set[str] = set()

    def served(self, group: str) -> tuple[str, ...]:
        """Give the versions of `group`, the server's preferred one first; () for a group it does not know."""
        if group not in self._versions:
            kept = () if group in self._stale else self._load().get(group)
            if kept:
                self._versions[group] = kept
                self._from_disk.add(group)
            else:
                self._versions[group] = self._fetch(group)
                self._store()
        return self._versions[group]

    def forget(self, group: str) -> None:
        """Ask the server again next time, if the answer came from the disk: a version of it was missing."""
        if group in self._from_disk:
            self._from_disk.discard(group)
            del self._versions[group]
            self._stale.add(group)

    def resources(self, group: str, version: str) -> list[Raw]:
        """Give the APIResource objects of one version (name, singularName, kind, namespaced, shortNames, verbs)."""
        return list(
            self._get(f"/apis/{group}/{version}" if group else f"/api/{version}").get("resources") or []
        )

    def _fetch(self, group: str) -> tuple[str, ...]:
        if not group:
            return tuple(self._get("/api").get("versions") or ())
        try:
            found = self._get(f"/apis/{group}")
        except NotFoundError:
            return ()
        versions = [str(entry["version"]) for entry in found.get("versions") or []]
        preferred = dig(found, ("preferredVersion", "version"), "")
        return tuple(sorted(versions, key=lambda version: version != preferred))

    def _load(self) -> dict[str, tuple[str, ...]]:
        if self._cache is None:
            return {}
        try:
            if not 0 <= self._now() - self._cache.stat().st_mtime < KEEP_SECONDS:
                return {}
            kept = json.loads(self._cache.read_bytes())
            return {group: tuple(map(str, versions)) for group, versions in kept["groups"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def _store(self) -> None:
        """Replace the file as a whole: readers and other writers see the old or the new one, never a half."""
        if self._cache is None:
            return
        groups = {group: versions for group, versions in self._versions.items() if versions}
        groups = {**{g: v for g, v in self._load().items() if g not in self._versions}, **groups}
        with suppress(OSError):
            self._cache.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._cache.parent)
            with os.fdopen(descriptor, "w") as file:
                json.dump({"groups": groups}, file)
            Path(name).replace(self._cache)

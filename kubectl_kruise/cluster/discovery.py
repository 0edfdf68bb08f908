"""Which versions a server serves, asked once per group and kept for an hour."""

import json
import os
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
        self._stale: set[str] = set()

    def served(self, group: str) -> tuple[str, ...]:
        """Give the versions of `group`, the server's preferred one first; () for a group it does not know."""
        if known := self._versions.get(group) or self._kept(group):
            self._versions[group] = known
            return known
        found = self._fetch(group)
        if found:  # a group that is missing may come at any moment: its CRDs are being installed
            self._versions[group] = found
            self._store()
        return found

    def forget(self, group: str) -> None:
        """Ask the server again next time: a version it was said to serve was missing."""
        self._versions.pop(group, None)
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

    def _kept(self, group: str) -> tuple[str, ...]:
        return () if group in self._stale else self._load().get(group, ())

    def _load(self) -> dict[str, tuple[str, ...]]:
        if self._cache is None:
            return {}
        try:
            if not 0 <= self._now() - self._cache.stat().st_mtime < KEEP_SECONDS:
                return {}
            kept = json.loads(self._cache.read_bytes())
            return {
                group: tuple(versions)
                for group, versions in kept["groups"].items()
                if isinstance(versions, list)
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def _store(self) -> None:
        """Replace the file as a whole: readers and other writers see the old or the new one, never a half."""
        if self._cache is None:
            return
        groups = {group: versions for group, versions in self._load().items() if group not in self._stale}
        groups |= self._versions
        import tempfile

        with suppress(OSError):
            self._cache.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._cache.parent)
            with os.fdopen(descriptor, "w") as file:
                json.dump({"groups": groups}, file)
            Path(name).replace(self._cache)

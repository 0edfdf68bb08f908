"""Which versions a server serves, of a group and of one resource, asked once and kept for an hour."""

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.objects.raw import Raw, dig

KEEP_SECONDS: Final = 3600


Names = tuple[str, ...]


class Discovery:
    """What is served, in memory and in `cache`; a cache that cannot be read or written does not matter.

    Two sorts of answers are kept: the versions under the name of a group, and the plurals under `GROUP/VERSION`.
    """

    def __init__(
        self, get: Callable[[str], Raw], cache: Path | None, *, now: Callable[[], float] = time.time
    ) -> None:
        self._get, self._cache, self._now = get, cache, now
        self._known: dict[str, Names] = {}
        self._stale: set[str] = set()
        self._asked = 0

    def served(self, group: str, plural: str = "") -> Names:
        """Give the versions of `group`, of those that have `plural`, the server's preferred one first; () for none."""
        asked = self._asked
        found = self._select(group, plural)
        if not found and self._asked == asked:
            # Only memory was asked, and what is missing may have come: its CRD has been installed.
            self.forget(group)
            found = self._select(group, plural)
        return found

    def forget(self, group: str) -> None:
        """Ask the server again next time: what it was said to serve was missing."""
        self._known = {key: names for key, names in self._known.items() if _group_of(key) != group}
        self._stale.add(group)

    def resources(self, group: str, version: str) -> list[Raw]:
        """Give the APIResource objects of one version (name, singularName, kind, namespaced, shortNames, verbs)."""
        path = f"/apis/{group}/{version}" if group else f"/api/{version}"
        return list(self._get(path).get("resources") or [])

    def _select(self, group: str, plural: str) -> Names:
        versions = self._recall(group, partial(self._versions, group))
        if not plural:
            return versions
        return tuple(version for version in versions if plural in self._plurals_of(group, version))

    def _plurals_of(self, group: str, version: str) -> Names:
        return self._recall(f"{group}/{version}", partial(self._plurals, group, version))

    def _recall(self, key: str, ask: Callable[[], Names]) -> Names:
        if known := self._known.get(key) or self._kept(key):
            self._known[key] = known
            return known
        self._asked += 1
        if found := ask():
            self._known[key] = found
            self._store()
        return found

    def _kept(self, key: str) -> Names:
        return () if _group_of(key) in self._stale else self._load().get(key, ())

    def _versions(self, group: str) -> Names:
        if not group:
            return tuple(self._get("/api").get("versions") or ())
        try:
            found = self._get(f"/apis/{group}")
        except NotFoundError:
            return ()
        versions = [str(entry["version"]) for entry in found.get("versions") or []]
        preferred = dig(found, ("preferredVersion", "version"), "")
        return tuple(sorted(versions, key=lambda version: version != preferred))

    def _plurals(self, group: str, version: str) -> Names:
        try:
            return tuple(str(entry["name"]) for entry in self.resources(group, version))
        except NotFoundError:
            return ()

    def _load(self) -> dict[str, Names]:
        if self._cache is None:
            return {}
        try:
            if not 0 <= self._now() - self._cache.stat().st_mtime < KEEP_SECONDS:
                return {}
            kept = json.loads(self._cache.read_bytes())
            return {key: tuple(names) for key, names in kept["served"].items() if isinstance(names, list)}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def _store(self) -> None:
        """Replace the file as a whole: readers and other writers see the old or the new one, never a half."""
        if self._cache is None:
            return
        served = {key: names for key, names in self._load().items() if _group_of(key) not in self._stale}
        import tempfile

        with suppress(OSError):
            self._cache.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._cache.parent)
            with os.fdopen(descriptor, "w") as file:
                json.dump({"served": served | self._known}, file)
            Path(name).replace(self._cache)


def _group_of(key: str) -> str:
    return key.partition("/")[0]

"""Makes the update revision stand on the server, and lets old ones go (cloneset.md §9.4, §9.6)."""

import logging
import threading
from collections.abc import Sequence
from contextlib import suppress

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.queue import Key, key_of
from kubectl_kruise.controllers.watching.expectations import VersionExpectations
from kubectl_kruise.engine.revisions.choice import (
    Choice,
    Write,
    after_name_taken,
    choose_update,
    owned_revisions,
)
from kubectl_kruise.engine.revisions.history import excess_revisions
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION
from kubectl_kruise.objects.pod import revision
from kubectl_kruise.objects.raw import Raw, name_of, namespace_of, uid_of

LOG = logging.getLogger("kubectl_kruise.controllers")


class RevisionKeeper:
    """Writes the ControllerRevisions of CloneSets."""

    def __init__(self, cluster: Cluster, versions: VersionExpectations) -> None:
        self._cluster, self._versions = cluster, versions
        self._created: dict[Key, Raw] = {}
        self._lock = threading.Lock()

    def listed(self, workload: Raw, cached: Sequence[Raw]) -> list[Raw]:
        """Give the workload's revisions, with the one last made here though the cache may not show it yet.

        Without it the next template would get its number once more.
        """
        key = key_of(workload)
        with self._lock:
            created = self._created.get(key)
        if created is not None and all(uid_of(known) != uid_of(created) for known in cached):
            with suppress(NotFoundError):
                return owned_revisions(workload, [*cached, self._cluster.get(_path(created))])
        self.forget(key)
        return owned_revisions(workload, cached)

    def forget(self, key: Key) -> None:
        with self._lock:
            self._created.pop(key, None)

    def settle(self, workload: Raw, revisions: Sequence[Raw]) -> Choice:
        """Find the update revision of the present template, writing it where it is missing or has an old number."""
        choice = choose_update(workload, revisions)
        namespace = namespace_of(workload)
        if choice.write is Write.UPDATE:
            written = self._cluster.replace(_path(choice.update), choice.update)
            self._versions.expect(written)
            return Choice(written, Write.NONE, choice.collisions)
        while choice.write is Write.CREATE:
            try:
                created = self._cluster.create(CONTROLLER_REVISION.path(namespace), choice.update)
            except ConflictError:
                existing = self._cluster.get(_path(choice.update))
                choice = after_name_taken(choice, existing)
            else:
                with self._lock:
                    self._created[key_of(workload)] = created
                return Choice(created, Write.NONE, choice.collisions)
        return choice

    def trim(
        self, revisions: Sequence[Raw], pods: Sequence[Raw], *, current: Raw, update: Raw, limit: int
    ) -> bool:
        """Delete what exceeds the history limit, oldest first; False where one could not be, which is no failure."""
        live = {name_of(current), name_of(update)}
        complete = True
        for old in excess_revisions(revisions, live, map(revision, pods), limit=limit):
            try:
                self._cluster.delete(_path(old))
            except NotFoundError:
                continue
            except KruiseError as error:
                LOG.info("revision %s stays: %s", name_of(old), "; ".join(error.lines()))
                complete = False
        return complete


def _path(raw: Raw) -> str:
    return CONTROLLER_REVISION.path(namespace_of(raw), name_of(raw))

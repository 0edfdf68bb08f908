"""Creates and deletes what belongs to a CloneSet, each expected before it is asked for (cloneset.md §24.2)."""

import threading

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.controllers.watching.expectations import Expected, ScaleExpectations
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import Raw, deleting, name_of, owner_uid, uid_of


class Population:
    """Every method raises the KruiseError of a refused request, which is then no longer expected.

    A request without a clear answer may have been carried out all the same. Then the server is asked for the object:
    at once, or where it stays silent before the next pass. Until it has answered the request stays expected.
    """

    def __init__(self, cluster: Cluster, expectations: ScaleExpectations) -> None:
        self._cluster, self._expectations = cluster, expectations
        self._doubts: dict[Key, dict[Expected, tuple[Kind, Raw]]] = {}
        self._lock = threading.Lock()

    def create(self, owner: Key, kind: Kind, raw: Raw) -> None:
        expected = Expected("create", kind.plural, name_of(raw))
        self._expectations.expect(owner, expected)
        try:
            self._cluster.create(kind.path(owner.namespace), raw)
        except KruiseError as error:
            if not self._done_all_the_same(owner, expected, kind, raw, error):
                raise

    def delete(self, owner: Key, kind: Kind, raw: Raw) -> None:
        """Delete this very object; one that is gone, or has made room for another, is as good as deleted."""
        expected = Expected("delete", kind.plural, name_of(raw))
        self._expectations.expect(owner, expected)
        options = {"preconditions": {"uid": uid_of(raw)}}
        try:
            self._cluster.delete(kind.path(owner.namespace, name_of(raw)), options=options)
        except (NotFoundError, ConflictError):
            self._expectations.observe(owner, expected)
        except KruiseError as error:
            if not self._done_all_the_same(owner, expected, kind, raw, error):
                raise

    def settle(self, owner: Key) -> None:
        """Find out what became of earlier requests; raises the KruiseError of a server that still does not say."""
        with self._lock:
            doubts = list(self._doubts.get(owner, {}).items())
        for expected, (kind, raw) in doubts:
            self._carried_out(owner, expected, kind, raw)

    def forget(self, owner: Key) -> None:
        with self._lock:
            self._doubts.pop(owner, None)

    def _done_all_the_same(
        self, owner: Key, expected: Expected, kind: Kind, raw: Raw, error: KruiseError
    ) -> bool:
        """Say whether a failed request was carried out: only an unclear answer leaves that open."""
        if _unclear(error):
            return self._carried_out(owner, expected, kind, raw)
        self._expectations.observe(owner, expected)
        return False

    def _carried_out(self, owner: Key, expected: Expected, kind: Kind, raw: Raw) -> bool:
        """Say whether the server shows what was asked for; the request is no longer expected where it does not."""
        with self._lock:
            self._doubts.setdefault(owner, {})[expected] = kind, raw
        try:
            live: Raw | None = self._cluster.get(kind.path(owner.namespace, name_of(raw)))
        except NotFoundError:
            live = None
        with self._lock:
            self._doubts.get(owner, {}).pop(expected, None)
            if not self._doubts.get(owner):
                self._doubts.pop(owner, None)
        if expected.action == "create":
            found = live is not None and owner_uid(live) == owner_uid(raw)
        else:
            found = live is None or uid_of(live) != uid_of(raw) or deleting(live)
        if not found:
            self._expectations.observe(owner, expected)
        return found


def _unclear(error: KruiseError) -> bool:
    """Say whether the request may have been carried out: nobody answered, or the server failed underway."""
    return error.http == 0 or error.http >= 500


def server_words(error: KruiseError) -> str:
    """Give what the server said, for events and conditions; our own words where no server answered."""
    return str(error.status.get("message") or error.message)

"""Creates and deletes what belongs to a CloneSet, each expected before it is asked for (cloneset.md §24.2)."""

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.cloneset.expectations import Expected, ScaleExpectations
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import Raw, name_of, uid_of


class Population:
    """Every method raises the KruiseError of a refused request, which is then no longer expected."""

    def __init__(self, cluster: Cluster, expectations: ScaleExpectations) -> None:
        self._cluster, self._expectations = cluster, expectations

    def create(self, owner: Key, kind: Kind, raw: Raw) -> None:
        expected = Expected("create", kind.plural, name_of(raw))
        self._expectations.expect(owner, expected)
        try:
            self._cluster.create(kind.path(owner.namespace), raw)
        except KruiseError:
            self._expectations.observe(owner, expected)
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
        except KruiseError:
            self._expectations.observe(owner, expected)
            raise


def server_words(error: KruiseError) -> str:
    """Give what the server said, for events and conditions; our own words where no server answered."""
    return str(error.status.get("message") or error.message)

"""All journals of a namespace, or of all namespaces: the migrations begun there (migration.md §4.4)."""

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.errors import KruiseError, NotAllowedError, ServerError
from kubectl_kruise.facts.kinds import CONFIGMAP, SECRET
from kubectl_kruise.objects.raw import Raw, name_of, namespace_of
from kubectl_kruise.operations.migrate.journal.keeping import LABEL, Keeper
from kubectl_kruise.operations.migrate.journal.storing import FileStore, Filing, ObjectStore, Place


class Found(NamedTuple):
    """One journal; `failure` says why it cannot be read, then there is no keeper."""

    namespace: str
    name: str
    keeper: Keeper | None = None
    failure: KruiseError | None = None


def find_journals(cluster: Cluster, clock: Clock, namespace: str, filing: Filing) -> list[Found]:
    """List the journals of a namespace ("" for all), those in files of this machine last."""
    found = [*_in_cluster(cluster, clock, namespace, filing), *_in_files(clock, namespace, filing)]
    return sorted(found, key=lambda each: (each.namespace, each.name))


def _in_cluster(cluster: Cluster, clock: Clock, namespace: str, filing: Filing) -> Iterator[Found]:
    for kind in (CONFIGMAP, SECRET):
        try:
            listed: list[Raw] = cluster.list(kind.path(namespace), labels=f"{LABEL}=true")["items"]
        except NotAllowedError:
            if kind is CONFIGMAP:
                raise
            continue
        for live in listed:
            place, name = namespace_of(live), name_of(live)
            store = ObjectStore(cluster, kind, place, name)
            try:
                yield Found(place, name, Keeper(store, clock, live, filing, place))
            except ServerError as error:
                yield Found(place, name, failure=error)


def _in_files(clock: Clock, namespace: str, filing: Filing) -> Iterator[Found]:
    if filing.copies is None or not filing.copies.is_dir():
        return
    for path in sorted(filing.copies.glob(f"{namespace or '*'}_*.json")):
        place, _, name = path.stem.partition("_")
        store = FileStore(path)
        try:
            keeper = Keeper(store, clock, store.get(), filing, place)
        except KruiseError as error:
            yield Found(place, name, failure=error)
            continue
        if keeper.place is Place.FILE and keeper.original:
            yield Found(place, name, keeper)

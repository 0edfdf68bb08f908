"""Which version of a kind to speak to a server in."""

from collections.abc import Iterable

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.errors import UnknownTypeError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import Raw, metadata


def outgrown(kind: Kind, version: str, objects: Iterable[Raw]) -> bool:
    """Say whether somebody has written one of the objects, read in `version`, in the best version of their kind.

    The server serves that one by now, although it did not when it was last asked: Kruise has been upgraded.
    """
    if not kind.best or version == kind.best:
        return False
    best = f"{kind.group}/{kind.best}"
    entries = (entry for raw in objects for entry in metadata(raw).get("managedFields") or ())
    return any(entry.get("apiVersion") == best for entry in entries)


def lossy_writer(kind: Kind, raw: Raw) -> str:
    """Give who has written an object last, `kubectl in v1alpha1`, where that erases what other versions say; "" else."""
    entries = [entry for entry in metadata(raw).get("managedFields") or () if not entry.get("subresource")]
    last: Raw = max(entries, key=lambda entry: entry.get("time") or "", default={})
    version = str(last.get("apiVersion") or "").rpartition("/")[2]
    return f"{last.get('manager') or 'somebody'} in {version}" if version in kind.lossy else ""


def served_version(cluster: Cluster, kind: Kind, *, fresh: bool = False) -> str:
    """Give the version to speak among those that the server has of this resource.

    What was found out before is believed, unless `fresh`. Raises UnknownTypeError where there is none: its CRD is
    missing, or older or newer than we know.
    """
    served = cluster.served(kind.group, kind.plural, fresh=fresh)
    for version in filter(None, (kind.best, *kind.versions)):
        if version in served:
            return version
    raise UnknownTypeError(
        f"the server has no resource type {kind.resource}",
        hint="" if kind.native else "kubectl kruise install crds",
    )

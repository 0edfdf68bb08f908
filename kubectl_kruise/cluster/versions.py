"""Which version of a kind to speak to a server in."""

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.errors import UnknownTypeError
from kubectl_kruise.facts.kinds import Kind


def served_version(cluster: Cluster, kind: Kind) -> str:
    """Give the version to speak among those that the server has of this resource.

    Raises UnknownTypeError where there is none: its CRD is missing, or older or newer than we know.
    """
    served = cluster.served(kind.group, kind.plural)
    for version in filter(None, (kind.best, *kind.versions)):
        if version in served:
            return version
    raise UnknownTypeError(
        f"the server has no resource type {kind.resource}",
        hint="" if kind.native else "kubectl kruise install crds",
    )

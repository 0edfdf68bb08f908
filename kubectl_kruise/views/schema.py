"""What every record for programs begins with (cli.md §3.6). Additions only within v1."""

from typing import Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload

SCHEMA: Final = "cli.kruise.io/v1"


def object_record(workload: Workload) -> Raw:
    """Name the object that a record is about."""
    return {
        "apiVersion": workload.raw.get("apiVersion"),
        "kind": workload.kind.kind,
        "namespace": workload.namespace,
        "name": workload.name,
        "uid": workload.uid,
    }

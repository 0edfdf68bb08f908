"""Read the history of a workload from the cluster."""

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.engine.revisions.listing import Revision, history_kind, list_history
from kubectl_kruise.objects.workload import Workload


def fetch_history(cluster: Cluster, workload: Workload) -> list[Revision]:
    """Give the workload's revisions, lowest number first, with one list request.

    The selector narrows the request: the labels of a revision are those of its template, which has to match.
    """
    stored = cluster.list(history_kind(workload).path(workload.namespace), labels=workload.selector)
    return list_history(workload, stored.get("items") or [])

"""Read the history of a workload from the cluster."""

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.engine.revisions.listing import Revision, history_kind, list_history
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.objects.workload import Workload


def fetch_history(cluster: Cluster, workload: Workload) -> list[Revision]:
    """Give the workload's revisions, lowest number first, with one list request.

    The selector narrows the request: the labels of a revision are those of its template, which has to match.
    """
    stored = cluster.list(history_kind(workload).path(workload.namespace), labels=selector_text(workload))
    return list_history(workload, stored.get("items") or [])


def selector_text(workload: Workload) -> str:
    """Give the workload's selector as a query; "" where it cannot be read."""
    selector: Raw = dig(workload.raw, ("spec", "selector"), {})
    try:
        return str(selector_of(selector))
    except ValueError:
        return ""

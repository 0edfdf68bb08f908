"""`--if-revision`: refuse a write unless the workload is at the revision that the caller looked at."""

from kubectl_kruise.cli.session import Session
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.revisions import fetch_history


def check_revision(session: Session, workload: Workload, wanted: str) -> None:
    """Raise RefusedError unless `wanted` (number, name or hash) is the workload's newest revision."""
    revisions = fetch_history(session.cluster, workload)
    newest = revisions[-1] if revisions else None
    if newest is None or wanted not in (newest.name, newest.hash, str(newest.number)):
        raise RefusedError(
            f"{workload.title} is at {newest.title if newest else 'no revision yet'}, not {wanted}",
            hint=f"kubectl kruise rollout history {workload.arguments}",
        )

"""Which old revisions are let go (cloneset.md §9.6)."""

from collections.abc import Collection, Iterable, Sequence

from kubectl_kruise.objects.pod import same_revision
from kubectl_kruise.objects.raw import Raw, name_of


def excess_revisions(
    revisions: Sequence[Raw], live: Collection[str], pod_labels: Iterable[str], *, limit: int
) -> list[Raw]:
    """Give the revisions to delete, oldest first.

    `revisions` are sorted; `live` names the current and the update revision; `pod_labels` are the revision labels of
    the claimed pods; `limit` is `spec.revisionHistoryLimit`.
    """
    labels = set(pod_labels)
    idle = [
        revision
        for revision in revisions
        if name_of(revision) not in live
        and not any(same_revision(label, name_of(revision)) for label in labels)
    ]
    kept = max(0, limit)
    return idle[: max(0, len(idle) - kept)]

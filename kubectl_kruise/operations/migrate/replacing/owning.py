"""Whether the two workloads of a migration are still its own (migration.md §4.2, §5.1.3)."""

from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.facts.names import MIGRATE_ID, MIGRATE_SOURCE
from kubectl_kruise.objects.raw import Raw, annotations_of, deleting, name_of, uid_of
from kubectl_kruise.operations.migrate.trouble import RecreatedError, TargetExistsError


def check_source(journal: Journal, deployment: Raw) -> None:
    """Raise RecreatedError where somebody has made the source again while its pods were replaced."""
    if uid_of(deployment) != journal.source.uid and not deleting(deployment):
        raise RecreatedError(
            f'somebody has made deployment "{name_of(deployment)}" again: its pods are left as they are',
            hint="stop whoever did it (GitOps, Helm), delete it, run it again",
        )


def check_target(journal: Journal, cloneset: Raw) -> None:
    """Raise TargetExistsError for a CloneSet that this migration has not made."""
    annotations = annotations_of(cloneset)
    came_from = annotations.get(MIGRATE_SOURCE, "").endswith(f"/{journal.source.uid}")
    if annotations.get(MIGRATE_ID) != journal.id and not came_from:
        raise TargetExistsError(
            f'cloneset "{name_of(cloneset)}" exists already, and is not of this migration'
        )

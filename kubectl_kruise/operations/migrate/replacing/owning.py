"""Whether the two workloads of a migration are still its own (migration.md §4.2, §5.1.3)."""

from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.objects.raw import Raw, deleting, name_of, uid_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.handover.targets import made_by
from kubectl_kruise.operations.migrate.trouble import RecreatedError, TargetExistsError


def check_source(journal: Journal, source: Raw) -> None:
    """Raise RecreatedError where somebody has made the source again while its pods were replaced."""
    if uid_of(source) != journal.source.uid and not deleting(source):
        raise RecreatedError(
            f"somebody has made {Workload(source, journal.kind).title} again: its pods are left as they are",
            hint="stop whoever did it (GitOps, Helm), delete it, run it again",
        )


def check_target(journal: Journal, target: Raw) -> None:
    """Raise TargetExistsError for a workload of Kruise that this migration has not made; native ones bear no mark."""
    if journal.forward and not made_by(target, journal):
        raise TargetExistsError(
            f'{journal.target_kind.word} "{name_of(target)}" exists already, and is not of this migration'
        )

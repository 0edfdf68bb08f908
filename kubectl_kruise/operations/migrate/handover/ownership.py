"""Whether the two sets of a migration are still its own (migration.md §4.2, §5.2.2)."""

from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.engine.migration.sets import Aim, Sets, same_template
from kubectl_kruise.objects.raw import deleting, name_of, uid_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.handover.targets import made_by
from kubectl_kruise.operations.migrate.trouble import ChangedError, RecreatedError, TargetExistsError


def check_ours(now: Sets, journal: Journal, *, to_kruise: bool) -> None:
    """Raise where a set is not of this migration: a target of others, a source made again."""
    kruise = now.getting if to_kruise else now.giving
    if journal.forward and kruise is not None and not made_by(kruise, journal):
        raise TargetExistsError(
            f'{journal.pair.kruise.word} "{name_of(kruise)}" exists already, and is not of this migration'
        )
    source = now.giving
    if to_kruise is not journal.forward or source is None or deleting(source):
        return
    if uid_of(source) != journal.source.uid:
        workload = Workload(source, journal.kind)
        raise RecreatedError(
            f"somebody has made {workload.title} again: no pod was lost",
            hint=f"stop whoever did it (GitOps, Helm); then kubectl delete {workload.kind.resource} {workload.name}"
            " --cascade=orphan, and run it again",
        )


def check_changed(now: Sets, aim: Aim) -> None:
    """Raise ChangedError where the new set makes other pods than those that it gets: it would make them all anew."""
    getting = now.getting
    if getting is None or deleting(getting) or aim.never_left(getting):
        return
    if not same_template(getting, aim.wanted):
        title = Workload(getting, aim.kind).title
        raise ChangedError(
            f"the template of {title} was changed meanwhile: its pods are not of it, and it is held",
            hint=f"set the template of {title} back, and run it again",
        )

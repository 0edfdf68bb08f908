"""Go back to an earlier revision: exactly its template, and no leftover partition (rollout-operations.md §9, §10)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from kubectl_kruise.engine.changes.change import (
    Change,
    Decision,
    Unchanged,
    same_object,
    same_version,
    set_field,
)
from kubectl_kruise.engine.changes.way import Way, claim_warnings, gate_warning, refused_in_place, way_of
from kubectl_kruise.engine.revisions.delta import template_deltas
from kubectl_kruise.engine.revisions.listing import (
    Revision,
    comparable_template,
    live_revision,
    pick_revision,
)
from kubectl_kruise.engine.revisions.naming import claim_hash
from kubectl_kruise.engine.standstill import lockup_warning, unready_warning
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.facts.kinds import DEPLOYMENT
from kubectl_kruise.facts.names import CLAIM_HASH, DEPLOYMENT_REVISION, LAST_APPLIED
from kubectl_kruise.objects.notation.pointer import pointer
from kubectl_kruise.objects.raw import Raw, annotations_of, dig
from kubectl_kruise.objects.workload import Workload

_TEMPLATE: Final = ("spec", "template")
_MOST_CHANGES: Final = 10
_STAYS: Final = frozenset(
    {
        LAST_APPLIED, DEPLOYMENT_REVISION, "deployment.kubernetes.io/revision-history",
        "deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas",
        "deprecated.deployment.rollback.to",
    }
)  # fmt: skip
"""Annotations that belong to the Deployment as it is now, never to the revision it goes back to."""


class Undo(NamedTuple):
    """What was asked: `revision` as typed, "" for the previous one."""

    revision: str = ""
    resume: bool = False
    keep_partition: bool = False


def plan_undo(workload: Workload, revisions: Sequence[Revision], asked: Undo) -> Decision:
    """Restore the template of a revision among `revisions`, lowest number first.

    Raises NotFoundError where there is no such revision, RefusedError for a paused workload without `resume` and for
    an InPlaceOnly one that could not follow.
    """
    live = live_revision(workload, revisions)
    target = pick_revision(workload, revisions, live, asked.revision)
    unpausing = asked.resume and workload.paused
    if live is not None and _same(workload, live, target):
        if not unpausing:
            return Unchanged(f"already at {live.title}")
        return Change(
            "resumed", [*same_object(workload.raw), *_resume(workload)], (f"already at {live.title}",)
        )
    if workload.paused and not asked.resume:
        raise RefusedError(
            f"{workload.title} is paused: the template would change and nothing would move",
            hint="add --resume to let it go on, or resume it first",
        )
    way = _way(workload, target)
    if reason := refused_in_place(workload, way):
        raise RefusedError(
            f"{workload.title}: {reason}",
            hint="change the type to InPlaceIfPossible to let pods be recreated",
        )
    operations = [
        *same_version(workload.raw),
        {"op": "replace", "path": pointer(_TEMPLATE), "value": target.template},
        *_restored_annotations(workload, target),
        *(_resume(workload) if unpausing else []),
    ]
    notes = [_from_to(live, target), *_changes(workload, target), way.text(workload)]
    notes += ["resumed"] if unpausing else []
    warnings = [
        *claim_warnings(workload, recreated=not way.in_place),
        *unready_warning(workload),
        *gate_warning(workload, target.template),
        *lockup_warning(workload, in_place=way.in_place),
    ]
    if workload.partition_value not in (None, 0, "0%") and _holds_back(workload):
        if asked.keep_partition:
            warnings.append(_kept_partition(workload))
        else:
            operations += set_field(workload.raw, workload.layout.partition, 0)
            notes.append(_cleared_partition(workload))
    notes += _claim_notes(workload, target)
    return Change(f"rolled back to {target.title}", operations, tuple(notes), tuple(warnings), mode=way.mode)


def _holds_back(workload: Workload) -> bool:
    """Say whether the partition may keep pods of the revision left.

    Where it keeps pods by their ordinal, those that it lets go are the ones of that revision: unless it was raised
    after they were updated.
    """
    updated = workload.counter("updatedReplicas") or 0
    return not workload.ordered or (
        not workload.kind.native and updated > workload.replicas - workload.partition
    )


def _same(workload: Workload, one: Revision, other: Revision) -> bool:
    return comparable_template(workload, one.template) == comparable_template(workload, other.template)


def _resume(workload: Workload) -> list[Raw]:
    return set_field(workload.raw, workload.layout.paused, value=False)


def _way(workload: Workload, target: Revision) -> Way:
    live = comparable_template(workload, dig(workload.raw, _TEMPLATE, {}))
    spec = {**workload.raw["spec"], "template": live}
    return way_of(
        Workload({**workload.raw, "spec": spec}, workload.kind),
        comparable_template(workload, target.template),
    )


def _changes(workload: Workload, target: Revision) -> list[str]:
    """Tell what becomes different in the template, field by field, the first of many only."""
    live = comparable_template(workload, dig(workload.raw, _TEMPLATE, {}))
    texts = [delta.text() for delta in template_deltas(live, comparable_template(workload, target.template))]
    left = len(texts) - _MOST_CHANGES
    return [*texts[:_MOST_CHANGES], *([f"and {left} more fields"] if left > 0 else [])]


def _restored_annotations(workload: Workload, target: Revision) -> list[Raw]:
    """Bring back what a ReplicaSet carries for its Deployment, the change-cause above all."""
    if workload.kind is not DEPLOYMENT:
        return []
    live = annotations_of(workload.raw)
    annotations = {
        **{key: value for key, value in annotations_of(target.raw).items() if key not in _STAYS},
        **{key: value for key, value in live.items() if key in _STAYS},
    }
    if annotations == live:
        return []
    return [{"op": "add", "path": "/metadata/annotations", "value": annotations}]


def _from_to(live: Revision | None, target: Revision) -> str:
    before = live.title if live else "the present template (not in its history)"
    return f"template: {before} → {target.title}"


def _claim_notes(workload: Workload, target: Revision) -> list[str]:
    """Say that claim templates stay, unless they are what they were with the revision (cloneset.md §26 Q9).

    Those of a native StatefulSet never change.
    """
    claims = dig(workload.raw, ("spec", "volumeClaimTemplates"), [])
    if not claims or workload.kind.native or annotations_of(target.raw).get(CLAIM_HASH) == claim_hash(claims):
        return []
    return ["the volume claim templates are not part of a revision: they are not rolled back"]


def _cleared_partition(workload: Workload) -> str:
    return (
        f"partition {workload.partition_value} → 0: with it, pods of the revision left behind would have stayed"
        " (--keep-partition keeps it)"
    )


def _kept_partition(workload: Workload) -> str:
    return (
        f"partition {workload.partition_value} stays: up to {workload.partition} of {workload.replicas} pods are not"
        " moved, also those of the revision left behind"
    )

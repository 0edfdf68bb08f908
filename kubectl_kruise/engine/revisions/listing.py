"""The history of a workload as a list, kept in ControllerRevisions or ReplicaSets (rollout-operations.md §9, §10)."""

import copy
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from kubectl_kruise.engine.admission.pod_defaults import fill_pod_template
from kubectl_kruise.engine.revisions.content import recorded_template, typed_template
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION, DEPLOYMENT, REPLICASET, Kind
from kubectl_kruise.facts.names import CHANGE_CAUSE, DEPLOYMENT_REVISION, TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.pod import short_hash
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    dig,
    labels_of,
    metadata,
    name_of,
    owner_of,
    owner_uid,
)
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.objects.workload import Workload

_NUMBER: Final = r"-?[0-9]+"


class Revision(NamedTuple):
    """One entry; `template` is ready to be written back: no patch directive, no hash label of its ReplicaSet."""

    number: int
    name: str
    hash: str
    template: Raw
    raw: Raw

    @property
    def created(self) -> str:
        return str(metadata(self.raw).get("creationTimestamp") or "")

    @property
    def cause(self) -> str:
        return str(annotations_of(self.raw).get(CHANGE_CAUSE) or "")

    @property
    def title(self) -> str:
        return f"revision {self.number} ({self.name})"


def history_kind(workload: Workload) -> Kind:
    """Give the kind that holds the workload's history."""
    return REPLICASET if workload.kind is DEPLOYMENT else CONTROLLER_REVISION


def list_history(workload: Workload, stored: Iterable[Raw]) -> list[Revision]:
    """Give the revisions that the workload controls among `stored`, lowest number first."""
    read = _of_replicaset if workload.kind is DEPLOYMENT else _of_controller_revision
    own = [read(raw) for raw in stored if in_history(workload, raw)]
    return sorted(own, key=lambda each: (each.number, each.created, each.name))


def in_history(workload: Workload, raw: Raw) -> bool:
    """Say whether a ControllerRevision or ReplicaSet belongs to the history of a workload.

    Owner references decide, not labels: those are the template's at that time (rollout-operations.md §10 rule 2).
    Revisions that nobody owns, left behind by a workload that was deleted alone, are used by Kruise as they are where
    the selector matches (cloneset.md §9.4).
    """
    if workload.kind.native or owner_of(raw) is not None:
        return owner_uid(raw) == workload.uid
    return selector_of(dig(workload.raw, ("spec", "selector"))).matches(labels_of(raw))


def live_revision(workload: Workload, revisions: Sequence[Revision]) -> Revision | None:
    """Give the newest revision that the template equals as it stands, None where none was made of it yet."""
    wanted = comparable_template(workload, dig(workload.raw, ("spec", "template"), {}))
    for revision in reversed(revisions):
        if comparable_template(workload, revision.template) == wanted:
            return revision
    return None


def comparable_template(workload: Workload, template: Raw) -> Raw:
    """Bring a template into the form in which two spellings of one template are equal.

    Defaults are filled in, because revisions are made of defaulted templates while a server without the webhook
    stores what it was sent (rollout-operations.md §10 rule 6).
    """
    try:
        # A server of native kinds has brought them into their form already, fields younger than our table included.
        full = copy.deepcopy(template if workload.kind.native else typed_template(template))
    except ValueError:  # written past the webhook; still comparable as it is
        return template
    fill_pod_template(full, kruise=not workload.kind.native)
    return full


def pick_revision(
    workload: Workload, revisions: Sequence[Revision], live: Revision | None, wanted: str
) -> Revision:
    """Find the revision meant by a number, a name, a hash, or `-1` for the one before the present, `-2` before that.

    "" and "0" mean the previous one, as with kubectl. Raises NotFoundError with what there is.
    """
    others = [revision for revision in reversed(revisions) if revision is not live]
    if not wanted or (re.fullmatch(_NUMBER, wanted) and int(wanted) <= 0):
        back = -int(wanted or 0) or 1
        if back > len(others):
            some = f"only {len(others)} earlier" if others else "no earlier"
            raise NotFoundError(
                f"{workload.title} has {some} revision{'s' if len(others) > 1 else ''} to go back to",
                hint=_see_history(workload),
            )
        return others[back - 1]
    for matches in (_has_number, _has_name):
        found = [revision for revision in revisions if matches(revision, wanted)]
        if found:
            return found[-1]
    known = ", ".join(str(revision.number) for revision in revisions) or "none"
    raise NotFoundError(
        f'{workload.title} has no revision "{wanted}"',
        cause=f"revisions: {known}",
        hint=_see_history(workload),
    )


def _has_number(revision: Revision, wanted: str) -> bool:
    return re.fullmatch(_NUMBER, wanted) is not None and revision.number == int(wanted)


def _has_name(revision: Revision, wanted: str) -> bool:
    return wanted in (revision.name, revision.hash)


def _see_history(workload: Workload) -> str:
    return f"kubectl kruise rollout history {workload.arguments}"


def _of_controller_revision(raw: Raw) -> Revision:
    template = _without_empty_time(recorded_template(raw.get("data") or {}))
    return Revision(int(raw.get("revision") or 0), name_of(raw), short_hash(name_of(raw)), template, raw)


def _of_replicaset(raw: Raw) -> Revision:
    number = annotations_of(raw).get(DEPLOYMENT_REVISION) or ""
    template: Raw = _without_empty_time(dig(raw, ("spec", "template"), {}))
    labels = labels_of(template)
    digest = labels.get(TEMPLATE_HASH_LABEL) or short_hash(name_of(raw))
    kept = {key: value for key, value in labels.items() if key != TEMPLATE_HASH_LABEL}
    template = {**template, "metadata": {**metadata(template), "labels": kept}}
    return Revision(int(number) if number.isdigit() else 0, name_of(raw), digest, template, raw)


def _without_empty_time(template: Raw) -> Raw:
    """Leave out `creationTimestamp: null`, which the Go type prints and nobody wrote."""
    meta = template.get("metadata")
    if not isinstance(meta, dict) or meta.get("creationTimestamp") is not None:
        return template
    return {**template, "metadata": {key: value for key, value in meta.items() if key != "creationTimestamp"}}

"""`rollout history` for programs (cli.md §3.6, §4.5). Additions only within v1."""

from collections.abc import Sequence

from kubectl_kruise.engine.revisions.delta import Delta
from kubectl_kruise.engine.revisions.timeline import Entry
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.views.schema import SCHEMA, object_record


def history_record(workload: Workload, entries: Sequence[Entry], *, full: bool) -> Raw:
    """Give the whole history, the newest revision first; templates with `full`."""
    items = [_item(workload, entry, full=full) for entry in entries]
    return {"apiVersion": SCHEMA, "kind": "RevisionList", "object": object_record(workload), "items": items}


def revision_record(workload: Workload, entry: Entry) -> Raw:
    """Give one revision with its template."""
    return {
        "apiVersion": SCHEMA,
        "kind": "Revision",
        "object": object_record(workload),
        **_item(workload, entry, full=True),
    }


def _item(workload: Workload, entry: Entry, *, full: bool) -> Raw:
    revision = entry.revision
    return {
        "number": revision.number,
        "name": revision.name,
        "hash": revision.hash,
        "createdAt": revision.created,
        "pods": entry.pods,
        "marks": list(entry.marks),
        "changes": [_change(workload, delta) for delta in entry.deltas or []],
        "cause": revision.cause,
        **({"template": revision.template} if full else {}),
    }


def _change(workload: Workload, delta: Delta) -> Raw:
    before, after = delta.shown
    return {
        "path": delta.location,
        **({"container": delta.container} if delta.container else {}),
        "from": before,
        "to": after,
        "forcesRecreate": workload.kind.native or not delta.in_place,
    }

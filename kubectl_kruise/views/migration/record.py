"""Migrations for programs: MigrationPlan and MigrationStatus (cli.md §3.6, §4.3). Additions only within v1."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kubectl_kruise.convert.report import Conversion, Fate
from kubectl_kruise.engine.migration.checks.check import Finding
from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.engine.migration.references import Pointer
from kubectl_kruise.engine.migration.stages import Counts, Stage
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.views.migration.plan import requests_by_step
from kubectl_kruise.views.migration.report import Pods
from kubectl_kruise.views.migration.steps import Outline, Sent, Step, last_line, steps_of
from kubectl_kruise.views.schema import SCHEMA, object_record


class StageState(NamedTuple):
    """How far one step is: pending, running, done, failed or skipped; times are RFC 3339, "" for not yet."""

    stage: Stage
    state: str
    started: str = ""
    finished: str = ""


def plan_record(
    source: Workload,
    conversion: Conversion,
    findings: Sequence[Finding],
    pointers: Sequence[Pointer],
    outline: Outline,
    requests: Sequence[Sent],
) -> Raw:
    """Give everything that a plan says."""
    pointed = [each.name for each in outline.pointed]
    steps = steps_of(outline)
    return {
        "apiVersion": SCHEMA,
        "kind": "MigrationPlan",
        "object": object_record(source),
        "mode": outline.mode.value,
        "target": conversion.obj,
        "preflight": [_finding(finding) for finding in findings],
        "references": [
            {"object": each.name, "note": each.note, "rewritten": each.name in pointed} for each in pointers
        ],
        "steps": [
            _planned(step, below)
            for step, below in zip(steps, requests_by_step(steps, requests), strict=True)
        ],
        "fields": {
            "kept": conversion.kept,
            "changed": [_fate(fate) for fate in conversion.changed],
            "dropped": [_fate(fate) for fate in conversion.dropped],
            "remarks": [{"code": remark.code, "message": remark.text} for remark in conversion.remarks],
        },
        "summary": last_line(outline),
    }


def status_record(
    namespace: str,
    journal: Journal,
    outcome: str,
    states: Sequence[StageState],
    counts: Counts | None,
    pods: Pods,
    commands: Mapping[str, str],
    events: Sequence[Mapping[str, str]] = (),
) -> Raw:
    """Give one moment of a migration; `commands` has what undoes it and what is to be run next.

    `events` are what was told on the way, each with `time` and `message`.
    """
    record: Raw = {
        "apiVersion": SCHEMA,
        "kind": "MigrationStatus",
        "id": journal.id,
        "mode": journal.mode.value,
        "source": {"namespace": namespace, **_reference(journal.source)},
        "target": {"namespace": namespace, **_reference(journal.target)},
        "outcome": outcome,
        "phase": journal.phase.value,
        "startedAt": journal.started_at,
        "steps": [_state(state, commands.get("undo", "")) for state in states],
        "pods": {"kept": pods.kept, "lost": list(pods.lost), "restarted": list(pods.restarted)},
        "lowestReady": pods.lowest,
    }
    if counts is not None:
        record["counts"] = counts._asdict()
    if pods.ownerless:
        ordered = sorted(pods.ownerless)
        record["ownerlessSeconds"] = {
            "median": round(ordered[len(ordered) // 2], 3), "max": round(ordered[-1], 3),
        }  # fmt: skip
    if journal.holder:
        record["holder"] = {"name": journal.holder, "renewedAt": journal.renewed_at}
    if events:
        record["events"] = list(events)
    if following := commands.get("next"):
        record["next"] = following
    return record


def failure_record(display: str, namespace: str, code: str, message: str) -> Raw:
    """Give what is known of a workload whose migration was not even begun."""
    return {
        "apiVersion": SCHEMA, "kind": "MigrationStatus", "source": {"namespace": namespace, "name": display},
        "outcome": "failed", "code": code, "message": message, "steps": [],
    }  # fmt: skip


def list_record(kind: str, records: Sequence[Raw]) -> Raw:
    """Give several records as one document."""
    return {"apiVersion": SCHEMA, "kind": f"{kind}List", "items": list(records)}


def _reference(reference: tuple[str, ...]) -> Raw:
    kind, name, api_version, uid = reference
    found = {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid}
    return {key: value for key, value in found.items() if value}


def _finding(finding: Finding) -> Raw:
    check = finding.check
    record = {
        "code": check.code, "grade": finding.grade.value, "evidence": check.evidence, "object": check.about,
        "fix": check.fix, "flag": finding.flag, "overridden": finding.overridden,
    }  # fmt: skip
    return {key: value for key, value in record.items() if value not in ("", False)}


def _planned(step: Step, requests: Sequence[Sent]) -> Raw:
    record: Raw = {"id": step.stage.value, "state": "pending", "does": step.what}
    if step.means:
        record["means"] = step.means
    if requests:
        record["requests"] = [
            {key: value for key, value in each._asdict().items() if key != "stage" and value}
            for each in requests
        ]
    return record


def _state(state: StageState, undo: str) -> Raw:
    record = {
        "id": state.stage.value, "state": state.state, "startedAt": state.started, "finishedAt": state.finished,
        "undo": undo if state.state in ("running", "done", "failed") else "",
    }  # fmt: skip
    return {key: value for key, value in record.items() if value}


def _fate(fate: Fate) -> Raw:
    return {"path": fate.path, "reason": fate.why}

"""The plan of a migration: what was checked, what will be done, what becomes of the fields (cli.md §4.3)."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from kubectl_kruise.convert.report import Conversion
from kubectl_kruise.engine.migration.answers import Difference
from kubectl_kruise.engine.migration.checks.check import Finding, Grade
from kubectl_kruise.engine.migration.pairs import twin_of
from kubectl_kruise.engine.migration.references import Pointer
from kubectl_kruise.objects.raw import name_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.views.migration.steps import Sent, Step

_RIGHT: Final = 68
_LONGEST: Final = 80
_SIGNS: Final = {Grade.PASSED: "+", Grade.WARNED: "!", Grade.REFUSED: "x"}


def heading(source: Workload, conversion: Conversion, where: str) -> str:
    """Give the first line: what goes where, and in which cluster."""
    target = conversion.obj
    text = f"Plan: migrate {source.reference} → {twin_of(source.kind).called} {name_of(target)}"
    return f"{text:<{_RIGHT}} {where}".rstrip()


def preflight_lines(findings: Sequence[Finding]) -> list[str]:
    """Give one line per check, refusals first; what is not well says how to mend it."""
    lines = ["  Preflight"]
    for finding in findings:
        check = finding.check
        text = f"    {_SIGNS[finding.grade]} {check.evidence}"
        if finding.grade is not Grade.PASSED:
            text += f" ({check.code})"
            remedy = f"overridden by {finding.flag}" if finding.overridden else check.fix
            text += f": {remedy}" if remedy else ""
            if finding.flag and not finding.overridden:
                text += f"; {finding.flag} lets it pass"
        lines.append(text)
    return lines


def pointer_lines(pointers: Sequence[Pointer], pointed: Collection[str]) -> list[str]:
    """List what points at the source, and what will be done about it; `pointed` names those that will follow."""
    if not pointers:
        return []
    lines = ["  References"]
    for pointer in pointers:
        what = pointer.note
        if pointer.name in pointed:
            what = "will point at the new workload"
        elif pointer.rewritable:
            what = "names the old workload: --rewrite-refs changes it"
        lines.append(f"    {'~' if pointer.rewritable else ' '} {pointer.name}: {what}")
    return lines


def step_lines(steps: Sequence[Step], requests: Sequence[Sent] = ()) -> list[str]:
    """Write the steps with their numbers, what each does and means, and the requests that it sends."""
    width = max((len(step.what) for step in steps), default=0)
    below = requests_by_step(steps, requests)
    lines = ["  Steps"]
    for number, step in enumerate(steps, 1):
        lines.append(f"    {number}  {step.what:<{width}}  {step.means}".rstrip())
        for at, sent in enumerate(below[number - 1], 1):
            lines.append(f"       {number}.{at}  {sent.method:<6} {sent.path}  {sent.body}".rstrip())
    return lines


def requests_by_step(steps: Sequence[Step], requests: Sequence[Sent]) -> list[list[Sent]]:
    """Sort requests below the steps; what belongs to none that is shown stays with the one before it."""
    places = {step.stage: at for at, step in enumerate(steps)}
    below: list[list[Sent]] = [[] for _ in steps]
    at = 0
    for sent in requests:
        at = max(at, places.get(sent.stage, at))
        below[at].append(sent)
    return below


def field_lines(conversion: Conversion) -> list[str]:
    """Give the report of the fields: how many stay, and each one that does not."""
    counts = (
        f"    kept {conversion.kept}   changed {len(conversion.changed)}   dropped {len(conversion.dropped)}"
    )
    lines = ["  Field report", counts]
    lines += [f"    ~ {fate.path}: {fate.why}" for fate in conversion.changed]
    lines += [f"    - {fate.path}: {fate.why}" for fate in conversion.dropped]
    return lines + [f"    ! {remark.text} ({remark.code})" for remark in conversion.remarks]


def kept_lines(found: Sequence[Difference]) -> list[str]:
    """Say what the server would keep otherwise than it is sent: defaults of its own, changes by webhooks."""
    if not found:
        return []
    lines = ["  Server"]
    for path, sent, kept in found:
        if sent is None:
            lines.append(f"    + {path}: {_short(kept)}")
        elif kept is None:
            lines.append(f"    - {path}: {_short(sent)}")
        else:
            lines.append(f"    ~ {path}: {_short(sent)} → {_short(kept)}")
    return lines


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def plan_lines(*parts: Sequence[str]) -> list[str]:
    """Put the parts of a plan below each other, an empty line between them."""
    lines: list[str] = []
    for part in parts:
        if part:
            lines += [*part, ""]
    return lines[:-1]

"""The plan of a migration: what was checked, what will be done, what becomes of the fields (cli.md §4.3)."""

from collections.abc import Sequence
from typing import Final

from kubectl_kruise.convert.report import Conversion
from kubectl_kruise.engine.migration.checks.check import Finding, Grade
from kubectl_kruise.engine.migration.references import Pointer
from kubectl_kruise.objects.raw import name_of
from kubectl_kruise.objects.workload import Workload

_RIGHT: Final = 68
_SIGNS: Final = {Grade.PASSED: "+", Grade.WARNED: "!", Grade.REFUSED: "x"}


def heading(source: Workload, conversion: Conversion, where: str) -> str:
    """Give the first line: what goes where, and in which cluster."""
    target = conversion.obj
    text = f"Plan: migrate {source.reference} → {target['kind']} {name_of(target)}"
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


def pointer_lines(pointers: Sequence[Pointer], *, rewrites: bool) -> list[str]:
    """List what points at the source, and what will be done about it."""
    if not pointers:
        return []
    lines = ["  References"]
    for pointer in pointers:
        what = pointer.note
        if pointer.rewritable:
            what = (
                "will point at the new workload"
                if rewrites
                else "names the old workload: --rewrite-refs changes it"
            )
        lines.append(f"    {'~' if pointer.rewritable else ' '} {pointer.name}: {what}")
    return lines


def step_lines(steps: Sequence[tuple[str, str]]) -> list[str]:
    """Write the steps with their numbers; each has what it does and what that means."""
    width = max((len(what) for what, _ in steps), default=0)
    return [
        "  Steps",
        *(
            f"    {number}  {what:<{width}}  {means}".rstrip()
            for number, (what, means) in enumerate(steps, 1)
        ),
    ]


def field_lines(conversion: Conversion) -> list[str]:
    """Give the report of the fields: how many stay, and each one that does not."""
    counts = (
        f"    kept {conversion.kept}   changed {len(conversion.changed)}   dropped {len(conversion.dropped)}"
    )
    lines = ["  Field report", counts]
    lines += [f"    ~ {fate.path}: {fate.why}" for fate in conversion.changed]
    lines += [f"    - {fate.path}: {fate.why}" for fate in conversion.dropped]
    return lines + [f"    ! {remark.text} ({remark.code})" for remark in conversion.remarks]


def plan_lines(*parts: Sequence[str]) -> list[str]:
    """Put the parts of a plan below each other, an empty line between them."""
    lines: list[str] = []
    for part in parts:
        if part:
            lines += [*part, ""]
    return lines[:-1]

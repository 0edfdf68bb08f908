"""What to know before a converted manifest goes into Git: the checks of a migration, none of them a refusal (migration.md §10)."""

from collections.abc import Iterator
from typing import Final

from kubectl_kruise.convert.twins import unknown_fields
from kubectl_kruise.engine.migration.checks.check import Check
from kubectl_kruise.engine.migration.checks.neighbours import check_neighbours
from kubectl_kruise.engine.migration.checks.sets import check_claims_policy, check_pace
from kubectl_kruise.engine.migration.checks.source import check_in_place, check_source
from kubectl_kruise.engine.migration.surroundings import Surroundings
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET
from kubectl_kruise.objects.raw import Raw, name_of
from kubectl_kruise.objects.workload import Workload

_OF_RUNNING_PODS: Final = ("P-PDB", "P-SELECTOR")
"""About pods that change hands, or refused already."""


def export_warnings(
    workload: Workload, target: Raw, around: Surroundings, *, in_place: bool = False
) -> Iterator[Check]:
    """Give the checks that do not pass; `around` is the namespace, or what a file shows of it."""
    checks = [*check_source(workload, name_of(target)), *check_neighbours(workload, around)]
    checks += [
        Check("P-FIELDS", f"{path} has no twin: it is left out", "look whether it matters")
        for path in unknown_fields(workload.raw, workload.kind)
    ]
    if workload.kind is NATIVE_STATEFULSET:
        checks += [*check_pace(workload), *check_claims_policy(workload)]
    if in_place:
        checks += check_in_place(workload)
    seen = set()
    for check in checks:
        known = (check.code, check.evidence)
        if not check.passed and check.code not in _OF_RUNNING_PODS and known not in seen:
            seen.add(known)
            yield check

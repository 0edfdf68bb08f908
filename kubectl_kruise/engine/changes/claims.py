"""What becomes of the volume claims of a set's pods that are scaled away (advanced-statefulset.md §16.3)."""

from collections.abc import Sequence
from typing import Final

from kubectl_kruise.engine.statefulset.ordinals import claim_name
from kubectl_kruise.facts.kinds import CLONESET, STATEFULSET
from kubectl_kruise.objects.raw import dig, name_of
from kubectl_kruise.objects.workload import Workload

_TEMPLATES: Final = ("spec", "volumeClaimTemplates")
_WHEN_SCALED: Final = ("spec", "persistentVolumeClaimRetentionPolicy", "whenScaled")
_GATE: Final = ", where the manager's gate StatefulSetAutoDeletePVC is on"
_FEW: Final = 6


def claims_stay(workload: Workload, ordinals: Sequence[int]) -> tuple[str, ...]:
    """Say that the claims of the pods that go stay, "" where there are none or they go as well."""
    claims = _named(workload, ordinals)
    if not claims or _go(workload):
        return ()
    return (f"volume claims stay, for a later pod of the same ordinal: {claims}",)


def claims_go(workload: Workload, ordinals: Sequence[int]) -> tuple[str, ...]:
    """Warn where the claims of the pods that go are deleted with them; they are named where `ordinals` are known."""
    if not has_claims(workload) or not _go(workload):
        return ()
    gate = _GATE if workload.kind is STATEFULSET else ""
    claims = _named(workload, ordinals)
    which = f": {claims}" if claims else ""
    return (
        f"the volume claims of the pods that go are deleted with them, and their data is lost{gate}{which}",
    )


def has_claims(workload: Workload) -> bool:
    return bool(dig(workload.raw, _TEMPLATES))


def _go(workload: Workload) -> bool:
    return workload.kind is not CLONESET and bool(dig(workload.raw, _WHEN_SCALED) == "Delete")


def _named(workload: Workload, ordinals: Sequence[int]) -> str:
    templates = [name_of(template) for template in dig(workload.raw, _TEMPLATES, [])]
    names = [claim_name(each, workload.name, ordinal) for ordinal in ordinals for each in templates]
    more = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {more} more" if more > 0 else "")

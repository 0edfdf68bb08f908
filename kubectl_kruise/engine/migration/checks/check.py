"""Results of checks, and how grave each is in which mode (migration.md §10)."""

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from kubectl_kruise.engine.migration.journal import Mode

_NAMES_SHOWN: Final = 3


class Grade(StrEnum):
    """In the order in which they are shown."""

    REFUSED = "refused"
    WARNED = "warned"
    PASSED = "passed"


class Check(NamedTuple):
    """One thing that was looked at. `evidence` is what was found, `fix` what resolves it, "" where all is well.

    `about` names the object (`service/web`), "" for the source itself.
    """

    code: str
    evidence: str
    fix: str = ""
    about: str = ""
    passed: bool = False


class Finding(NamedTuple):
    """A check as it weighs in this run; `overridden` is the flag that turned a refusal into a warning."""

    check: Check
    grade: Grade
    flag: str = ""
    overridden: bool = False


class Weight(NamedTuple):
    """Grade per mode, None where it does not matter; `flag` lets it pass as a warning, "" where nothing does."""

    adopt: Grade | None
    surge: Grade | None
    recreate: Grade | None
    flag: str = ""

    @property
    def handover(self) -> Grade | None:
        """Each pod is made anew, but none beside another of its name: as in a surge, in which nothing doubles."""
        return self.surge


_REFUSE, _WARN = Grade.REFUSED, Grade.WARNED
_ALWAYS: Final = Weight(_REFUSE, _REFUSE, _REFUSE)
_STRICT_WHEN_ADOPTING: Final = Weight(_REFUSE, _WARN, _WARN)

WEIGHTS: Final = {
    "P-CRD": _ALWAYS,
    "P-MANAGER": _ALWAYS,
    "P-EXISTS": _ALWAYS,
    "P-BUSY": Weight(_REFUSE, _REFUSE, _REFUSE, "--steal"),
    "P-RBAC": _ALWAYS,
    "P-UNDO": Weight(_WARN, _WARN, _WARN),
    "P-DRYRUN": _ALWAYS,
    "P-LOSS": _ALWAYS,
    "P-ROLLOUT": _STRICT_WHEN_ADOPTING,
    "P-READY": Weight(_REFUSE, _WARN, _WARN, "--allow-unready"),
    "P-COUNT": _STRICT_WHEN_ADOPTING,
    "P-OWNED": _ALWAYS,
    "P-OVERLAP": Weight(_REFUSE, _REFUSE, _WARN, "--allow-overlap"),
    "P-SELECTOR": _ALWAYS,
    "P-NAME": Weight(_REFUSE, _REFUSE, _REFUSE),
    "P-PROTECT": Weight(_REFUSE, _WARN, _WARN, "--unprotect"),
    "P-FINALIZER": Weight(_REFUSE, _WARN, _WARN, "--allow-finalizers"),
    "P-SPECDEL": Weight(_REFUSE, _WARN, None),
    "P-HPA": Weight(_WARN, _WARN, _WARN),
    "P-GITOPS": Weight(_REFUSE, _REFUSE, _REFUSE, "--ignore-gitops"),
    "P-CANARY": _ALWAYS,
    "P-HASHREF": Weight(_REFUSE, _REFUSE, _WARN, "--allow-hash-refs"),
    "P-RECREATE": Weight(_WARN, _REFUSE, None, "--accept-recreate-overlap"),
    "P-SURGE": Weight(None, _REFUSE, None, "--force"),
    "P-INPLACE": Weight(_WARN, _WARN, _WARN),
    "P-PDB": Weight(_WARN, _WARN, _WARN),
    "P-ADMISSION": Weight(_REFUSE, None, None),
    "P-WEBHOOKDOWN": _ALWAYS,
    "P-OLDKUBE": _STRICT_WHEN_ADOPTING,
    "P-CHANGED": Weight(_WARN, _WARN, _WARN),
    "P-FIELDS": Weight(_WARN, _WARN, _WARN),
    "P-UNSEEN": Weight(_WARN, _WARN, _WARN),
    "P-BACK": _ALWAYS,
    "P-PVC": Weight(_REFUSE, _REFUSE, _WARN),
    "P-PVCPOL": Weight(_WARN, _WARN, _WARN),
    "P-ORD": _ALWAYS,
    "P-REVISION": _ALWAYS,
    "P-V1ALPHA1": _ALWAYS,
    "P-MINREADY": Weight(_REFUSE, _REFUSE, _REFUSE, "--clamp"),
    "P-MAXUNAV": Weight(_WARN, _WARN, _WARN),
    "P-QUOTA": Weight(_WARN, None, None),
}
"""How much a check weighs that did not pass."""

_NO_FLAG: Final = {("P-OVERLAP", Mode.ADOPT)}
"""While pods have no owner, nothing keeps another one from taking them."""


def weigh(checks: Iterable[Check], mode: Mode, flags: Collection[str]) -> list[Finding]:
    """Grade checks for a mode, refusals first, then warnings; `flags` are the overrides given.

    What passed in one respect is not shown as passed where another respect of it did not: it would deny the other.
    """
    graded = [finding for check in checks if (finding := _weigh_one(check, mode, flags)) is not None]
    failed = {(found.check.code, found.check.about) for found in graded if found.grade is not Grade.PASSED}
    found = [
        finding
        for finding in graded
        if finding.grade is not Grade.PASSED or (finding.check.code, finding.check.about) not in failed
    ]
    order = list(Grade)
    return sorted(found, key=lambda finding: order.index(finding.grade))


def refused(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.grade is Grade.REFUSED]


def _weigh_one(check: Check, mode: Mode, flags: Collection[str]) -> Finding | None:
    if check.passed:
        return Finding(check, Grade.PASSED)
    weight = WEIGHTS[check.code]
    grade: Grade | None = getattr(weight, mode)
    if grade is None:
        return None
    flag = "" if (check.code, mode) in _NO_FLAG or grade is not Grade.REFUSED else weight.flag
    if flag and flag in flags:
        return Finding(check, Grade.WARNED, flag, overridden=True)
    return Finding(check, grade, flag)


def some(names: Sequence[str]) -> str:
    """Name the first few, and say how many more there are."""
    more = len(names) - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")

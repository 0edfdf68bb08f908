"""How much each check weighs in which mode, and what lets it pass (migration.md §10)."""

import pytest

from kubectl_kruise.engine.migration.checks.check import WEIGHTS, Check, Grade, refused, weigh
from kubectl_kruise.engine.migration.journal import Mode

R, W, NOTHING = Grade.REFUSED, Grade.WARNED, None
TABLE = """
P-CRD           R R R -
P-MANAGER       R R R -
P-EXISTS        R R R -
P-BUSY          R R R --steal
P-RBAC          R R R -
P-UNDO          W W W -
P-DRYRUN        R R R -
P-LOSS          R R R -
P-ROLLOUT       R W W -
P-READY         R W W --allow-unready
P-COUNT         R W W -
P-OWNED         R R R -
P-OVERLAP       R R W --allow-overlap
P-SELECTOR      R R R -
P-NAME          R R R -
P-PROTECT       R W W --unprotect
P-FINALIZER     R W W --allow-finalizers
P-SPECDEL       R W . -
P-HPA           W W W -
P-GITOPS        R R R --ignore-gitops
P-CANARY        R R R -
P-HASHREF       R R W --allow-hash-refs
P-RECREATE      W R . --accept-recreate-overlap
P-SURGE         . R . --force
P-INPLACE       W W W -
P-PDB           W W W -
P-ADMISSION     R . . -
P-WEBHOOKDOWN   R R R -
P-OLDKUBE       R W W -
P-PVC           R R W -
P-PVCPOL        W W W -
P-ORD           R R R -
P-REVISION      R R R -
P-V1ALPHA1      R R R -
P-MINREADY      R R R --clamp
P-MAXUNAV       W W W -
P-QUOTA         W . . -
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]
GRADES = {"R": R, "W": W, ".": NOTHING}


def grade(code: str, mode: Mode, *flags: str) -> Grade | None:
    found = weigh([Check(code, "found")], mode, flags)
    return found[0].grade if found else None


@pytest.mark.parametrize(("code", "adopt", "surge", "recreate", "flag"), ROWS, ids=[row[0] for row in ROWS])
def test_grades(code: str, adopt: str, surge: str, recreate: str, flag: str) -> None:
    for mode, letter in zip(Mode, (adopt, surge, recreate, surge), strict=True):
        assert grade(code, mode) is GRADES[letter], mode
        if letter == "R":
            # While pods have no owner nothing keeps another workload from taking them: no flag helps.
            helps = flag != "-" and (code, mode) != ("P-OVERLAP", Mode.ADOPT)
            assert grade(code, mode, flag) is (W if helps else R), mode
            assert grade(code, mode, "--another-flag") is R


def test_every_code_is_in_the_table_or_weighs_the_same_everywhere() -> None:
    left = WEIGHTS.keys() - {row[0] for row in ROWS}
    assert left == {"P-FIELDS", "P-UNSEEN", "P-BACK", "P-CHANGED"}
    assert all(len({grade(code, mode) for mode in Mode}) == 1 for code in left)


def test_refusals_come_first_then_warnings() -> None:
    checks = [Check("P-GITOPS", "", passed=True), Check("P-HPA", "scaled"), Check("P-OWNED", "owned")]
    found = weigh(checks, Mode.ADOPT, ())

    assert [each.grade for each in found] == [R, W, Grade.PASSED]
    assert [each.check.evidence for each in refused(found)] == ["owned"]


@pytest.mark.parametrize(
    ("failing", "shown"),
    [
        pytest.param(Check("P-ROLLOUT", "web-0 is old"), ["web-0 is old"], id="the same code"),
        pytest.param(Check("P-ROLLOUT", "busy", about="hpa/web"), ["busy", "stands still"], id="of another object"),
        pytest.param(Check("P-COUNT", "too few"), ["too few", "stands still"], id="another code"),
    ],
)  # fmt: skip
def test_nothing_passes_that_did_not_pass_elsewhere(failing: Check, shown: list[str]) -> None:
    found = weigh([Check("P-ROLLOUT", "stands still", passed=True), failing], Mode.ADOPT, ())

    assert [each.check.evidence for each in found] == shown


def test_what_a_flag_lets_pass_is_marked() -> None:
    (found,) = weigh([Check("P-READY", "not ready: web-1")], Mode.ADOPT, ["--allow-unready"])

    assert (found.grade, found.flag, found.overridden) == (W, "--allow-unready", True)

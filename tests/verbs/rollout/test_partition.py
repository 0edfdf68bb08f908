import random

import pytest

from kubectl_kruise.cluster.port import Patch, PatchType, Request
from tests.verbs.conftest import Shell

WEB = "cloneset.apps.kruise.io/web"


@pytest.mark.parametrize("value", ["3", "60%"])
def test_the_last_word_is_the_partition(shell: Shell, value: str) -> None:
    shell.cloneset()

    shell.check(
        f"rollout partition cloneset web {value}",
        0,
        f"{WEB} partitioned\n",
        "Warning: raising the partition does not roll updated pods back, unless the manager runs with the gate "
        "CloneSetPartitionRollback; rollout undo does\n"
        f"partition 0 → {value}: 0 → 3 of 5 pods stay on the old revision, 5 → 2 are to be updated\n",
    )

    assert str(shell.get("web")["spec"]["updateStrategy"]["partition"]) == value


def test_a_step_moves_it(shell: Shell) -> None:
    shell.cloneset(updateStrategy={"partition": "60%"})

    shell.check(
        "rollout partition cs/web --by -20%",
        0,
        f"{WEB} partitioned\n",
        "partition 60% → 40%: 3 → 2 of 5 pods stay on the old revision, 2 → 3 are to be updated\n",
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("cs/web", "no partition given\n  hint: a number, a percentage, or --by STEP"),
        ("cs/web abc", 'partition: "abc" is neither a whole number nor a percentage such as 25%'),
        ("cs/web -5", "-5: a negative number needs an option in front of it"),
        ("cs/web --by ten", '--by: "ten" is neither a whole number nor a percentage such as 25%'),
    ],
)
def test_malformed_partitions_are_usage_errors(shell: Shell, words: str, message: str) -> None:
    shell.cloneset()

    shell.check(f"rollout partition {words}", 2, "", f"error: {message}\n")

    assert not shell.transport.seen


def test_the_webhooks_word_is_passed_on_when_it_refuses(shell: Shell) -> None:
    shell.cloneset()

    code, out, err = shell.run(["rollout", "partition", "deploy/web", "5"])

    assert (code, out) == (2, "")
    assert "only on cloneset.apps.kruise.io" in err


def test_a_step_is_counted_again_from_what_a_faster_writer_left(shell: Shell) -> None:
    shell.cloneset(updateStrategy={"partition": 1})
    raced = []

    def meddle(request: Request) -> None:
        if request.method == "PATCH" and not raced:
            raced.append(request)
            body = {"spec": {"updateStrategy": {"partition": 3}}}
            shell.admin.patch(shell.path("web"), Patch(PatchType.MERGE, body))

    shell.transport.before = meddle
    numbers = random.getstate()

    code, out, _ = shell.run(["rollout", "partition", "cs/web", "--by", "+1"])

    assert (code, out) == (0, f"{WEB} partitioned\n")
    assert shell.get("web")["spec"]["updateStrategy"]["partition"] == 4
    assert random.getstate() == numbers, (
        "the pause before the second attempt leaves the program's random numbers alone"
    )

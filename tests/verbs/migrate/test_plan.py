"""What `--dry-run=server` shows, and that it is what a run would do (cli.md §4.3, migration.md §4.4)."""

import itertools
import re
from pathlib import Path

import pytest

from tests.verbs.migrate.conftest import Desk

GOLDEN = Path(__file__).parent / "golden"


def masked(text: str, desk: Desk) -> str:
    """Put places for what differs from run to run: uids, versions, names of pods."""
    for at, pod in enumerate(sorted(desk.world.pods, key=lambda pod: str(pod["metadata"]["name"])), 1):
        text = text.replace(pod["metadata"]["name"], f"POD-{at}")
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID", text)
    return re.sub(r'"resourceVersion":"[r0-9]+"', '"resourceVersion":"V"', text)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("adopt", "deployment/web --dry-run"),
        ("surge", "deployment/web --mode surge --max-surge 2 --keep-source --dry-run=server"),
        ("recreate", "deployment/web --mode recreate --dry-run"),
        ("stage-only", "deployment/web --stage-only --dry-run"),
    ],
)
def test_the_plan_reads(name: str, line: str, desk: Desk) -> None:
    answer = desk.run(line)
    assert (answer.code, answer.err, desk.writes) == (0, "", [])
    assert masked(answer.out, desk) == (GOLDEN / f"{name}.txt").read_text()


WAYS = {
    "adopt": "deployment/web",
    "surge": "deployment/web --mode surge --max-surge 1",
    "surge, the source stays": "deployment/web --mode surge --max-surge 2 --keep-source",
    "recreate": "deployment/web --mode recreate",
    "journal in a Secret": "deployment/web --journal secret",
    "journal in a file": "deployment/web --journal file",
    "only staged": "deployment/web --stage-only",
    "only created": "CloneSet --from Deployment --src-name web --dst-name web-2 --create",
    "a part of the pods": "CloneSet --from Deployment --src-name web --replicas 1",
}


@pytest.mark.parametrize("way", WAYS)
def test_every_request_of_the_plan_is_sent_and_no_other(way: str, desk: Desk) -> None:
    foretold = requests(desk, WAYS[way])
    assert desk.writes == []
    assert desk.run(f"{WAYS[way]} --yes --settle 0").code == 0
    assert sent(desk) == foretold


def test_the_plan_of_the_way_back_is_what_is_sent(desk: Desk) -> None:
    desk.run("deployment/web --yes --settle 0")
    foretold = requests(desk, "cloneset/web --to deployment")
    assert desk.run("cloneset/web --to deployment --yes").code == 0
    assert sent(desk) == foretold


def requests(desk: Desk, line: str) -> list[tuple[str, str]]:
    plan = desk.json(f"{line} --dry-run")
    assert plan["kind"] == "MigrationPlan"
    found = [(each["method"], each["path"]) for step in plan["steps"] for each in step.get("requests", [])]
    return condensed([each for each in found if "dryRun" not in each[1]])


def sent(desk: Desk) -> list[tuple[str, str]]:
    return condensed([(each.method, each.target.partition("?")[0]) for each in desk.writes])


def condensed(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Leave the journal's own writes out: how often it is renewed depends on the time that passes.

    Pods are patched several at a time, in whatever order that comes to.
    """
    written = (each for each in found if each[0] != "PUT")
    runs = (list(run) for _, run in itertools.groupby(written, lambda each: "/pods/" in each[1]))
    return [each for run in runs for each in (sorted(run) if "/pods/" in run[0][1] else run)]


def test_a_refusal_is_shown_with_everything_else_and_exits_3(desk: Desk) -> None:
    desk.world.cluster.create(
        "/apis/apps/v1/namespaces/shop/deployments",
        {
            **desk.get_deployment(),
            "metadata": {"name": "twin"},
        },
    )
    desk.world.sandbox.run(30)
    answer = desk.run("deployment/web --dry-run")
    assert answer.code == 3
    assert "    x Deployment twin selects its pods too" in answer.out
    assert answer.out.index("    x ") < answer.out.index("    + ")
    assert "(P-OVERLAP)" in answer.err

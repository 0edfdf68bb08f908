"""Exit codes of `migrate` (cli.md §3.5), and what is wrong with a command line before any cluster is asked."""

import pytest

from kubectl_kruise.facts.kinds import CLONESET
from tests.operations.migrate.world import World
from tests.verbs.migrate.conftest import Desk

LINES = [
    ("deployment/web --dry-run", 0, ""),
    ("deployment/none --yes", 4, 'no deployment "none" in namespace "shop"'),
    ("deployment/web --resume", 4, "there is no migration of deployment/web to go on with"),
    ("deployment/web --rollback --yes", 4, "there is no migration of deployment/web to roll back"),
    ("deployment/web --status", 4, "there is no migration of deployment/web to tell of"),
    ("--status", 4, 'no migration has been begun in namespace "shop"'),
    ("cleanup --all", 4, 'no migration has been begun in namespace "shop"'),
    (
        "daemonset/log",
        2,
        "daemonset.apps/log: this release migrates Deployments, StatefulSets, CloneSets and",
    ),
    ("statefulset/db --yes", 4, 'no statefulset "db" in namespace "shop"'),
    ("asts/db --yes", 4, 'no asts "db" in namespace "shop"'),
    ("deploymnt/web", 2, 'unknown kind "deploymnt"'),
    ("deployment/web --to clonset", 2, '--to clonset: unknown kind "clonset"'),
    ("deployment/web --to deployment", 2, "can only become a cloneset, not a deployment"),
    ("deployment/web --to sts", 2, "can only become a cloneset, not a statefulset"),
    ("cloneset/web --to cloneset", 2, "can only become a deployment"),
    ("cloneset/web --mode surge", 2, "--mode surge leads to Kruise"),
    ("cloneset/web --in-place", 2, "--in-place is about the CloneSet to be made"),
    ("deployment/web --max-surge 1", 2, "--max-surge goes with --mode surge only"),
    ("deployment/web --keep-source", 2, "--keep-source goes with --mode surge, recreate or handover"),
    ("deployment/web --mode surge --stage-only", 2, "--stage-only goes with --mode adopt only"),
    ("deployment/web --mode surge --max-surge x --yes", 2, '--max-surge: "x" is neither a whole number nor'),
    ("deployment/web --mode surge --max-surge 0 --yes", 2, "no pod could move"),
    ("deployment/web --resume --rollback", 2, "--resume and --rollback do not go together"),
    ("deployment/web --status --dry-run", 2, "--status and --dry-run do not go together"),
    ("deployment/web -o wide", 2, 'unknown output format "wide"'),
    ("deployment/web --rewrite-refs=hpa,nothing", 2, "'nothing' is none of all, hpa"),
    ("deployment/web --timeout soon", 2, "--timeout"),
    ("deployment/web --to-name x-with-a-name-that-is-far-too-long-for-any-label-there-is --yes", 3, "P-NAME"),
]


@pytest.mark.parametrize(("line", "code", "said"), LINES, ids=[line for line, _, _ in LINES])
def test_exit_code(line: str, code: int, said: str, desk: Desk) -> None:
    answer = desk.run(line)
    assert (answer.code, desk.writes) == (code, [])
    assert said in answer.err


def test_a_deployment_without_pods_migrates_at_once(desk: Desk) -> None:  # fault B003
    desk.another("zero", 0)
    answer = desk.run("deployment/zero --create --yes --settle 0")
    assert answer.code == 0
    assert answer.out == "deployment.apps/zero migrated to cloneset.apps.kruise.io/zero\n"
    assert "moved=0/0" in answer.err


@pytest.mark.parametrize("mode", ["adopt", "surge"])
def test_without_a_manager_everything_stays_as_it_was(mode: str) -> None:
    desk = Desk(World(replicas=2, manager=False))
    before = desk.world.marks()
    answer = desk.run(f"deployment/web --mode {mode} --yes")
    assert answer.code == 1
    assert "within 60s: it is deleted again" in answer.err
    desk.world.sandbox.run(1)
    assert (desk.world.marks(), desk.world.cloneset) == (before, None)
    assert desk.run("deployment/web --status").code == 4


def test_staging_needs_no_manager() -> None:
    desk = Desk(World(replicas=2, manager=False))
    assert desk.run("deployment/web --stage-only --yes").code == 0
    assert desk.world.owners() == {"ReplicaSet"}
    assert desk.get(CLONESET, "web")["spec"]["scaleStrategy"] == {"maxUnavailable": 0}

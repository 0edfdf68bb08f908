"""`migrate CloneSet --from Deployment …`, the official plugin's spelling (migration.md §4.4)."""

import pytest

from kubectl_kruise.facts.kinds import CLONESET
from tests.verbs.migrate.conftest import Desk

FROM = "CloneSet --from Deployment --src-name web"


def replicas(desk: Desk, name: str) -> tuple[int, int]:
    deployment = desk.world.deployment
    return (deployment["spec"]["replicas"] if deployment else 0, desk.get(CLONESET, name)["spec"]["replicas"])


@pytest.mark.parametrize(
    ("line", "name", "left"),
    [
        (f"{FROM} --dst-name other --create", "other", (2, 0)),
        (f"{FROM} --create", "web", (2, 0)),
        (f"{FROM} --create --copy", "web", (2, 2)),
        (f"{FROM} --dst-name other", "other", (0, 2)),
        (f"{FROM} --replicas 1 --max-surge 1", "web", (1, 1)),
        (f"{FROM.replace('CloneSet', 'clonesets')} --timeout-seconds 60", "web", (0, 2)),
        ("deployment/web --create --max-surge 1", "web", (0, 2)),
    ],
    ids=[
        "--create alone creates none",
        "the name is the same by default",
        "--copy creates all",
        "else all are moved",
        "--replicas moves so many and leaves both",
        "a time limit",
        "fault B001",
    ],
)
def test_it_does_what_it_says(line: str, name: str, left: tuple[int, int], desk: Desk) -> None:
    answer = desk.run(f"{line} --settle 0 --yes")
    assert answer.code == 0, answer.err
    assert replicas(desk, name) == left


def test_what_was_only_created_is_moved_to_later(desk: Desk) -> None:
    desk.run(f"{FROM} --dst-name other --create --yes")
    assert desk.run(f"{FROM} --dst-name other --settle 0 --yes").code == 0
    assert replicas(desk, "other") == (0, 2)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("CloneSet --from Deployment", 2, "--src-name is missing"),
        ("CloneSet --from StatefulSet --src-name web", 2, "this spelling moves a Deployment to a CloneSet"),
        ("CloneSet --src-name web", 2, "this spelling moves a Deployment to a CloneSet"),
        ("deployment/web --from Deployment", 2, "this spelling moves a Deployment to a CloneSet"),
        (f"{FROM} --copy", 2, "--copy goes with --create only"),
        (f"{FROM} --create --replicas 1", 2, "--create only creates"),
        (f"{FROM} --to-name other", 2, "--to and --to-name do not go with this spelling"),
        (f"{FROM} --replicas 3 --yes", 3, "deployment/web has 2 pods: 3 cannot be moved"),
        (f"{FROM} --replicas -1 --yes", 2, "--replicas"),
        ("CloneSet --from Deployment --src-name none --yes", 4, 'no deployment "none"'),
        (FROM, 3, "nobody is there to confirm"),
    ],
)
def test_what_it_does_not_have_is_told(line: str, code: int, said: str, desk: Desk) -> None:
    answer = desk.run(line)
    assert (answer.code, desk.writes) == (code, [])
    assert said in answer.err

"""Nothing is begun that nobody has confirmed (cli.md §3.8)."""

import re

import pytest

from tests.verbs.migrate.conftest import Desk

PLAN = "Plan: 1 to create, 0 to change, 2 to delete. Pods: 2 kept, 0 new, 0 removed.\n"
WHICH = "context test, namespace shop, deployment/web\n"
TYPE = "Type the name of the Deployment to start: "
QUESTION = WHICH + TYPE


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (None, "error: nobody is there to confirm the migration of deployment/web, nothing was changed\n"),
        ("", "error: not confirmed: no answer came, nothing was changed\n"),
        ("\n", "error: not confirmed: '' is not web, nothing was changed\n"),
        ("y\n", "error: not confirmed: 'y' is not web, nothing was changed\n"),
        ("WEB\n", "error: not confirmed: 'WEB' is not web, nothing was changed\n"),
    ],
    ids=["no terminal", "end of file", "empty", "yes is no name", "another case"],
)
def test_any_other_answer_than_the_name_is_none(typed: str | None, said: str, desk: Desk) -> None:
    answer = desk.run("deployment/web", typed=typed)
    assert (answer.code, desk.writes) == (3, [])
    assert said in answer.err
    assert (QUESTION in answer.err) == (typed is not None)


def test_the_name_starts_it(desk: Desk) -> None:
    answer = desk.run("deployment/web", typed="web\n")
    assert (answer.code, answer.out) == (0, "deployment.apps/web migrated to cloneset.apps.kruise.io/web\n")
    assert QUESTION in answer.err
    assert answer.err.count(PLAN) == 1


@pytest.mark.parametrize("flags", ["-q", "-o json"])
def test_where_no_plan_was_shown_the_question_sums_it_up(flags: str, desk: Desk) -> None:
    answer = desk.run(f"deployment/web {flags}", typed="web\n")
    assert answer.code == 0
    assert WHICH + PLAN + TYPE in answer.err


def test_several_are_confirmed_by_their_number(desk: Desk) -> None:
    desk.another("api", 1)
    refused = desk.run("deployment --all", typed="web\n")
    assert (refused.code, desk.writes) == (3, [])
    assert "Type the number of workloads to start all of them: " in refused.err
    assert desk.run("deployment --all", typed="2\n").code == 0


def test_an_undo_is_asked_for_and_a_resume_was_confirmed_before(desk: Desk) -> None:
    desk.run("deployment/web --stage-only --yes")
    assert desk.run("deployment/web --rollback").code == 3
    assert desk.writes == []
    assert desk.run("deployment/web").code == 3
    assert desk.writes == []
    assert desk.run("deployment/web --resume").code == 0
    undone = desk.run("deployment/web --rollback", typed="web\n")
    assert (undone.code, undone.out) == (0, "deployment.apps/web rolled back\n")
    assert "2 pods kept, 0 lost, 0 restarted\nwithout owner for " in undone.err


def test_a_screen_shows_the_pods_that_move_and_how_long_it_may_take(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubectl_kruise.cli.migrating.progress.wants_live", lambda _: True)
    monkeypatch.setenv("COLUMNS", "140")
    desk.another("api", 5)
    answer = desk.run("deployment/api --mode surge --max-surge 1 --settle 0 --yes")
    assert answer.code == 0
    assert re.search(r"step 2 of 3 move 5 pods, 1 at a time +elapsed \S+, about \S+ left", answer.err)
    assert "CloneSet api    [############--------]  0 → 3" in answer.err

"""Screens of migrations: progress, table, report, status (cli.md §4.3)."""

import pytest

from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.engine.migration.stages import Counts, Stage
from kubectl_kruise.views.migration.plan import requests_by_step
from kubectl_kruise.views.migration.progress import Moment, progress_line, progress_screen
from kubectl_kruise.views.migration.report import Pods, Row, report_lines, table_lines
from kubectl_kruise.views.migration.steps import Outline, Sent, Step, last_line, steps_of
from kubectl_kruise.views.spans import plain

MOMENT = Moment(
    "shop", "web", 2, 4, "move 12 pods, 3 at a time", "Deployment web", "CloneSet web", Counts(6, 12, 12), 12,
    "create 3", 130,
)  # fmt: skip


def test_a_line_for_logs() -> None:
    assert (
        progress_line(MOMENT, "2026-01-01T10:52:10Z")
        == "2026-01-01T10:52:10Z migrate/web step=2/4 moved=6/12 ready=12 min-ready=12"
    )
    begun = MOMENT._replace(step=1, counts=None, lowest=None)
    assert progress_line(begun, "NOW") == "NOW migrate/web step=1/4"


def test_a_screen() -> None:
    assert plain(progress_screen(MOMENT, "kubectl kruise migrate deployment/web --resume")) == (
        "migrate shop/web   step 2 of 4 move 12 pods, 3 at a time                   elapsed 2m10s\n"
        "  Deployment web  [##########----------]  12 → 6\n"
        "  CloneSet web    [##########----------]  0 → 6\n"
        "  ready: 12, wanted 12 (low point 12)\n"
        "  create 3\n"
        "Ctrl-C stops after the present request; resume: kubectl kruise migrate deployment/web --resume\n"
    )


def test_a_screen_says_how_long_it_may_still_take() -> None:
    head = plain(progress_screen(MOMENT._replace(left=60.0), "")).splitlines()[0]
    assert head.endswith("   elapsed 2m10s, about 1m00s left")


def test_a_table_has_a_row_per_workload() -> None:
    rows = [
        Row("shop", "deployment/web", "cloneset/web", "migrated", Pods(12, lowest=12), 16.4),
        Row("shop", "deployment/api", "cloneset/api", "failed", Pods(), 0.25, "no manager"),
    ]
    assert table_lines(rows) == [
        "NAMESPACE   SOURCE           TARGET         OUTCOME    PODS KEPT   LOWEST READY   TOOK   MESSAGE",
        "shop        deployment/web   cloneset/web   migrated   12          12             16s",
        "shop        deployment/api   cloneset/api   failed     0           -              0.2s   no manager",
    ]


def test_a_report_hides_no_loss() -> None:
    pods = Pods(3, lost=("web-a",), restarted=("web-b",), ownerless=(0.3, 0.1, 2.0), lowest=3)
    assert report_lines(pods, adopted=True) == [
        "3 pods kept, 1 lost, 1 restarted",
        "deleted by somebody else meanwhile, and made anew: web-a",
        "with a container that restarted by itself: web-b",
        "without owner for 0.3s (median), 2.0s at most",
        "lowest number of ready pods: 3",
    ]


OUTLINE = Outline(Mode.ADOPT, forward=True, old="Deployment web", new="CloneSet web", pods=4, replicasets=2)


@pytest.mark.parametrize(
    ("outline", "line"),
    [
        (OUTLINE, "Plan: 1 to create, 0 to change, 3 to delete. Pods: 4 kept, 0 new, 0 removed."),
        (
            OUTLINE._replace(forward=False),
            "Plan: 2 to create, 0 to change, 1 to delete. Pods: 4 kept, 0 new, 0 removed.",
        ),
        (
            OUTLINE._replace(mode=Mode.SURGE),
            "Plan: 1 to create, 0 to change, 3 to delete. Pods: 4 new, 4 removed.",
        ),
        (
            OUTLINE._replace(mode=Mode.SURGE, keep_source=True),
            "Plan: 1 to create, 1 to change, 0 to delete. Pods: 4 new, 4 removed.",
        ),
        (OUTLINE._replace(creates=0), "Plan: 1 to create, 0 to change, 0 to delete. Pods: 0 new, 0 removed."),
    ],
    ids=["adopt", "back", "surge", "the source stays", "only staged"],
)
def test_the_last_line_sums_up(outline: Outline, line: str) -> None:
    assert last_line(outline) == line


def test_steps_without_anything_to_do_are_left_out() -> None:
    assert Stage.REFERENCES not in [step.stage for step in steps_of(OUTLINE)]
    following = steps_of(OUTLINE._replace(follows=True))
    assert following[-1].what == "point what names Deployment web at CloneSet web"


def test_requests_of_a_step_that_is_not_shown_stay_with_the_one_before() -> None:
    steps = [Step(Stage.CREATE_TARGET, "a"), Step(Stage.MOVE_PODS, "b")]
    sent = [
        Sent(Stage.CREATE_TARGET, "POST", "/1"),
        Sent(Stage.FREE_PODS, "PUT", "/2"),
        Sent(Stage.MOVE_PODS, "PATCH", "/3"),
        Sent(Stage.CREATE_TARGET, "PUT", "/4"),
    ]
    assert [[each.path for each in below] for below in requests_by_step(steps, sent)] == [
        ["/1", "/2"],
        ["/3", "/4"],
    ]

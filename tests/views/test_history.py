"""The screens of `rollout history`, line by line."""

from typing import Any

import pytest

from kubectl_kruise.engine.revisions.delta import template_deltas
from kubectl_kruise.engine.revisions.listing import Revision
from kubectl_kruise.engine.revisions.timeline import Entry
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.views.history.comparison import comparison_view
from kubectl_kruise.views.history.wording import change_text
from kubectl_kruise.views.spans import plain
from kubectl_kruise.views.text import UNICODE

NOW = 1767225600.0
"""2026-01-01T00:00:00Z"""


def template(image: str = "shop/web:1.8.2", **container: Any) -> Raw:
    return {"metadata": {}, "spec": {"containers": [{"name": "app", "image": image, **container}]}}


def revision(number: int, created: str, after: Raw) -> Revision:
    return Revision(number, f"web-{number}", str(number), after, {"metadata": {"creationTimestamp": created}})


def test_two_revisions_side_by_side() -> None:
    """cli.md §4.5."""
    before = template(env=[{"name": "FEATURE_X", "value": "off"}])
    after = template("shop/web:1.9.0", env=[{"name": "FEATURE_X", "value": "on"}])
    old, new = revision(3, "2025-12-26T00:00:00Z", before), revision(4, "2025-12-31T23:55:00Z", after)

    lines = comparison_view(old, new, template_deltas(before, after), NOW)

    assert plain(lines) == (
        "--- web-3 (revision 3, 6d ago)\n"
        "+++ web-4 (revision 4, 5m ago)\n"
        "  containers[app]\n"
        "-   image: shop/web:1.8.2\n"
        "+   image: shop/web:1.9.0\n"
        "-   env[FEATURE_X].value: off\n"
        "+   env[FEATURE_X].value: on   # forces recreate\n"
        "  2 fields changed, 1 cannot be done in place\n"
    )


def test_no_difference_is_said() -> None:
    same = revision(3, "", template())

    assert plain(comparison_view(same, same, [], NOW)).endswith("  no difference\n")


def labelled(**labels: str) -> Raw:
    return {**template(), "metadata": {"labels": labels}}


WORDS = [
    ("tag", template(), template("shop/web:1.9.0"), "app 1.8.2 → 1.9.0"),
    ("another image", template(), template("shop/api:1"), "app web:1.8.2 → api:1"),
    ("variable", template(), template(env=[{"name": "LOG_LEVEL", "value": "x"}]), "env LOG_LEVEL"),
    ("resources", template(resources={"limits": {"cpu": "500m"}}), template(resources={"limits": {"cpu": "1"}}), "resources app cpu 500m → 1"),
    ("arguments", template(), template(args=["-v"]), "app args"),
    ("container", template(), {"metadata": {}, "spec": {"containers": []}}, "container app removed"),
    ("label", labelled(), labelled(tier="gold"), "label tier"),
    ("node selector", template(), {**template(), "spec": {**template()["spec"], "nodeSelector": {"disk": "ssd"}}}, "nodeSelector.disk"),
    ("restart", template(), {**template(), "metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "t"}}}, "restarted"),
    ("many", labelled(), labelled(a="1", b="2", c="3", d="4", e="5", f="6"), "label a, label b, label c, label d, 2 more"),
    ("nothing", template(), template(), "nothing"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "words"), [row[1:] for row in WORDS], ids=[row[0] for row in WORDS]
)
def test_changes_in_a_few_words(before: Raw, after: Raw, words: str) -> None:
    entry = Entry(revision(2, "", after), 0, (), template_deltas(before, after))

    assert change_text(entry, UNICODE) == words


@pytest.mark.parametrize(
    ("number", "text"), [(1, "first"), (7, "–")], ids=["first of all", "lowest that is left"]
)
def test_what_nothing_is_left_to_compare_with(number: int, text: str) -> None:
    assert change_text(Entry(revision(number, "", template()), 0, (), None), UNICODE) == text

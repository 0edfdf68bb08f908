"""What a plan shows of a patch."""

from kubectl_kruise.engine.changes.change import Change, same_object, same_version, set_field
from kubectl_kruise.views.plan import Planned, plan_view

LIVE = {
    "kind": "CloneSet",
    "metadata": {"name": "web", "uid": "u", "resourceVersion": "7", "annotations": {"1": "one"}},
    "spec": {
        "template": {"spec": {"containers": [{"name": "app", "image": "web:1"}, {"image": "nameless:1"}]}}
    },
}


def shown(*operations: dict) -> list[str]:
    change = Change("changed", [*same_object(LIVE), *same_version(LIVE), *operations])
    lines = plan_view("change it", [Planned(LIVE, change)], where="here", server=False)
    return lines[3 : lines.index("", 3)]


def test_guards_are_no_changes() -> None:
    assert shown() == []


def test_items_of_lists_stand_by_their_names_where_they_have_one() -> None:
    changes = [
        {"op": "replace", "path": f"/spec/template/spec/containers/{at}/image", "value": "web:2"}
        for at in (0, 1)
    ]

    assert shown(*changes) == [
        "      spec.template.spec.containers[app].image", "        - web:1", "        + web:2",
        "      spec.template.spec.containers[1].image", "        - nameless:1", "        + web:2",
    ]  # fmt: skip


def test_a_key_of_digits_is_a_key() -> None:
    assert shown(*set_field(LIVE, ("metadata", "annotations", "1"), "two")) == [
        "      metadata.annotations.1",
        "        - one",
        "        + two",
    ]


def test_what_is_removed_and_what_is_long() -> None:
    long = "x" * 81

    assert shown({"op": "remove", "path": "/metadata/annotations/1"}) == [
        "      metadata.annotations.1",
        "        - one",
    ]
    assert shown({"op": "add", "path": "/spec/note", "value": long})[-1] == f"        + {'x' * 79}…"
    assert shown({"op": "add", "path": "/spec/note", "value": long[1:]})[-1] == f"        + {'x' * 80}"

"""Differences of templates speak of containers and variables, not of list positions."""

from typing import Any

import pytest

from kubectl_kruise.engine.revisions.delta import template_deltas
from kubectl_kruise.objects.raw import Raw


def template(*containers: Raw, labels: dict[str, str] | None = None, **spec: Any) -> Raw:
    meta = {"labels": labels} if labels is not None else {}
    return {"metadata": meta, "spec": {"containers": list(containers), **spec}}


def app(image: str = "web:1", **more: Any) -> Raw:
    return {"name": "app", "image": image, **more}


SIDE = {"name": "side", "image": "envoy:1"}
ROWS = [
    ("image", template(app(), SIDE), template(app("web:2"), SIDE), [("spec.containers[app].image", "web:1", "web:2", True)]),
    ("variable", template(app(env=[{"name": "A", "value": "1"}])), template(app(env=[{"name": "A", "value": "2"}])),
     [("spec.containers[app].env[A].value", "1", "2", False)]),
    ("variable added", template(app()), template(app(env=[{"name": "A", "value": "1"}])),
     [("spec.containers[app].env[A]", None, {"name": "A", "value": "1"}, False)]),
    ("container added before", template(app()), template(SIDE, app()), [("spec.containers[side]", None, SIDE, False)]),
    ("limits", template(app(resources={"limits": {"cpu": "1"}})), template(app(resources={"limits": {"cpu": "2"}})),
     [("spec.containers[app].resources.limits.cpu", "1", "2", False)]),
    ("label", template(app(), labels={"a": "b"}), template(app(), labels={"a": "c", "d": "e"}),
     [("metadata.labels.a", "b", "c", True), ("metadata.labels.d", None, "e", True)]),
    ("first labels", template(app()), template(app(), labels={"a": "c"}), [("metadata.labels.a", None, "c", True)]),
    ("node selector gone", template(app(), nodeSelector={"disk": "ssd"}), template(app()),
     [("spec.nodeSelector.disk", "ssd", None, False)]),
    ("order", template(app(), SIDE), template(SIDE, app()), [("spec.containers", [app(), SIDE], [SIDE, app()], False)]),
    ("arguments", template(app(args=["a"])), template(app(args=["a", "b"])),
     [("spec.containers[app].args", ["a"], ["a", "b"], False)]),
    ("init image", template(app(), initContainers=[SIDE]), template(app(), initContainers=[{**SIDE, "image": "envoy:2"}]),
     [("spec.initContainers[side].image", "envoy:1", "envoy:2", False)]),
    ("nothing", template(app()), template(app()), []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "found"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_deltas(before: Raw, after: Raw, found: list[tuple[str, Any, Any, bool]]) -> None:
    deltas = template_deltas(before, after)

    assert [(delta.location, delta.before, delta.after, delta.in_place) for delta in deltas] == found


def test_values_of_secret_variables_are_not_shown() -> None:
    before, after = (template(app(env=[{"name": "DB_PASSWORD", "value": value}])) for value in ("old", "new"))

    (delta,) = template_deltas(before, after)

    assert delta.text() == "spec.containers[app].env[DB_PASSWORD].value (hidden) → (hidden)"


def test_long_values_are_cut() -> None:
    (delta,) = template_deltas(template(app()), template(app(args=["x" * 200])))

    assert len(delta.text()) < 110
    assert delta.text().endswith("…")


def test_a_secret_inside_a_new_container_is_not_shown() -> None:
    side = {**SIDE, "env": [{"name": "API_TOKEN", "value": "hunter2"}, {"name": "MODE", "value": "fast"}]}

    (delta,) = template_deltas(template(app()), template(app(), side))

    assert "hunter2" not in delta.text() + str(delta.shown)
    assert '"fast"' in delta.values("")[1]

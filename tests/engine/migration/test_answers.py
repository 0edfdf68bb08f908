"""What the server would keep otherwise than it was sent (migration.md §7, §10)."""

import copy
from typing import Any

import pytest

from kubectl_kruise.convert.deployment import deployment_to_cloneset
from kubectl_kruise.engine.migration.answers import check_kept, differences
from kubectl_kruise.objects.raw import put
from tests.convert import sources

LABELS = ("spec", "template", "metadata", "labels")


@pytest.mark.parametrize(
    ("path", "value", "found", "codes"),
    [
        pytest.param(("status",), {"replicas": 0}, [], [], id="status is the server's"),
        pytest.param(("metadata", "uid"), "u", [], [], id="so is who it is"),
        pytest.param(("spec", "template", "metadata", "creationTimestamp"), None, [], [], id="nothing"),
        pytest.param(("spec", "lifecycle"), {}, [], [], id="an empty map"),
        pytest.param(("spec", "minReadySeconds"), None, [], [], id="a zero that is left out"),
        pytest.param(("spec", "minReadySeconds"), 5, [("spec.minReadySeconds", 0, 5)], [], id="a number"),
        pytest.param(
            ("metadata", "annotations"), {"a": "b"}, [("metadata.annotations.a", None, "b")], [], id="an annotation"
        ),
        pytest.param(
            LABELS,
            {"app": "web", "mesh": "on"},
            [("spec.template.metadata.labels.mesh", None, "on")],
            ["P-CHANGED"],
            id="a label of the template",
        ),
        pytest.param(
            ("spec", "selector", "matchLabels"),
            {"app": "x"},
            [("spec.selector.matchLabels.app", "web", "x")],
            ["P-DRYRUN"],
            id="the selector",
        ),
    ],
)  # fmt: skip
def test_differences(
    path: tuple[str, ...], value: Any, found: list[tuple[str, Any, Any]], codes: list[str]
) -> None:
    sent = deployment_to_cloneset(sources.deployment()).obj
    kept = copy.deepcopy(sent)
    put(kept, path, value)

    seen = differences(sent, kept)

    assert seen == found
    assert [check.code for check in check_kept(seen)] == codes


def test_containers_that_come_or_go_differ() -> None:
    sent = deployment_to_cloneset(sources.deployment()).obj
    kept = copy.deepcopy(sent)
    kept["spec"]["template"]["spec"]["containers"].append({"name": "mesh", "image": "mesh:1"})

    forth, back = differences(sent, kept), differences(kept, sent)

    assert [(each.path, each.kept) for each in forth] == [
        ("spec.template.spec.containers[1].name", "mesh"),
        ("spec.template.spec.containers[1].image", "mesh:1"),
    ]
    assert [(each.path, each.sent) for each in back] == [(each.path, each.kept) for each in forth]

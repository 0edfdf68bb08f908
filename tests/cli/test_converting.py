"""Changes in the text of a manifest, whatever its layout."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kubectl_kruise.cli.converting.edits import rewrite
from kubectl_kruise.cluster.goyaml import read_first
from kubectl_kruise.convert.older_statefulset import upgrade_document
from tests.engine.admission.statefulsets import specs

LAYOUTS = {
    "block": lambda value: yaml.safe_dump(value, sort_keys=False, allow_unicode=True),
    "flow": lambda value: yaml.safe_dump(value, sort_keys=False, default_flow_style=True, width=40),
    "mixed": lambda value: yaml.safe_dump(value, sort_keys=False, default_flow_style=None, indent=4),
    "json": json.dumps,
    "indented json": lambda value: json.dumps(value, indent=4, ensure_ascii=False),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@settings(max_examples=20)
@given(spec=specs(), order=st.randoms())
def test_no_layout_needs_to_be_written_anew(layout: Any, spec: dict[str, Any], order: Any) -> None:
    items = list(spec.items())
    order.shuffle(items)
    manifest = {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "StatefulSet", "metadata": {"name": "ü"}}
    text = layout({**manifest, "spec": dict(items)})
    wanted = upgrade_document(read_first(text), [])

    made = rewrite(text, [wanted])

    assert made is not None
    assert read_first(made) == wanted
    assert json.loads(made)["kind"] == "StatefulSet" if text.startswith('{"') else made.count("v1beta1") == 1


def test_comments_about_what_stays_are_kept() -> None:
    text = "a: 1 # one\n# of b\nb:\n- x # in b\n# below b\n\n# of c\nc: {d: 1, e: 2} # behind\n"

    made = rewrite(text, [{"a": 1, "c": {"e": 2}}])

    assert made == "a: 1 # one\n# of b\n# below b\n\n# of c\nc: {e: 2} # behind\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a: &x 1\nb: *x\n", [{"a": 2, "b": 1}]),
        ("a: 1\n---\nb: 1\n", [{"a": 1}]),
        ("a: [1]\n", [{"a": [2]}]),
        ("a: 1\n", [{"a": 1, "b": 2}]),
    ],
    ids=["a reference", "a document less", "an item", "a new key"],
)
def test_what_cannot_be_changed_in_place(text: str, wanted: list[dict[str, Any]]) -> None:
    assert rewrite(text, wanted) is None

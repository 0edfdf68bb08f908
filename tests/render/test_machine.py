import json

import pytest
import yaml

from kubectl_kruise.errors import UsageError
from kubectl_kruise.render.machine import check_format, render_object, to_yaml

WEB = {"kind": "CloneSet", "metadata": {"name": "web", "managedFields": [{}]}, "spec": {"replicas": 3}}


def test_formats_leave_managed_fields_out() -> None:
    assert json.loads(render_object(WEB, "json", name="x")) == {**WEB, "metadata": {"name": "web"}}
    assert yaml.safe_load(render_object(WEB, "yaml", name="x")) == {**WEB, "metadata": {"name": "web"}}
    assert render_object(WEB, "name", name="cloneset.apps.kruise.io/web") == "cloneset.apps.kruise.io/web\n"
    assert render_object(WEB, "jsonpath={.spec.replicas}", name="x") == "3"


def test_objects_read_alike_whatever_order_the_server_sends() -> None:
    mixed = {"spec": {"b": 1, "a": 2}, "kind": "CloneSet", "apiVersion": "v1"}

    assert list(json.loads(render_object(mixed, "json", name="x"))) == ["apiVersion", "kind", "spec"]
    assert '"a": 2,\n        "b": 1' in render_object(mixed, "json", name="x")


def test_text_of_several_lines_reads_as_it_is() -> None:
    assert to_yaml({"a": "one\ntwo\n", "b": "1", "c": "é"}) == 'a: |\n  one\n  two\nb: "1"\nc: é\n'


def test_unknown_formats_are_answered_with_those_there_are() -> None:
    with pytest.raises(UsageError) as refusal:
        check_format("xml", extra=("wide",))

    assert refusal.value.lines() == [
        'error: unknown output format "xml"',
        "  hint: one of json, yaml, name, jsonpath=TEMPLATE, wide",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1e3",
        "1234e56",
        "08",
        "0o17",
        "0x1F",
        "y",
        "n",
        "6E8",
        "1_000",
        "yes",
        "Off",
        "null",
        "~",
        ".5",
        "12",
        "true",
        "2026-11-30T15:40:50Z",
        "2026-11-30",
        "",
    ],
)
def test_text_that_reads_like_a_number_or_a_switch_is_quoted(text: str) -> None:  # fault B188
    assert to_yaml({"a": text}) == f'a: "{text}"\n'


@pytest.mark.parametrize("text", ["web-1", "v1", "nginx:1.18-alpine", "a1", "e3", "20%"])
def test_other_text_stays_plain(text: str) -> None:
    assert to_yaml({"a": text}) == f"a: {text}\n"

"""Whether a configuration fits its type (sandbox-apiserver.md F4)."""

import pytest

from kubectl_kruise.sandbox.managed.apply.checking import misfit
from tests.sandbox.managed.shapes import SHAPE


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({"size": 1, "text": None, "labels": {"a": "b"}, "free": {"x": [1, {}]}, "any": "5%"}, ""),
        ({"zz": 1}, ".zz: field not declared in schema"),
        ({"sub": {"zz": 1}}, ".sub.zz: field not declared in schema"),
        ({"size": "x"}, ".size: expected numeric (int or float), got string"),
        ({"size": True}, ".size: expected numeric (int or float), got bool"),
        ({"text": 5}, ".text: expected string, got &value.valueUnstructured{Value:5}"),
        ({"flag": "x"}, ".flag: expected boolean, got &{x}"),
        ({"labels": "x"}, ".labels: expected map, got &{x}"),
        ({"tags": {"a": 1}}, ".tags: expected list, got &{map[a:1]}"),
        ({"tags": ["a", "a"]}, '.tags: duplicate entries for key [="a"]'),
        (
            {"items": [{"name": "a", "v": "x"}]},
            '.items[name="a"].v: expected numeric (int or float), got string',
        ),
        ({"words": [1]}, ".words[0]: expected string, got &value.valueUnstructured{Value:1}"),
        ({"items": [None]}, ".items: element 0: associative list with keys may not have a null element"),
        (
            {"text": 1, "flag": 2},
            (
                "errors:\n  .flag: expected boolean, got &{2}\n"
                "  .text: expected string, got &value.valueUnstructured{Value:1}"
            ),
        ),
    ],
)
def test_says_what_does_not_fit(config, problem):
    assert misfit(config, SHAPE) == problem


def test_objects_that_are_there_may_hold_duplicates():
    assert misfit({"tags": ["a", "a"]}, SHAPE, duplicates=True) == ""
    assert (
        misfit({"tags": ["a", "a"], "zz": 1}, SHAPE, duplicates=True) == ".zz: field not declared in schema"
    )

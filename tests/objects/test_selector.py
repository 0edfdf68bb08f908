"""Label selectors: both forms, their text, what they match, and the server's complaints."""

import pytest

from kubectl_kruise.objects.notation.selector_grammar import parse_selector
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.selector import Selector, selector_of

TEXTS = [
    ("", ""),
    ("app=web", "app=web"),
    ("app == web", "app==web"),
    ("tier in (b, a,a),app=web", "app=web,tier in (a,b)"),
    ("!canary,app", "app,!canary"),
    ("app notin ()", "app notin ()"),
    ("app in (,x)", "app in (,x)"),
    ("app=", "app="),
    ("size>3,size<9", "size>3,size<9"),
    ("in=notin", "in=notin"),
]


@pytest.mark.parametrize(("text", "printed"), TEXTS)
def test_prints_sorted_by_key(text: str, printed: str) -> None:
    assert str(parse_selector(text)) == printed


BAD = [
    ("app in (web", "unable to parse requirement: found '', expected: ',' or ')'"),
    (
        "app>x",
        "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ),
    ("app notin", "unable to parse requirement: found '' expected: '('"),
    ("app!", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"),
    ("bad key!=x", "unable to parse requirement: found 'key', expected: in, notin, =, ==, !=, gt, lt"),
    (
        "app=" + "x" * 64,
        f'unable to parse requirement: values[0][app]: Invalid value: "{"x" * 64}": must be no more than 63 bytes',
    ),
    ("=x", "found '=', expected: !, identifier, or 'end of string'"),
    ("a=b,", "found '', expected: identifier after ','"),
    ("a=b c", "found 'c', expected: ',' or 'end of string'"),
    ("a in (b) c", "found 'c', expected: ',' or 'end of string'"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_refuses_in_the_words_of_the_server(text: str, message: str) -> None:
    """sandbox-apiserver.md L5."""
    with pytest.raises(ValueError) as refused:
        parse_selector(text)

    assert str(refused.value) == message


LABELS = {"app": "web", "tier": "a", "size": "5", "odd": ""}
MATCHES = [
    ("app=web,tier in (a,b)", True),
    ("app!=web", False),
    ("missing!=web", True),
    ("missing notin (x)", True),
    ("tier notin (a)", False),
    ("!missing", True),
    ("odd", True),
    ("odd=", True),
    ("missing=", False),
    ("size>4", True),
    ("size<5", False),
    ("app>4", False),
    ("", True),
]


@pytest.mark.parametrize(("text", "matched"), MATCHES)
def test_matches(text: str, matched: bool) -> None:
    assert parse_selector(text).matches(LABELS) is matched


def test_object_form_prints_as_in_the_status() -> None:
    """cloneset.md §22.1."""
    raw = {
        "matchLabels": {"app": "web"},
        "matchExpressions": [
            {"key": "tier", "operator": "In", "values": ["b", "a"]},
            {"key": "abc", "operator": "DoesNotExist"},
            {"key": "zone", "operator": "NotIn", "values": ["x"]},
            {"key": "yes", "operator": "Exists", "values": []},
        ],
    }

    assert str(selector_of(raw)) == "!abc,app=web,tier in (a,b),yes,zone notin (x)"


def test_no_selector_matches_nothing_and_an_empty_one_everything() -> None:
    assert not selector_of(None).matches({})
    assert selector_of({}) == Selector()
    assert selector_of({}).matches({"a": "b"})


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"matchExpressions": [{"key": "a", "operator": "X"}]}, '"X" is not a valid label selector operator'),
        (
            {"matchExpressions": [{"key": "a", "operator": "In"}]},
            "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
        ),
    ],
    ids=["operator", "no values"],
)
def test_object_form_refuses(raw: Raw, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        selector_of(raw)

    assert str(refused.value) == message

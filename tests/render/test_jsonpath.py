import pytest

from kubectl_kruise.errors import UsageError
from kubectl_kruise.render.jsonpath import render_jsonpath

DOCUMENT = {
    "items": [
        {"name": "a", "ready": True, "count": 1, "labels": {"k.io/x": "1"}},
        {"name": "b", "ready": False, "count": 2, "labels": {}},
    ],
    "kind": "List",
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{.kind}", "List"),
        (".kind", "List"),
        ("{.items[*].name}", "a b"),
        ("{.items[0].name}-{.items[-1].name}", "a-b"),
        ("{.items[0:1].name}", "a"),
        ("{range .items[*]}{.name}{'\\t'}{.count}{'\\n'}{end}", "a\t1\nb\t2\n"),
        ("{.items[?(@.count>1)].name}", "b"),
        ("{.items[?(@.name=='a')].count}", "1"),
        ('{.items[?(@.name!="a")].count}', "2"),
        ("{.items[?(@.ready==true)].name}", "a"),
        ("{.items[?(@.labels)].name}", "a b"),
        ("{..name}", "a b"),
        ("{.items[0].labels.k\\.io/x}", "1"),
        ("{.items[0].labels['k.io/x']}", "1"),
        ("{.items[1].labels}", "{}"),
        ("{.items[0].ready}", "true"),
        ("{.missing.field}", ""),
        ("{$.kind}", "List"),
        ("{range .items[*]}{range .labels.*}[{@}]{end};{end}", "[1];;"),
    ],
)
def test_templates_read_as_kubectl_reads_them(template: str, text: str) -> None:
    assert render_jsonpath(template, DOCUMENT) == text


@pytest.mark.parametrize(
    "template",
    [
        "",
        "{range .items[*]}",
        "{end}",
        "{.items[a]}",
        "{.a b}",
        "{.kind",
        "{.items[?(@.name==a)].count}",
        "{.items[?(@.name=='a' && @.count==1)].count}",
    ],
)
def test_what_cannot_be_read_is_a_usage_error(template: str) -> None:
    with pytest.raises(UsageError):
        render_jsonpath(template, DOCUMENT)

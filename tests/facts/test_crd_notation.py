import pytest

from kubectl_kruise.facts.crds.notation import parse_schemas

BASE = """
hook = {labelsHandler map<string>, markPodNotReady bool}
Thing β
  spec
    selector* {matchLabels map<string>}!
    hooks [hook]!
    mode string(a|"")="a"
    nested {
      size* int32
      name string~0
    }
    port intOrStr
  status
    seen time
"""


def schema(more: str = "") -> dict[str, dict[str, object]]:
    return parse_schemas(BASE + more)[("Thing", "v1alpha1" if more else "v1beta1")]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("required",), ["selector"]),
        (("properties", "selector", "x-kubernetes-map-type"), "atomic"),
        (("properties", "hooks", "x-kubernetes-list-type"), "atomic"),
        (("properties", "hooks", "items", "properties", "markPodNotReady"), {"type": "boolean"}),
        (("properties", "mode"), {"type": "string", "enum": ["a", ""], "default": "a"}),
        (("properties", "nested", "required"), ["size"]),
        (("properties", "nested", "properties", "name"), {"type": "string", "minLength": 0}),
        (("properties", "port", "x-kubernetes-int-or-string"), True),
    ],
    ids=lambda value: ".".join(value) if isinstance(value, tuple) else None,
)
def test_reads_every_sign_of_the_notation(path: tuple[str, ...], expected: object) -> None:
    found: object = schema()["spec"]
    for step in path:
        assert isinstance(found, dict)
        found = found[step]

    assert found == expected


def test_derives_one_version_from_another() -> None:
    older = schema(
        "Thing α as β, without spec.nested.name,\n    status.seen, with spec.hooks.[].extra int64\n"
    )

    assert set(older["spec"]["properties"]["nested"]["properties"]) == {"size"}  # type: ignore[index,call-overload]
    assert older["status"]["properties"] == {}
    assert older["spec"]["properties"]["hooks"]["items"]["properties"]["extra"]["format"] == "int64"  # type: ignore[index,call-overload]


@pytest.mark.parametrize("text", ["a = [string", "a = {b string", "a = map<string"], ids=str)
def test_unbalanced_text_is_refused(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        parse_schemas(text)

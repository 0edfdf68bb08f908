"""JSONPath as printer columns and `-o jsonpath` use it (sandbox-apiserver.md TB5)."""

import pytest

from kubectl_kruise.objects.notation.jsonpath import find, parse_path

DOCUMENT = {
    "spec": {"replicas": 3, "containers": [{"name": "a", "n": 1}, {"name": "b", "n": 2}]},
    "metadata": {"labels": {"example.com/x": "y"}},
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Other", "ok": False}]},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".spec.replicas", [3]),
        ("spec.replicas", [3]),
        ("{.spec.replicas}", [3]),
        ("$.spec.replicas", [3]),
        (".spec.containers[*].name", ["a", "b"]),
        (".spec.containers[0].name", ["a"]),
        (".spec.containers[-1].name", ["b"]),
        (".spec.containers[7].name", []),
        (".spec.containers[-7].name", []),
        (".spec.containers[1:].name", ["b"]),
        ("..n", [1, 2]),
        (".spec.containers[?(@.n>1)].name", ["b"]),
        (".spec.containers[?(@.n<=1)].name", ["a"]),
        (".spec.containers[?(@.name!='a')].n", [2]),
        (".spec.containers[?(@.name>1)].n", []),
        ('.status.conditions[?(@.type=="Ready")].status', ["True"]),
        (".status.conditions[?(@.ok==false)].type", ["Other"]),
        (".status.conditions[?(@.ok)].type", ["Other"]),
        (r".metadata.labels.example\.com/x", ["y"]),
        (".metadata.labels['example.com/x']", ["y"]),
        (".metadata.labels.*", ["y"]),
        (".nothing.here", []),
        (".spec.replicas.deeper", []),
    ],
)
def test_paths(path, found):
    assert find(path, DOCUMENT) == found


def test_what_cannot_be_read_is_no_path():
    with pytest.raises(ValueError, match="cannot read"):
        parse_path(".spec[")

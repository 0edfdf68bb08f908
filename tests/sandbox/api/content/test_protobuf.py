"""Protobuf bodies are read as JSON would have them, or refused: never half (sandbox-apiserver.md T6 to T8)."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.sandbox.api.content.protobuf import MAGIC, BrokenError, UnreadableError, decode_protobuf


def _field(number, content):
    if isinstance(content, int):
        return _varint(number << 3) + _varint(content & (1 << 64) - 1)
    data = content.encode() if isinstance(content, str) else content
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value):
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def _body(api_version, kind, raw):
    return MAGIC + _field(1, _field(1, api_version) + _field(2, kind)) + _field(2, raw)


def _meta(name):
    return _field(1, _field(1, name) + _field(3, ""))


BODIES = {
    "empty texts of the metadata are absent": (
        _body("v1", "Namespace", _meta("n") + _field(2, b"") + _field(3, b"")),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}, "spec": {}},
    ),
    "a map, and bytes as base64": (
        _body("v1", "Secret", _meta("s") + _field(2, _field(1, "k") + _field(2, b"\xff"))),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"k": "/w=="}},
    ),
    "a pointer keeps its zero, a plain number does not": (
        _body("apps/v1", "Deployment", _meta("d") + _field(2, _field(1, 0) + _field(5, 0) + _field(7, 0))),
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"replicas": 0}},
    ),
    "numbers below zero": (
        _body("scheduling.k8s.io/v1", "PriorityClass", _meta("p") + _field(2, -5)),
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "p"}, "value": -5},
    ),
    "a share is a number or a text": (
        _body(
            "policy/v1", "PodDisruptionBudget",
            _meta("b") + _field(2, _field(1, _field(1, 1) + _field(3, "50%")) + _field(3, _field(2, 2))),
        ),
        {
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"},
            "spec": {"minAvailable": "50%", "maxUnavailable": 2},
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_a_body_is_read(name):
    body, wanted = BODIES[name]
    assert decode_protobuf(body) == wanted


BROKEN = {
    "nothing": (b"", "empty data"),
    "no envelope": (
        b"{}",
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    ),
    "a message that is cut": (_body("v1", "Namespace", _meta("n"))[:-1], "unexpected EOF"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_bytes_that_are_no_message_are_told_as_go_tells_them(name):
    body, text = BROKEN[name]
    with pytest.raises(BrokenError) as failure:
        decode_protobuf(body)

    assert str(failure.value) == text


UNREADABLE = {
    "a number of a field nobody knows": _body("v1", "Namespace", _field(9, "x")),
    "content of a kind that is not listed": _body("v1", "Widget", _meta("w")),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_whole_is_refused(name):
    with pytest.raises(UnreadableError):
        decode_protobuf(UNREADABLE[name])


@given(st.sampled_from(["Deployment", "Secret", "Job", "Namespace"]), st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(kind, raw):
    with contextlib.suppress(UnreadableError, BrokenError, UnicodeDecodeError):
        assert decode_protobuf(_body("v1", kind, raw))["kind"] == kind

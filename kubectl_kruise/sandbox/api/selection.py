"""Label and field selectors of a request as one question to an object (sandbox-apiserver.md L5, L6)."""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from kubectl_kruise.objects.notation.selector_grammar import parse_selector
from kubectl_kruise.objects.raw import Raw, dig, labels_of
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.kinds.resources import Resource

Matches = Callable[[Raw], bool]

_OBJECT: Final = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_EVENT: Final = ("reason", "reportingComponent", "source", "type")
FIELDS: Final = {
    "pods": (
        "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
        "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName",
    ),
    "events": (*(f"involvedObject.{name}" for name in _OBJECT), *_EVENT),
    "nodes": ("spec.unschedulable",),
    "namespaces": ("status.phase",),
    "secrets": ("type",),
    "services": ("spec.clusterIP", "spec.type"),
    "jobs.batch": ("status.successful",),
    "replicationcontrollers": ("status.replicas",),
}  # fmt: skip
"""Beside metadata.name and metadata.namespace, which every kind has."""
ZERO: Final = {"spec.hostNetwork": "false", "spec.unschedulable": "false", "status.replicas": "0"}
_TERM: Final = re.compile(r"(?P<field>[^=!]*)(?P<operator>==|!=|=)(?P<value>.*)", re.DOTALL)


class _Term(NamedTuple):
    field: str
    equal: bool
    value: str


def selection(resource: Resource, labels: str, fields: str) -> Matches | None:
    """Give the question a request's selectors ask, None where they ask nothing. Raises Refused 400."""
    try:
        wanted = parse_selector(labels)
    except ValueError as error:
        raise status.bad_request(str(error)) from None
    terms = _terms(resource, fields)
    if wanted.empty and not terms:
        return None
    readers = [(_reader(resource, term.field), term) for term in terms]

    def matches(raw: Raw) -> bool:
        return wanted.matches(labels_of(raw)) and all(
            (reader(raw) == term.value) is term.equal for reader, term in readers
        )

    return matches


def _terms(resource: Resource, text: str) -> list[_Term]:
    found = []
    for part in re.split(r"(?<!\\),", text):
        if not part:
            continue
        match = _TERM.fullmatch(part)
        if match is None:
            raise status.bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
        found.append(_Term(match["field"], match["operator"] != "!=", _unescaped(match["value"])))
    for term in found:
        _check_field(resource, term.field)
    return found


def _unescaped(value: str) -> str:
    if re.search(r"(?<!\\)(?:\\\\)*\\(?![\\,=])", value):
        raise status.bad_request("invalid field selector: invalid escape sequence: \\")
    bare = re.sub(r"\\([\\,=])", "", value)
    if forbidden := re.search(r"[=,]", bare):
        raise status.bad_request(f"invalid field selector: unescaped character in value: {ord(forbidden[0])}")
    return re.sub(r"\\([\\,=])", r"\1", value)


def _check_field(resource: Resource, field: str) -> None:
    if field in ("metadata.name", "metadata.namespace"):
        return
    if resource.custom:
        selectable = resource.crd_version.get("selectableFields") or []
        if field not in (found["jsonPath"].removeprefix(".") for found in selectable):
            raise status.bad_request(f"field label not supported: {field}")
        return
    known = FIELDS.get(resource.key)
    if known is None:
        raise status.bad_request(
            f'"{field}" is not a known field selector: only "metadata.name", "metadata.namespace"'
        )
    if resource.group == "events.k8s.io":
        known = tuple(name.replace("involvedObject.", "regarding.") for name in known)
    if field not in known:
        text = (
            f'field label "{field}" not supported for Job'
            if resource.kind == "Job"
            else f"field label not supported: {field}"
        )
        raise status.bad_request(text)


def _reader(resource: Resource, field: str) -> Callable[[Raw], str]:
    path = tuple(field.split("."))
    if resource.kind == "Event":
        if field == "source":
            path = ("source", "component") if resource.group == "" else ("deprecatedSource", "component")
        elif field == "reportingComponent" and resource.group:
            path = ("reportingController",)
    zero = ZERO.get(field, "")

    def read(raw: Raw) -> str:
        return _text(dig(raw, path), zero)

    return read


def _text(value: Any, zero: str) -> str:
    if value is None:
        return zero
    return str(value).lower() if isinstance(value, bool) else str(value)

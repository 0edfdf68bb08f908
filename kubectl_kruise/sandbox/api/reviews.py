"""Access reviews: one user, who may do everything but what a rule denies (sandbox-apiserver.md §20)."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import FieldError, invalid
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api.content.answers import Answer, json_answer
from kubectl_kruise.sandbox.api.content.bodies import read_body
from kubectl_kruise.sandbox.api.discovery import REVIEWS
from kubectl_kruise.sandbox.hooks import USER, Hooks, Subject
from kubectl_kruise.sandbox.native.decoding import decode
from kubectl_kruise.sandbox.schema.compiling import compile_schema
from kubectl_kruise.sandbox.schema.node import Node

KINDS: Final = {(review.group, review.plural): review.kind for review in REVIEWS}
GROUPS: Final = {review.group for review in REVIEWS}
EVERYTHING: Final[Raw] = {
    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    "incomplete": False,
}
_ATTRIBUTES: Final[Raw] = {
    "nonResourceAttributes": ("path", "verb"),
    "resourceAttributes": ("namespace", "verb", "group", "version", "resource", "subresource", "name"),
}
WHO: Final[Raw] = {"userInfo": {"username": USER, "groups": ["system:masters", "system:authenticated"]}}


def _type(kind: str) -> Node:
    """Give the type of a review's spec, as far as it is read here."""
    text, texts = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    parts = {
        name: {"type": "object", "properties": dict.fromkeys(fields, text)}
        for name, fields in _ATTRIBUTES.items()
    }
    extra = {"type": "object", "additionalProperties": texts}
    asker = {"user": text, "uid": text, "groups": texts, "extra": extra, "namespace": text, "token": text}
    node = compile_schema({"type": "object", "properties": {**parts, **asker}})
    node.name = f"{kind}Spec"
    return node


_TYPES: Final = {review.kind: _type(review.kind) for review in REVIEWS}


def answer(
    hooks: Hooks, method: str, segments: list[str], headers: Mapping[str, str], body: bytes
) -> Answer | None:
    """Answer a review; None where the path is about something else."""
    if segments[0] != "apis" or segments[1] not in GROUPS:
        return None
    kind = KINDS.get((segments[1], segments[-1]))
    if kind is None:
        raise status.unknown_path()
    if method != "POST":
        raise status.method_not_allowed()
    review = read_body(body, headers.get("content-type", ""), kind).object
    if why := decode(_TYPES[kind], review.get("spec") or {}, at="spec").problem:
        raise status.bad_request(f'{kind} in version "v1" cannot be handled as a {kind}: {why}')
    spec = _without_empty(review.get("spec") or {})
    made: Raw = {"kind": kind, "apiVersion": f"{segments[1]}/v1", "metadata": {}, "spec": spec}
    match kind:
        case "SelfSubjectRulesReview":
            if not spec.pop("namespace", ""):
                raise status.bad_request("no namespace on request")
            made["status"] = EVERYTHING
        case "SelfSubjectReview":
            made["status"] = WHO
        case "TokenReview":
            made["status"] = {"user": {}, "error": "invalid bearer token"}
        case _:
            namespace = segments[4] if kind.startswith("Local") else ""
            if errors := _problems(kind, spec, namespace):
                raise status.invalid(segments[1], "", "", errors)
            made["status"] = {"allowed": _allowed(hooks, spec)}
    return json_answer(made, HTTPStatus.CREATED)


def _without_empty(spec: Any) -> Any:
    """Leave out what is empty, as the types of reviews do."""
    if not isinstance(spec, dict):
        return spec
    return {key: _without_empty(value) for key, value in spec.items() if value not in ("", None, [])}


def _problems(kind: str, spec: Raw, namespace: str) -> list[FieldError]:
    """Check that a review asks one thing, about somebody, and where it stands."""
    errors = []
    asked = spec.get("resourceAttributes")
    if (asked is None) == (spec.get("nonResourceAttributes") is None):
        text = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        field = "spec.resourceAttributes" if asked is None else "spec.nonResourceAttributes"
        shown = None if asked is None else "cannot be specified in combination with resourceAttributes"
        errors.append(invalid(field, shown, text))
    if not kind.startswith("Self") and not spec.get("user") and not spec.get("groups"):
        errors.append(invalid("spec.user", "", "at least one of user or group must be specified"))
    if namespace and (asked or {}).get("namespace", "") != namespace:
        where = (asked or {}).get("namespace", "")
        errors.append(invalid("spec.resourceAttributes.namespace", where, "must match metadata.namespace"))
    return errors


def _allowed(hooks: Hooks, spec: Raw) -> bool:
    asked = spec.get("resourceAttributes")
    if asked is None:
        return True
    keys = [key for key in Subject._fields if key != "user_agent"]
    return hooks.allows(Subject(**{key: str(asked.get(key) or "") for key in keys}, user_agent=""))

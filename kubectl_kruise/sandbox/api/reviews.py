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

KINDS: Final = {(review.group, review.plural): review.kind for review in REVIEWS}
GROUPS: Final = {review.group for review in REVIEWS}
EVERYTHING: Final[Raw] = {
    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    "incomplete": False,
}
WHO: Final[Raw] = {"userInfo": {"username": USER, "groups": ["system:masters", "system:authenticated"]}}


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

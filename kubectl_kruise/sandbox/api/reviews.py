"""Access reviews: one user, who may do everything but what a rule denies (sandbox-apiserver.md §20)."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api.answers import Answer, json_answer
from kubectl_kruise.sandbox.api.bodies import read_body
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
    made: Raw = {
        "kind": kind,
        "apiVersion": f"{segments[1]}/v1",
        "metadata": {},
        "spec": review.get("spec") or {},
    }
    match kind:
        case "SelfSubjectRulesReview":
            if not dig(review, ("spec", "namespace")):
                raise status.bad_request("no namespace on request")
            made["status"] = EVERYTHING
        case "SelfSubjectReview":
            made["status"] = WHO
        case "TokenReview":
            made["status"] = {"user": {}, "error": "invalid bearer token"}
        case _:
            made["status"] = {"allowed": _allowed(hooks, made["spec"])}
    return json_answer(made, HTTPStatus.CREATED)


def _allowed(hooks: Hooks, spec: Raw) -> bool:
    asked = spec.get("resourceAttributes")
    if asked is None:
        return True
    keys = [key for key in Subject._fields if key != "user_agent"]
    return hooks.allows(Subject(**{key: str(asked.get(key) or "") for key in keys}, user_agent=""))

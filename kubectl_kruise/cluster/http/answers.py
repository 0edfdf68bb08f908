"""HTTP answers of an API server as errors: the one place where a status code becomes a KruiseError."""

import json
from typing import Final

from kubectl_kruise.cluster.paths import VERBS, Target, parse_path
from kubectl_kruise.errors import (
    ConflictError,
    ExpiredError,
    KruiseError,
    NotAllowedError,
    NotFoundError,
    ServerError,
    UnknownTypeError,
)
from kubectl_kruise.objects.raw import Raw, dig

LONGEST_CAUSE: Final = 2000
BODY_EXCERPT: Final = 200


def parse_status(code: int, body: bytes) -> Raw:
    """Give the Status of a failed answer; one is made up for bodies that are none, such as `404 page not found`."""
    try:
        parsed = json.loads(body)
    except ValueError:
        parsed = None
    if isinstance(parsed, dict) and parsed.get("kind") == "Status":
        return {**parsed, "code": parsed.get("code") or code}
    text = body.decode("utf-8", "replace").strip()
    return {"kind": "Status", "status": "Failure", "code": code, "message": text[:BODY_EXCERPT]}


def error_for(status: Raw, method: str, path: str) -> KruiseError:
    """Give the error that a Status means as the answer to `method path`."""
    code = int(status.get("code") or 500)
    said = " ".join(str(status.get("message") or "").split())[:LONGEST_CAUSE]
    target = parse_path(path)
    match code:
        case 401:
            return NotAllowedError(
                "the server does not accept these credentials",
                cause=said or "Unauthorized",
                hint="log in again, or look at the user entry: kubectl config view --minify",
                status=status,
            )
        case 403:
            return _forbidden(status, said, method, target)
        case 404:
            return _not_found(status, said, target)
        case 409:
            return _conflict(status, said, target)
        case 410:
            return ExpiredError(f"what was read of {target} is too old", cause=said, status=status)
        case 422:
            subject, _, why = said.partition(" is invalid: ")
            return ServerError(
                f"{subject} is invalid" if why else f"{target} is invalid", cause=why or said, status=status
            )
        case _:
            doing = f"{VERBS.get(method, method)} {target}" if target.plural else path
            return ServerError(
                f"the server failed to {doing}", cause=f"{said or 'no message'} (HTTP {code})", status=status
            )


def _forbidden(status: Raw, said: str, method: str, target: Target) -> KruiseError:
    if " cannot " not in said:  # a quota, an admission plugin, a namespace that is going away
        return NotAllowedError(f"the server forbids this for {target}", cause=said, status=status)
    verb = "list" if method == "GET" and not target.name else VERBS.get(method, method)
    resource = f"{target.resource}/{target.subresource}" if target.subresource else target.resource
    place = f" in namespace {target.namespace}" if target.namespace else ""
    flag = f" -n {target.namespace}" if target.namespace else ""
    return NotAllowedError(
        f"not allowed to {verb} {resource}{place}",
        cause=said,
        hint=f"kubectl auth can-i {verb} {resource}{flag}",
        status=status,
    )


def _not_found(status: Raw, said: str, target: Target) -> KruiseError:
    # An object that is missing is named in the details; a type that is missing has none, or a bare text as answer.
    if dig(status, ("details", "name")) or not target.plural:
        return NotFoundError(said or f"{target} not found", status=status)
    ours = target.group.endswith("kruise.io")
    return UnknownTypeError(
        f"the server has no resource type {target.resource} in version {target.version}",
        cause=said,
        hint="kubectl kruise install crds" if ours else "kubectl api-resources",
        status=status,
    )


def _conflict(status: Raw, said: str, target: Target) -> KruiseError:
    if status.get("reason") == "AlreadyExists":
        return ConflictError(said or f"{target} already exists", status=status)
    return ConflictError(f"{target} was changed by someone else meanwhile", cause=said, status=status)


def parse_warnings(header: str) -> list[str]:
    r"""Give the texts of a Warning header: `299 - "text", 299 - "with \"quotes\""` (RFC 7234 §5.5)."""
    import re

    found = re.findall(r'\d{3} \S+ "((?:[^"\\]|\\.)*)"', header)
    return [re.sub(r"\\(.)", r"\1", text) for text in found]

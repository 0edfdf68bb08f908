"""Requests about a part of an object: status, scale, binding and the like (sandbox-apiserver.md §10)."""

import secrets
from http import HTTPStatus
from typing import Final

from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api.content.answers import Answer, json_answer
from kubectl_kruise.sandbox.api.exchange import Exchange
from kubectl_kruise.sandbox.registry import scale
from kubectl_kruise.sandbox.registry.natives import pods
from kubectl_kruise.sandbox.registry.patching.patch import patch

NOT_HERE: Final = ("log", "exec", "attach", "portforward", "proxy")
TOKEN_SECONDS: Final = 3600


def answer(request: Exchange) -> Answer:
    """Carry out a request on a subresource; one that the kind does not have is 404 (B6)."""
    call, method = request.call, request.method
    resource, name = call.resource, call.subresource
    part = name.partition("/")[0]
    if part not in resource.subresources:
        if resource.custom:
            raise call.missing
        raise status.unknown_path()
    if part in NOT_HERE:
        request.registry.find(call)
        raise _not_available(resource.plural, part)
    match part, method:
        case (("status" | "ephemeralcontainers" | "resize"), "GET"):
            return request.shown(request.registry.get(call))
        case (("status" | "ephemeralcontainers" | "resize" | "finalize"), "PUT"):
            stored = request.registry.replace(call, request.read_body())
        case (("status" | "ephemeralcontainers" | "resize"), "PATCH"):
            stored = patch(request.registry, call, request.body, request.media_type)
        case "scale", _:
            return _scale(request)
        case "binding", "POST":
            return json_answer(
                pods.bind(request.registry, call, request.read_body("Binding")), HTTPStatus.CREATED
            )
        case "eviction", "POST":
            return json_answer(
                pods.evict(request.registry, call, request.read_body("Eviction")), HTTPStatus.CREATED
            )
        case "token", "POST":
            return json_answer(_token(request), HTTPStatus.CREATED)
        case _:
            raise _refused_method(request)
    request.settle()
    return request.shown(stored)


def _scale(request: Exchange) -> Answer:
    registry, call = request.registry, request.call
    match request.method:
        case "GET":
            stored = scale.read(registry, call)
        case "PUT":
            stored = scale.replace(registry, call, request.read_body("Scale"))
        case "PATCH":
            stored = scale.patch(registry, call, request.body, request.media_type)
        case _:
            raise _refused_method(request)
    return json_answer(stored.object)


def _refused_method(request: Exchange) -> status.Refused:
    resource = request.call.resource
    word = {"POST": "create", "DELETE": "delete"}.get(request.method)
    if not resource.custom or word is None:
        return status.method_not_allowed()
    named = status.qualified(resource.group, resource.plural)
    refusal = status.method_not_allowed(f'{word} is not supported on resources of kind "{named}"')
    refusal.status["details"] = {"group": resource.group, "kind": resource.plural}
    return refusal


def _not_available(plural: str, part: str) -> status.Refused:
    message = f"{plural}/{part} is not available in the sandbox: no container is running"
    return status.failure(HTTPStatus.NOT_IMPLEMENTED, "NotImplemented", message)


def _token(request: Exchange) -> Raw:
    """Make up a token for a service account."""
    call = request.call
    account = request.registry.get(call).object
    spec = request.read_body("TokenRequest").object.get("spec") or {}
    seconds = spec.get("expirationSeconds") or TOKEN_SECONDS
    now = request.registry.clock.time()
    return {
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {
            "name": call.name,
            "namespace": call.namespace,
            "uid": account["metadata"]["uid"],
            "creationTimestamp": rfc3339(now),
        },
        "spec": {
            "audiences": spec.get("audiences") or ["https://kubernetes.default.svc"],
            "expirationSeconds": seconds,
            "boundObjectRef": spec.get("boundObjectRef"),
        },
        "status": {"token": secrets.token_urlsafe(32), "expirationTimestamp": rfc3339(now + seconds)},
    }

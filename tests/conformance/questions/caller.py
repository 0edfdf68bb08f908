"""Raw requests to a server, for recordings that pin the answers themselves."""

import json
from typing import Any, NamedTuple

from kubectl_kruise.cluster.http.answers import parse_warnings
from kubectl_kruise.cluster.port import Request, Transport

CONTENT_TYPES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


class Reply(NamedTuple):
    """`warnings` are the texts of the Warning headers."""

    code: int
    body: Any
    warnings: tuple[str, ...] = ()


class Caller:
    """Sends one request at a time and reads JSON answers."""

    def __init__(self, transport: Transport, headers: dict[str, str] | None = None) -> None:
        self._transport = transport
        self._headers = {"Accept": "application/json", "User-Agent": "recording/1"} | (headers or {})

    def call(self, method: str, target: str, body: Any = None, content: str = "application/json") -> Reply:
        headers = dict(self._headers)
        data = None
        if body is not None:
            headers["Content-Type"] = content
            data = json.dumps(body).encode()
        response = self._transport.send(Request(method, target, headers, data))
        try:
            parsed = json.loads(response.body)
        except ValueError:
            parsed = response.body.decode(errors="replace")
        return Reply(response.status, parsed, tuple(parse_warnings(response.headers.get("warning", ""))))

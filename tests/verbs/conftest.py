"""Verbs in process, against the sandbox's API server, with whole output compared."""

import contextlib
import io
import json
import sys
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest

from kubectl_kruise.cli import app
from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.discovery import Discovery
from kubectl_kruise.cluster.port import Request, Response
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, NATIVE_STATEFULSET, POD, Kind
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.sandbox.assembly import Server
from kubectl_kruise.sandbox.local import LocalStream, LocalTransport

Meddle = Callable[[Request], None]


class Recorder:
    """A transport that remembers what was asked, and lets a test meddle between two requests."""

    def __init__(self, inner: LocalTransport) -> None:
        self.inner = inner
        self.seen: list[Request] = []
        self.before: Meddle = lambda _: None
        self.refuse = ""
        self.warning = ""

    def send(self, request: Request) -> Response:
        self.seen.append(request)
        self.before(request)
        if request.method == self.refuse:
            message = (
                'clonesets.apps.kruise.io "web" is forbidden: User "jo" cannot patch resource "clonesets"'
            )
            status = {"kind": "Status", "code": 403, "reason": "Forbidden", "message": message}
            return Response(403, {}, json.dumps(status).encode())
        answer = self.inner.send(request)
        return (
            answer._replace(headers={**answer.headers, "warning": f'299 - "{self.warning}"'})
            if self.warning
            else answer
        )

    def open(self, request: Request) -> LocalStream:
        self.seen.append(request)
        self.before(request)
        return self.inner.open(request)

    def close(self) -> None:
        self.inner.close()


class Shell:
    """Runs command lines; `stdout` and `stderr` are compared whole where given."""

    def __init__(self, *, webhooks: bool = True, release: Release = Release.V1_9_0) -> None:
        self.clock = VirtualClock()
        self.server = Server(self.clock, webhooks=webhooks, release=release)
        self.transport = Recorder(LocalTransport(self.server.handler))
        self.admin = Client(LocalTransport(self.server.handler), namespace="shop", context="sandbox")
        self.admin.create("/api/v1/namespaces", {"metadata": {"name": "shop"}})
        self.known = Discovery(self.admin.get, None)
        """What earlier runs have found out about the server: asked once an hour, so that no verb's requests hold it."""

    def client(self, _: object = None, on_warning: Callable[[str], None] | None = None) -> Client:
        client = Client(
            self.transport, namespace="shop", context="sandbox", pause=lambda _: None, on_warning=on_warning
        )
        client.discovery = self.known
        return client

    def run(self, line: list[str], *, stdin: str | None = None, piped: str = "") -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        self.transport.seen.clear()
        typed = io.StringIO(stdin if stdin is not None else piped)
        if stdin is not None:
            typed.isatty = lambda: True  # type: ignore[method-assign]
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            mock.patch.object(sys, "stdin", typed),
        ):
            try:
                code = app.run(line, connect=self.client, clock=self.clock)
            except KruiseError as error:
                code = error.exit_code
                err.write("\n".join(error.lines()) + "\n")
        return code, out.getvalue(), err.getvalue()

    def check(
        self,
        line: str | list[str],
        code: int,
        stdout: str | None = None,
        stderr: str | None = None,
        **how: Any,
    ) -> None:
        given = self.run(line.split() if isinstance(line, str) else line, **how)
        assert given == (code, given[1] if stdout is None else stdout, given[2] if stderr is None else stderr)

    @property
    def writes(self) -> list[Request]:
        return [request for request in self.transport.seen if request.method != "GET"]

    def body(self) -> Any:
        (request,) = self.writes
        return json.loads(request.body or b"null")

    def path(self, name: str, kind: Kind = CLONESET) -> str:
        return kind.path("shop", name)

    def get(self, name: str, kind: Kind = CLONESET) -> dict[str, Any]:
        return self.admin.get(kind.path("shop", name))

    def cloneset(self, name: str = "web", **spec: Any) -> dict[str, Any]:
        strategy = {"type": "InPlaceIfPossible", **spec.pop("updateStrategy", {})}
        return self._workload(
            CLONESET, name, replicas=spec.pop("replicas", 5), updateStrategy=strategy, **spec
        )

    def deployment(self, name: str = "web", **spec: Any) -> dict[str, Any]:
        return self._workload(DEPLOYMENT, name, **spec)

    def stateful_set(self, name: str = "web", **spec: Any) -> dict[str, Any]:
        return self._workload(NATIVE_STATEFULSET, name, serviceName=name, **spec)

    def observe(self, live: dict[str, Any], *, generation: int) -> None:
        """Write a status as a controller that has seen this generation and has nothing done."""
        path = CLONESET.path("shop", live["metadata"]["name"], subresource="status")
        counters = dict.fromkeys(
            ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas", "updatedReadyReplicas"), 0
        )
        self.admin.replace(path, {**live, "status": {"observedGeneration": generation, **counters}})

    def pod(self, name: str, owner: dict[str, Any] | None, **meta: Any) -> dict[str, Any]:
        references = []
        if owner:
            head = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True}
            references = [{**head, "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}]
        body = {
            "metadata": {"name": name, "labels": {"app": "web"}, "ownerReferences": references, **meta},
            "spec": {"containers": [{"name": "app", "image": "shop/web:1"}]},
        }
        return self.admin.create(POD.path("shop"), body)

    def _workload(self, kind: Kind, name: str, **spec: Any) -> dict[str, Any]:
        labels = {"app": name}
        containers = [{"name": "app", "image": "shop/web:1"}, {"name": "proxy", "image": "envoy:1"}]
        body = {
            "apiVersion": f"{kind.group}/{kind.versions[0]}",
            "kind": kind.kind,
            "metadata": {"name": name, "labels": labels},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
                **spec,
            },
        }
        return self.admin.create(kind.path("shop"), body)


@pytest.fixture
def shell() -> Shell:
    return Shell()

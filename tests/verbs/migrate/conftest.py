"""`migrate` as it is typed, against a cluster in this process whose controllers work while the verb waits."""

import contextlib
import copy
import io
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest

from kubectl_kruise.cli import app
from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Request
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import DEPLOYMENT, Kind
from kubectl_kruise.objects.raw import Raw
from tests.operations.migrate.world import NAMESPACE, World, deployment
from tests.verbs.conftest import Recorder


class Answer(NamedTuple):
    code: int
    out: str
    err: str


class Desk:
    """A terminal beside a world; `seen` are the requests of the last command."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.transport = Recorder(world.sandbox.transport)

    def client(self, *_: object) -> Client:
        return Client(
            self.transport,
            namespace=NAMESPACE,
            context="test",
            server="https://127.0.0.1",
            pause=lambda _: None,
        )

    def run(self, line: str, *, typed: str | None = None) -> Answer:
        """Run a command; `typed` is what a person answers, None for nobody there."""
        out, err = io.StringIO(), io.StringIO()
        self.transport.seen.clear()
        keyboard = io.StringIO(typed or "")
        if typed is not None:
            keyboard.isatty = lambda: True  # type: ignore[method-assign]
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            mock.patch.object(sys, "stdin", keyboard),
        ):
            try:
                code = app.run(f"migrate {line}".split(), connect=self.client, clock=self.world.clock)
            except KruiseError as error:
                code = error.exit_code
                err.write("\n".join(error.lines()) + "\n")
        return Answer(code, out.getvalue(), err.getvalue())

    def json(self, line: str) -> Any:
        answer = self.run(f"{line} -o json")
        assert (answer.code, answer.err) == (0, "")
        return json.loads(answer.out)

    @property
    def writes(self) -> list[Request]:
        """Requests that change something: no reads, no dry runs, no questions about rights."""
        return [
            request
            for request in self.transport.seen
            if request.method != "GET"
            and "dryRun=All" not in request.target
            and "selfsubjectaccessreviews" not in request.target
        ]

    def another(self, name: str, replicas: int, **meta: Any) -> None:
        """Create another Deployment, whose pods come while time passes."""
        body = deployment(replicas=replicas)
        labels = {"app": name}
        body["metadata"] = {"name": name, "labels": labels, **meta}
        body["spec"]["selector"]["matchLabels"] = dict(labels)
        body["spec"]["template"]["metadata"]["labels"] = dict(labels)
        self.world.cluster.create(DEPLOYMENT.path(NAMESPACE), body)
        self.world.sandbox.run(60)

    def get(self, kind: Kind, name: str) -> Raw:
        return self.world.cluster.get(kind.path(NAMESPACE, name))

    def get_deployment(self) -> Raw:
        """Give what has to be sent to have the Deployment once more, under another name."""
        live = self.get(DEPLOYMENT, "web")
        return {"apiVersion": "apps/v1", "kind": "Deployment", "spec": copy.deepcopy(live["spec"])}

    def change(self, kind: Kind, name: str, **changes: Any) -> None:
        """Write top-level fields of an object anew, as somebody else would."""
        live = self.get(kind, name)
        self.world.cluster.replace(kind.path(NAMESPACE, name), {**copy.deepcopy(live), **changes})


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep copies of journals away from the real home."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def desk() -> Desk:
    return Desk(World(replicas=2))

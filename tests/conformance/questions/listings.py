"""What a server says of its kinds: discovery, and the tables of objects, as data and as kubectl shows them."""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

from kubectl_kruise.objects.notation.reference import kind_of
from kubectl_kruise.sandbox.embedded import Sandbox
from tests.conformance.comparing.compare import first_difference
from tests.conformance.comparing.normalise import NAMESPACE
from tests.conformance.questions.caller import Caller
from tests.sandbox.process import Cluster

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
GROUPS = ("apps.kruise.io", "policy.kruise.io")
AGE = re.compile(r"\d+(?:ms|[smhdy])(?:\d+[smhdy])?$")


def is_listing(entry: dict[str, Any]) -> bool:
    """Tell whether an entry asks what is served, or how objects are listed."""
    return (
        "columns" in entry
        or "argv" in entry.get("do", {})
        or bool({"entry", "entries", "body"} & entry.keys())
    )


class Listings:
    """One server for such entries; kubectl's are asked of a sandbox in a process of its own."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.sandbox = Sandbox(webhooks=False)
        self.sandbox.client().create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})

    def close(self) -> None:
        self._stack.close()

    def check(self, entry: dict[str, Any]) -> str:
        """Give the first difference of an entry."""
        if "columns" in entry:
            return self._table(entry)
        if "argv" in entry["do"]:
            return self._command(entry)
        return self._discovery(entry)

    def _discovery(self, entry: dict[str, Any]) -> str:
        caller = Caller(self.sandbox.transport, {"Accept": entry["do"].get("accept", "application/json")})
        body = caller.call("GET", entry["do"]["get"]).body
        if "body" in entry:
            return first_difference(entry["body"], body, "body")
        if "entry" in entry:
            versions = [
                version
                for item in body["items"]
                if item["metadata"].get("name") == entry["group"]
                for version in item["versions"]
                if version["version"] == entry["version"]
            ]
            found = {resource["resource"]: resource for resource in versions[0]["resources"]}
            return first_difference(entry["entry"], found.get(entry["entry"]["resource"]), "entry")
        named = {resource["name"]: resource for resource in body["resources"]}
        ours = [_hashed(named.get(wanted["name"])) for wanted in entry["entries"]]
        return first_difference(entry["entries"], ours, "entries")

    def _table(self, entry: dict[str, Any]) -> str:
        path = _collection(entry)
        caller = Caller(self.sandbox.transport, {"Accept": TABLE})
        if "stored" not in entry:
            table = caller.call("GET", path).body
            return _table_difference(entry, table)
        made = entry["stored"]["object"]
        target = f"{path}/{made['metadata']['name']}"
        try:
            _store(self.sandbox, path, target, made)
            return _table_difference(entry, caller.call("GET", target).body)
        finally:
            caller.call("DELETE", target)

    @cached_property
    def _cluster(self) -> Cluster:
        folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        cluster = Cluster(Path(folder))
        self._stack.callback(cluster.close)
        cluster.kubectl("create", "namespace", NAMESPACE)
        return cluster

    def _command(self, entry: dict[str, Any]) -> str:
        arguments = [NAMESPACE if word == "NS" else word for word in entry["do"]["argv"][1:]]
        if "path" in entry:
            arguments.append("-v=6")
        try:
            done = self._cluster.kubectl(*arguments)
        except subprocess.TimeoutExpired:
            return "kubectl does not end"
        if "path" in entry:
            path = entry["path"].replace("/NS/", f"/{NAMESPACE}/")
            asked = f"{path}?" in done.err or re.search(f"{re.escape(path)}[\"' ]", done.err)
            return (
                "" if asked and entry["stderr"] in done.err else f"path {path} not asked: {done.err[-300:]}"
            )
        said = (done.code, done.out, done.err)
        return first_difference((entry["exit"], entry["stdout"], entry["stderr"]), said, "kubectl")


def replay_listings(entries: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Ask what entries about kinds and tables ask; give id and first difference of each."""
    listings = Listings()
    try:
        for entry in entries:
            try:
                yield entry["id"], listings.check(entry)
            except Exception as bug:  # one entry must not stop the others
                yield entry["id"], f"cannot be replayed: {bug!r}"
    finally:
        listings.close()


def _collection(entry: dict[str, Any]) -> str:
    """Give the path of the collection an entry is about; where nothing is stored, its topic names the kind."""
    made = entry.get("stored", {}).get("object")
    kind = made["kind"] if made else entry["topic"].split()[0]
    groups = (made["apiVersion"],) if made else tuple(f"{group}/{entry['version']}" for group in GROUPS)
    found = next(filter(None, (kind_of(group, kind) for group in groups)))
    return found.kind.path(NAMESPACE, version=entry["version"])


def _store(sandbox: Sandbox, path: str, target: str, made: dict[str, Any]) -> None:
    version = made["apiVersion"].rpartition("/")[2]
    through = re.sub(r"/v\d\w*/", f"/{version}/", path, count=1)
    caller = Caller(sandbox.transport)
    body = caller.call("POST", through, made).body
    if "status" in made:
        name = target.rpartition("/")[2]
        caller.call("PUT", f"{through}/{name}/status", body | {"status": made["status"]})


def _table_difference(entry: dict[str, Any], table: dict[str, Any]) -> str:
    columns = [
        {k: v for k, v in column.items() if k != "description"} for column in table["columnDefinitions"]
    ]
    wanted = [{k: v for k, v in column.items() if k != "description"} for column in entry["columns"]]
    rows = [[_cell(cell) for cell in row["cells"]] for row in table["rows"] or []]
    return first_difference(wanted, columns, "columns") or first_difference(
        [[_cell(cell) for cell in row] for row in entry["rows"]], rows, "rows"
    )


def _cell(cell: Any) -> Any:
    return "AGE" if isinstance(cell, str) and AGE.fullmatch(cell) else cell


def _hashed(resource: Any) -> Any:
    if isinstance(resource, dict) and "storageVersionHash" in resource:
        return resource | {"storageVersionHash": "HASH"}
    return resource

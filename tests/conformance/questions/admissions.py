"""Questions to the webhooks of one kind, one object each: what is made of it, and what every version shows afterwards."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from kubectl_kruise.engine.gates import resolve_gates
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.notation.reference import kind_of
from kubectl_kruise.sandbox.embedded import Sandbox
from tests.conformance.comparing.compare import first_difference
from tests.conformance.comparing.normalise import NAMESPACE, Names, normalise
from tests.conformance.questions.caller import CONTENT_TYPES, Caller, Reply
from tests.conformance.scenarios.world import release_of

CLASSES = {"adm-grow": True, "adm-fixed": False}
"""Storage classes of the recorded cluster, and whether their volumes can grow."""
COUNTERS = ("replicas", "readyReplicas", "availableReplicas", "currentReplicas", "updatedReplicas")
METHODS = {"create": "POST", "patch": "PATCH", "update": "PUT", "delete": "DELETE", "get": "GET"}
RANDOM = "RANDOM"
"""Stands in a recording for the end of a generated name."""


def asks_a_webhook(entry: dict[str, Any]) -> bool:
    """Tell these entries from those about the CRDs alone, which have a topic, and about pods, which have a world."""
    return "about" in entry and "topic" not in entry and "world" not in entry


def replay_admissions(entries: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Ask what each entry asks; give its id and the first difference. Entries under the same gates share a server."""
    callers: dict[str, Caller] = {}
    for entry in entries:
        world = json.dumps([entry.get("gates") or {}, entry.get("kruise", "")])
        if world not in callers:
            callers[world] = _server(*json.loads(world))
        try:
            yield entry["id"], _Question(callers[world], entry).check()
        except Exception as bug:  # an entry of a kind we do not know must not stop the others
            yield entry["id"], f"cannot be replayed: {bug!r}"


def _server(gates: dict[str, bool], release: str) -> Caller:
    sandbox = Sandbox(gates=resolve_gates(gates), release=release_of(release))
    client = sandbox.client()
    client.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    for name, grows in CLASSES.items():
        body = {"metadata": {"name": name}, "provisioner": "none", "allowVolumeExpansion": grows}
        client.create("/apis/storage.k8s.io/v1/storageclasses", body)
    return Caller(sandbox.transport)


class _Question:
    """One entry. No controller runs: the status that one had written is put there as recorded."""

    def __init__(self, caller: Caller, entry: dict[str, Any]) -> None:
        self._caller, self._entry, self._do = caller, entry, entry["do"]
        stored = entry.get("stored") or []
        self._stored = Names().realise(stored if isinstance(stored, list) else [stored])
        self._first = (
            Names().realise(self._do["object"]) if self._do["verb"] == "create" else self._stored[-1]
        )
        self._kind, version = _kind(self._first)
        self._version = self._do.get("version") or version
        self._name = self._first["metadata"].get("name") or ""

    def check(self) -> str:
        try:
            return self._check()
        finally:
            for path in {self._path(name=self._name), *map(_path_of_one, self._stored)} if self._name else ():
                free = {"metadata": {"labels": None, "finalizers": None}}
                self._caller.call("PATCH", path, free, CONTENT_TYPES["merge"])
                self._caller.call("DELETE", path, {"gracePeriodSeconds": 0})

    def _check(self) -> str:
        for raw in self._stored:
            made = self._caller.call("POST", _path_of(raw), raw)
            if made.code >= 300:
                return f"could not store: {made.code} {made.body}"
        if self._stored:
            self._report(_status(self._entry))
        reply = self._ask()
        if difference := _answer_difference(self._entry, reply):
            return difference
        if difference := self._read(self._entry.get("read") or {}):
            return difference
        return self._then(self._entry["then"]) if "then" in self._entry else ""

    def _ask(self) -> Reply:
        verb = self._do["verb"]
        body = Names().realise(self._do.get("body") or self._do.get("object"))
        if verb == "create":
            reply = self._caller.call("POST", self._path(), body)
            self._name = self._name or reply.body.get("metadata", {}).get("name", "")
            return reply
        content = CONTENT_TYPES[self._do["type"]] if verb == "patch" else "application/json"
        part = f"/{self._do['subresource']}" if self._do.get("subresource") else ""
        return self._caller.call(METHODS[verb], self._path(name=self._name) + part, body, content)

    def _then(self, then: dict[str, Any]) -> str:
        """Put the object back as it is read through the version of the recorded sentence, with the number it names."""
        words = then["do"].split()
        version, limit = words[words.index("through") + 1], int(words[-1])
        live = self._call("GET", version=version).body
        body = live | {"spec": live["spec"] | {"revisionHistoryLimit": limit}}
        reply = self._call("PUT", body, version=version)
        if reply.code != then["code"]:
            return f"then: code {reply.code}, recorded {then['code']}: {reply.body}"
        return self._read(then["read"])

    def _read(self, read: dict[str, Any]) -> str:
        for version, wanted in read.items():
            self._report(wanted.get("status"))
            live = self._call("GET", version=version).body
            if difference := first_difference(_plain(wanted), _plain(live), version):
                return difference
        return ""

    def _report(self, status: Any) -> None:
        """Write the status as the controller does, in the stored version."""
        if status is not None:
            version = self._kind.versions[0]
            live = self._call("GET", version=version).body
            self._caller.call("PUT", self._path(version, self._name) + "/status", live | {"status": status})

    def _call(self, method: str, body: Any = None, *, version: str = "") -> Reply:
        return self._caller.call(method, self._path(version, self._name), body)

    def _path(self, version: str = "", name: str = "") -> str:
        return self._kind.path(NAMESPACE, name, version=version or self._version)


def _kind(raw: dict[str, Any]) -> tuple[Kind, str]:
    found = kind_of(raw["apiVersion"], raw["kind"])
    if found is None:
        raise LookupError(f"kind {raw['apiVersion']}/{raw['kind']}")
    return found.kind, found.version


def _path_of(raw: dict[str, Any]) -> str:
    kind, version = _kind(raw)
    return kind.path(NAMESPACE, version=version)


def _path_of_one(raw: dict[str, Any]) -> str:
    return f"{_path_of(raw)}/{raw['metadata']['name']}"


def _status(entry: dict[str, Any]) -> Any:
    """Give the status that the controller had written before the question, as the answer shows it."""
    shown = entry.get("object") or {}
    if shown.get("kind") != "Scale":
        return shown.get("status")
    counters = dict.fromkeys(COUNTERS, 0)
    return counters | {"labelSelector": shown["status"]["selector"], "replicas": shown["status"]["replicas"]}


def _answer_difference(entry: dict[str, Any], reply: Reply) -> str:
    from tests.conformance.questions.entries import answer_difference

    wanted = dict(entry)
    if "written" in entry:  # warnings are not recorded here
        wanted["object"] = entry["written"]
        reply = reply._replace(warnings=())
    base = reply.body.get("metadata", {}).get("generateName")
    if base:
        meta = reply.body["metadata"] | {"name": f"{base}{RANDOM}"}
        reply = reply._replace(body=reply.body | {"metadata": meta})
    return answer_difference(wanted, reply)


def _plain(value: Any) -> Any:
    found = normalise(value, Names())
    found.get("metadata", {}).pop("uid", None)
    return found

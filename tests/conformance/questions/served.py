"""Recorded requests to an API server, asked again: topics of request and response pairs."""

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Request
from kubectl_kruise.sandbox.api.content.answers import Answer
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.registry.kinds.catalog import CRDS
from kubectl_kruise.sandbox.simulation import RECORDED, build
from tests.conformance.comparing.courses import course_difference
from tests.conformance.comparing.shortened import shortened
from tests.conformance.comparing.unify import Bindings, difference
from tests.places import DATA

SWEEP_AFTER = 5.0
"""Seconds for which a real server leaves the content of a deleted namespace alone (sandbox-apiserver.md NS2)."""
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CONFIG_MAP_LIMIT = 1024 * 1024
LAST_TAG = "<ETag of the request before>"
LONG_BODY = re.compile(r"<(\d+) bytes>")
OWNERSHIP = ("managed-fields", "ownership")
"""Topics whose recordings show all managed fields; others leave most of them out."""
GADGET = DATA / "apiserver" / "gadget.json"


def replay_cases(recording: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Ask everything a topic asked on a server of its own; give name and first difference of each case."""
    topic = Topic(recording, json.loads(GADGET.read_text("utf-8")))
    for case in recording["cases"]:
        if case.get("replay") is False:
            continue
        try:
            yield case["id"], topic.check(case)
        except Exception as bug:  # one case must not hide the others
            yield case["id"], f"cannot be replayed: {bug!r}"


class Topic:
    """One server for the cases of one topic."""

    def __init__(self, recording: dict[str, Any], gadget: dict[str, Any]) -> None:
        self.recording = recording
        self.sandbox = Sandbox(VirtualClock(), webhooks=False, sweep_after=SWEEP_AFTER)
        self.number = 0
        self.running = False
        self._tag = ""
        if not str(recording.get("controllers", "")).startswith("stopped"):
            self.sandbox.add(*build(self.sandbox.client("kubelet"), self.sandbox.clock, RECORDED))
        meta = {"name": f"{gadget['names']['plural']}.{gadget['group']}"}
        self.sandbox.server.make(
            "apiextensions.k8s.io/v1", "CustomResourceDefinition", {"metadata": meta, "spec": gadget}
        )
        self.shared = ""
        if recording.get("setup"):
            self.shared = self.make_namespace()
            bindings = Bindings(self.shared)
            for made in recording["setup"]:
                self.ask({"method": "POST", "path": made["path"], "body": made["object"]}, bindings)
        self._first = self._definitions()

    def _controllers_ran(self, case: dict[str, Any]) -> bool:
        """Tell whether controllers ran while a case was recorded: "running, but stopped for … (034 to 048)"."""
        said = str(self.recording.get("controllers", ""))
        number = int(case["id"].rpartition("-")[2])
        pause = re.search(r"\((\d+) to (\d+)\)", said)
        paused = pause is not None and int(pause[1]) <= number <= int(pause[2])
        return not said.startswith("stopped") and not paused

    def make_namespace(self) -> str:
        self.number += 1
        name = f"rec-{self.number}"
        body = {"metadata": {"name": name}}
        self.sandbox.client("recorder").create("/api/v1/namespaces", body)
        self.sandbox.client("recorder").create(
            f"/api/v1/namespaces/{name}/serviceaccounts", {"metadata": {"name": "default"}}
        )
        return name

    def check(self, case: dict[str, Any]) -> str:
        """Play one case; give its first difference. Definitions live on for the cases that depend on them."""
        if not case.get("dependsOn"):
            self._drop_definitions(self._first)
        before = self._definitions()
        found = self._play(case)
        if case.get("dependsOn"):
            self._drop_definitions(before)
        return found

    def _play(self, case: dict[str, Any]) -> str:
        self.running = self._controllers_ran(case)
        shared = self.shared and not case.get("ownNamespace")
        exact = frozenset({"managedFields"} if self.recording["topic"] in OWNERSHIP else ())
        bindings = Bindings(self.shared if shared else self.make_namespace(), exact=exact)
        for step in case.get("before", []):
            if found := self._exchange(step, bindings, part=True):
                return f"before: {found}"
        if "events" in case:
            self._wait()
        start = self.sandbox.server.store.version
        if "stream" in case["response"]:
            return self._watch(case, bindings)
        if found := self._exchange(case, bindings):
            return found
        for number, step in enumerate(case.get("after", [])):
            if found := self._exchange(step, bindings):
                return f"after[{number}]: {found}"
        if "events" in case:
            self._wait()
            return course_difference(case["events"], self.sandbox.server.store.since(start))
        return ""

    def _wait(self) -> None:
        """Let the controllers come to rest, where they ran while the topic was recorded."""
        if self.running:
            self.sandbox.run_until_quiet()

    def _drop_definitions(self, kept: set[str]) -> None:
        """Remove the CRDs that earlier cases left behind."""
        for name in self._definitions() - kept:
            self.ask({"method": "DELETE", "path": f"{DEFINITIONS}/{name}"}, Bindings(""))

    def _definitions(self) -> set[str]:
        return {stored.name for stored in self.sandbox.server.store.items(CRDS)}

    def ask(self, request: dict[str, Any], bindings: Bindings) -> Answer:
        headers = {"Accept": "application/json", "User-Agent": "recorder", "Content-Type": "application/json"}
        headers |= request.get("headers") or {}
        if headers.get("If-None-Match") == LAST_TAG:
            headers["If-None-Match"] = self._tag
        data = _body(request, bindings)
        if not data:
            headers.pop("Content-Type") if request["method"] == "GET" else None
        answer = self.sandbox.server.handler.handle(
            Request(request["method"], str(bindings.realise(request["path"])), headers, data)
        )
        self._tag = str(answer.headers.get("etag", ""))
        return answer

    def _exchange(self, step: dict[str, Any], bindings: Bindings, *, part: bool = False) -> str:
        """Ask and compare; what reads, reads what has come of the writes before it."""
        if step["request"]["method"] == "GET":
            self._wait()
        return self._compare(step["response"], self.ask(step["request"], bindings), bindings, part=part)

    def _compare(self, recorded: dict[str, Any], answer: Answer, bindings: Bindings, *, part: bool) -> str:
        if answer.code != recorded["code"]:
            return f"code {answer.code}, wanted {recorded['code']}: {answer.body[:300]!r}"
        if found := _header_difference(recorded.get("headers") or {}, answer):
            return found
        if "bodyText" in recorded:
            text = answer.body.decode()
            return "" if bindings.text_matches(recorded["bodyText"], text) else f"text {text!r}"
        if "body" not in recorded or recorded["body"] is None:
            return ""
        as_yaml = "yaml" in answer.headers.get("content-type", "")
        body = yaml.safe_load(answer.body) if as_yaml else json.loads(answer.body)
        wanted = recorded["body"]
        if isinstance(body, dict) and body.get("kind") == "APIResourceList":  # their order is free
            body, wanted = (
                one | {"resources": sorted(one["resources"], key=_named)} for one in (body, wanted)
            )
        trimmed = bool(recorded.get("trimmed")) or part
        if trimmed:
            body = shortened(body, wanted)
        return difference(wanted, body, bindings, part=trimmed)

    def _watch(self, case: dict[str, Any], bindings: Bindings) -> str:
        answer = self.ask(case["request"], bindings)
        recorded = case["response"]
        if answer.watch is None:
            text = answer.body.decode().split("\n")
            same = answer.code == recorded["code"] and text[:2] == recorded["stream"][:2]
            return "" if same else f"code {answer.code}: {answer.body[:200]!r}"
        lines = answer.watch.pull()
        for step in case.get("during", []):
            code = self.ask(step["request"], bindings).code
            if code != step.get("code", code):
                return f"during: code {code}"
            lines += answer.watch.pull()
        if recorded.get("ended"):
            lines += answer.watch.farewell()
        events = [json.loads(line) for line in lines.splitlines()]
        wanted = recorded["stream"]
        if (
            not recorded.get("ended")
            and wanted
            and wanted[-1]["type"] == "BOOKMARK"
            and len(events) == len(wanted) - 1
        ):
            wanted = wanted[:-1]  # one of those that come every minute
        for number, (one, other) in enumerate(zip(wanted, events, strict=False)):
            trimmed = not {"kind", "apiVersion"} & one.get("object", {}).keys()
            if found := difference(one, other, bindings, path=f"event {number}", part=trimmed):
                return found
        return (
            ""
            if len(events) == len(wanted)
            else f"{len(events)} events, wanted {len(wanted)}: {events[len(wanted) :]}"
        )


def _named(resource: dict[str, Any]) -> str:
    return str(resource["name"])


def _body(request: dict[str, Any], bindings: Bindings) -> bytes | None:
    """Give the bytes to send; a long body, of which a recording holds the length only, is made up."""
    told = request.get("bodyText", request.get("body"))
    if isinstance(told, str) and (long := LONG_BODY.fullmatch(told)):
        return _long_body(int(long[1]), request["path"])
    if "body" in request:
        return json.dumps(bindings.realise(request["body"])).encode()
    return None if told is None else str(bindings.realise(told)).encode()


def _long_body(length: int, path: str) -> bytes:
    """Give a valid object of this length whose bulk lies where it is judged: in a config map's annotations or data."""
    kinds = {"gadgets": ("example.com/v1", "Gadget"), "configmaps": ("v1", "ConfigMap")}
    api_version, kind = kinds[path.partition("?")[0].rpartition("/")[2]]
    bulk = {"k": ""}
    meta: dict[str, Any] = {"name": "a"}
    body = {"apiVersion": api_version, "kind": kind, "metadata": meta}
    (meta if length < CONFIG_MAP_LIMIT else body)["annotations" if length < CONFIG_MAP_LIMIT else "data"] = (
        bulk
    )
    bulk["k"] = "x" * (length - len(json.dumps(body)))
    return json.dumps(body).encode()


def _header_difference(recorded: dict[str, Any], answer: Answer) -> str:
    for name, wanted in recorded.items():
        got = answer.headers.get(name.lower())
        if wanted == "present" or name == "Content-Length":
            continue
        if got != wanted:
            return f"header {name}: {got!r}, wanted {wanted!r}"
    if "Warning" not in recorded and "warning" in answer.headers:
        return f"unwanted warnings {answer.headers['warning']}"
    return ""

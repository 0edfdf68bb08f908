"""Recorded requests to an API server, asked again: topics of request and response pairs."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Request
from kubectl_kruise.objects.raw import dig
from kubectl_kruise.sandbox.api.answers import Answer
from kubectl_kruise.sandbox.embedded import Sandbox
from tests.conformance.unify import Bindings, difference

REDUCED = {
    "names": lambda body: [_name(item) for item in body.get("items", [])],
    "conditions": lambda body: dig(body, ("status", "conditions")),
    "replicas": lambda body: dig(body, ("spec", "replicas")),
    "generation": lambda body: dig(body, ("metadata", "generation")),
    "versions": lambda body: [v["name"] for v in dig(body, ("spec", "versions"), [])],
    "storedVersions": lambda body: dig(body, ("status", "storedVersions")),
    "nodeName": lambda body: dig(body, ("spec", "nodeName")),
    "resources": lambda body: dig(body, ("spec", "containers", 0, "resources")),
    "groupsAndVersions": lambda body: None,
    "cells": lambda body: [row["cells"] for row in body.get("rows", [])],
    "grace": lambda body: dig(body, ("spec", "terminationGracePeriodSeconds")),
    "pathKeys": lambda body: sorted(body.get("paths", {})),
}
"""Parts of an answer that recordings show in a shorter form."""


GADGET = Path(__file__).parents[1] / "data" / "apiserver" / "gadget.json"


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
        self.sandbox = Sandbox(VirtualClock(), webhooks=False)
        self.number = 0
        self.running = False
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
        """Play one case; give its first difference."""
        self.running = self._controllers_ran(case)
        shared = self.shared and not case.get("ownNamespace")
        bindings = Bindings(self.shared if shared else self.make_namespace())
        for step in case.get("before", []):
            self._make_room(step["request"])
            if found := self._exchange(step, bindings, part=True):
                return f"before: {found}"
        if "stream" in case["response"]:
            return self._watch(case, bindings)
        if found := self._exchange(case, bindings):
            return found
        for number, step in enumerate(case.get("after", [])):
            if found := self._exchange(step, bindings):
                return f"after[{number}]: {found}"
        return ""

    def _make_room(self, request: dict[str, Any]) -> None:
        """Remove a CRD that an earlier case left behind and this one makes anew."""
        if request["method"] == "POST" and request["path"].endswith("/customresourcedefinitions"):
            self.ask(
                {"method": "DELETE", "path": f"{request['path']}/{_name(request['body'])}"}, Bindings("")
            )

    def ask(self, request: dict[str, Any], bindings: Bindings) -> Answer:
        headers = {"Accept": "application/json", "User-Agent": "recorder", "Content-Type": "application/json"}
        headers |= request.get("headers") or {}
        body = bindings.realise(request["body"]) if "body" in request else None
        data = json.dumps(body).encode() if "body" in request else None
        if "bodyText" in request:
            data = str(bindings.realise(request["bodyText"])).encode()
        if not data:
            headers.pop("Content-Type") if request["method"] == "GET" else None
        answer = self.sandbox.server.handler.handle(
            Request(request["method"], str(bindings.realise(request["path"])), headers, data)
        )
        if self.running:
            self.sandbox.settle()
        return answer

    def _exchange(self, step: dict[str, Any], bindings: Bindings, *, part: bool = False) -> str:
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
        body = json.loads(answer.body)
        wanted = recorded["body"]
        trimmed = bool(recorded.get("trimmed")) or part
        if trimmed:
            body = _with_reductions(body, wanted)
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


def _with_reductions(body: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """Add the short forms that a recording shows in place of parts of an answer."""
    body = body | {key: make(body) for key, make in REDUCED.items() if key in wanted and key not in body}
    spec = body.get("spec") or {}
    body |= {key: spec[key] for key in wanted if key not in body and key in spec}
    if any(isinstance(found, list) for found in wanted.get("versions") or ()):
        switch = "storage" if "storedVersions" in wanted.get("status", {}) else "served"
        body["versions"] = [[v["name"], v[switch]] for v in body["spec"]["versions"]]
    if any(isinstance(found, list) for found in wanted.get("names") or ()):
        body["names"] = [[_name(item), "deletionTimestamp" in item["metadata"]] for item in body["items"]]
    return body


def _name(item: dict[str, Any]) -> Any:
    return item["metadata"]["name"]


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

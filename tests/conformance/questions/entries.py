"""Single questions to a server and what it answered: schemas of the CRDs, admission of the webhooks."""

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlencode

from kubectl_kruise.cluster.http.answers import parse_warnings
from kubectl_kruise.facts.kinds import POD, Kind
from kubectl_kruise.objects.notation.reference import kind_of
from kubectl_kruise.sandbox.embedded import Sandbox
from tests.conformance.comparing.compare import first_difference
from tests.conformance.comparing.normalise import NAMESPACE, Names, normalise
from tests.conformance.questions.admissions import asks_a_webhook, replay_admissions
from tests.conformance.questions.bystanders import bystanders
from tests.conformance.questions.caller import CONTENT_TYPES, Caller, Reply
from tests.conformance.questions.pods import asks_about_pods, replay_about_pods
from tests.conformance.scenarios.world import release_of

ACCESSOR = re.compile(r"accessor error|^<nil>")
RECORDED_URL = re.compile(r"URL \(u\d+\)")
"""Objects were stored under numbers of the recorder's own; their names alone are normalised."""
METHODS = {"create": "POST", "update": "PUT", "patch": "PATCH", "apply": "PATCH", "get": "GET"}


def replay_entries(entries: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Ask our own server what a list of entries asks; give id and first difference of each.

    Entries of the webhooks have an `area`, or objects to `read` afterwards; those of the CRDs are answered without
    webhooks. `kruise` is the release.
    """
    callers: dict[tuple[bool, str], Caller] = {}
    entries = list(entries)
    yield from replay_about_pods(entry for entry in entries if asks_about_pods(entry))
    yield from replay_admissions(entry for entry in entries if asks_a_webhook(entry))
    for entry in entries:
        if asks_about_pods(entry) or asks_a_webhook(entry):
            continue
        world = "area" in entry or "read" in entry, release_of(entry.get("kruise", ""))
        if world not in callers:
            webhooks, release = world
            sandbox = Sandbox(webhooks=webhooks, release=release)
            sandbox.client().create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
            callers[world] = Caller(sandbox.transport)
        try:
            yield entry["id"], check_entry(callers[world], entry)
        except Exception as bug:  # an entry of a kind we do not know must not stop the others
            yield entry["id"], f"cannot be replayed: {bug!r}"


def check_entry(caller: Caller, entry: dict[str, Any]) -> str:
    """Ask what the entry asks and give the first difference; the object is made and removed here."""
    kind, version = _kind(entry)
    path = kind.path(NAMESPACE, version=version)
    name = _object(entry)["metadata"].get("name", "")
    try:
        if difference := _prepare(caller, kind, entry):
            return difference
        live = caller.call("GET", f"{path}/{name}").body
        with bystanders(caller, POD.path(NAMESPACE), live, entry):
            reply = _ask(caller, path, name, entry)
        return (
            answer_difference(entry, reply)
            or _after_difference(caller, kind, name, entry.get("after"))
            or _read_difference(caller, kind, name, entry.get("read") or {})
        )
    finally:
        if name:
            caller.call("DELETE", f"{path}/{name}", {"gracePeriodSeconds": 0})


def _prepare(caller: Caller, kind: Kind, entry: dict[str, Any]) -> str:
    stored = entry.get("stored")
    if stored is None and "from" in entry:
        stored = {"object": entry["from"]}
    if not stored:
        return ""
    made = _realised(stored["object"])
    path = kind.path(NAMESPACE, version=made["apiVersion"].rpartition("/")[2])
    if manager := stored.get("fieldManager"):
        target = f"{path}/{made['metadata']['name']}?fieldManager={manager}"
        reply = caller.call("PATCH", target, made, CONTENT_TYPES["apply"])
    else:
        reply = caller.call("POST", path, made)
    if reply.code >= 300:
        return f"could not store: {reply.code} {reply.body}"
    if "status" in made:
        body = reply.body | {"status": made["status"]}
        reply = caller.call("PUT", f"{path}/{made['metadata']['name']}/status", body)
    return "" if reply.code < 300 else f"could not store the status: {reply.code} {reply.body}"


def _ask(caller: Caller, path: str, name: str, entry: dict[str, Any]) -> Reply:
    do = entry["do"]
    verb = do.get("verb") or next(verb for verb in METHODS if verb in do)
    body = _realised(do.get(verb) if "verb" not in do else do.get("patch", do.get("object")))
    query = do.get("query") or ""
    query = f"?{urlencode(query) if isinstance(query, dict) else query}" if query else ""
    target = path if verb == "create" else f"{path}/{name}"
    target += f"/{do['subresource']}" if do.get("subresource") else ""
    method, content = METHODS[verb], "application/json"
    if verb in {"patch", "apply"} or "patchType" in do:
        method, content = (
            "PATCH",
            CONTENT_TYPES["apply" if verb == "apply" else do.get("patchType") or "merge"],
        )
    if verb == "get":
        body = None
    if isinstance(body, dict) and body.get("metadata", {}).get("resourceVersion") == "RV":
        live = caller.call("GET", f"{path}/{name}").body
        body = body | {
            "metadata": body["metadata"] | {"resourceVersion": live["metadata"]["resourceVersion"]}
        }
    return caller.call(method, target + query, body, content)


def answer_difference(entry: dict[str, Any], reply: Reply) -> str:
    """Compare an answer with the recorded one: code, object, reason, message, causes, warnings."""
    if entry["code"] != reply.code:
        return f"code: recorded {entry['code']}, ours {reply.code} {reply.body}"
    if "object" in entry:
        ours = _plain(reply.body)
        if difference := first_difference(_plain(entry["object"]), ours, "object"):
            return difference
    if "message" in entry:
        if difference := first_difference(entry.get("reason"), reply.body.get("reason"), "reason"):
            return difference
        if difference := _text_difference(entry, reply.body):
            return difference
    wanted = entry.get("warning") or []
    texts = [text for header in ([wanted] if isinstance(wanted, str) else wanted) for text in _texts(header)]
    return first_difference(sorted(texts), sorted(reply.warnings), "warnings")


def _texts(header: str) -> list[str]:
    """Give the texts of a recorded warning: the text itself, or the whole header."""
    return parse_warnings(header) if header.startswith("299 ") else [header]


def _text_difference(entry: dict[str, Any], body: Any) -> str:
    """Compare message and causes; several causes come in any order, those of the scale accessor may be missing."""
    theirs, ours = _causes(entry.get("causes")), _causes(body.get("details", {}).get("causes"))
    if (entry.get("causes") or "[…]" in entry["message"]) and not _same_causes(theirs, ours):
        return f"causes: recorded {sorted(theirs - ours)}, ours {sorted(ours - theirs)}"
    if "[…]" in entry["message"] or len(entry.get("causes") or []) != len(
        body.get("details", {}).get("causes") or []
    ):
        return ""
    message = normalise(body.get("message", ""), Names()).replace(NAMESPACE, "NS")
    wanted = RECORDED_URL.sub(f"URL ({_object(entry)['metadata'].get('name')})", entry["message"])
    return "" if _fits(wanted, message) else f"message: recorded {wanted}, ours {message}"


def _fits(recorded: str, ours: str) -> bool:
    """Compare texts in which `(OBJECT)` and `(POINTER)` stand for anything."""
    pattern = re.escape(recorded).replace(re.escape("(OBJECT)"), ".*").replace(re.escape("(POINTER)"), ".*")
    return re.fullmatch(pattern, ours, re.DOTALL) is not None


def _same_causes(theirs: set[tuple[str, str, str]], ours: set[tuple[str, str, str]]) -> bool:
    return len(theirs) == len(ours) and all(
        any(cause[:2] == other[:2] and _fits(cause[2], other[2]) for other in ours) for cause in theirs
    )


def _causes(causes: Any) -> set[tuple[str, str, str]]:
    return {
        (cause.get("reason", ""), cause.get("field", ""), cause.get("message", ""))
        for cause in causes or []
        if not ACCESSOR.search(cause.get("message", "")) and cause.get("field") != "<nil>"
    }


def _after_difference(caller: Caller, kind: Kind, name: str, after: dict[str, Any] | None) -> str:
    """Compare what a GET through another version gives afterwards."""
    if after is None:
        return ""
    live = caller.call("GET", kind.path(NAMESPACE, name, version=after["version"])).body
    return first_difference(_plain(after["object"]), _plain(live), "after")


def _read_difference(caller: Caller, kind: Kind, name: str, read: dict[str, Any]) -> str:
    """Compare what every version shows, but for the template and the status, which the recording leaves out."""
    for version, wanted in read.items():
        live = _plain(caller.call("GET", kind.path(NAMESPACE, name, version=version)).body)
        live["spec"].pop("template")
        live.pop("status", None)
        if difference := first_difference(_plain(wanted), live, version):
            return difference
    return ""


def _plain(value: Any) -> Any:
    found = normalise(value, Names())
    if isinstance(found, dict):
        for part in ("metadata", "details"):
            found.get(part, {}).pop("uid", None)
    return found


def _object(entry: dict[str, Any]) -> Any:
    do = entry["do"]
    stored = entry.get("stored") or {}
    stored = stored[-1] if isinstance(stored, list) else stored.get("object", stored)
    return (
        entry.get("from")
        or do.get("object")
        or do.get("create")
        or stored
        or do.get("update")
        or do.get("apply")
    )


def _kind(entry: dict[str, Any]) -> tuple[Kind, str]:
    raw = _object(entry)
    found = kind_of(raw["apiVersion"], raw["kind"])
    if found is None:
        raise LookupError(f"kind {raw['apiVersion']}/{raw['kind']}")
    return found.kind, entry.get("version", found.version)


def _realised(value: Any) -> Any:
    return Names().realise(value)

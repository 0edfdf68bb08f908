"""Plays a recorded migration again: the same requests in the same order, our controllers in between."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from kubectl_kruise.facts.kinds import CLONESET, KINDS, NATIVE_STATEFULSET, PDB, Kind
from kubectl_kruise.objects.pod import ready, statuses_of
from kubectl_kruise.objects.raw import Raw, deleting, labels_of, name_of, owner_of, uid_of
from tests.conformance.comparing.compare import first_difference
from tests.conformance.comparing.normalise import NAMESPACE, Names, normalise
from tests.conformance.comparing.writes import TOPOLOGY, Write
from tests.conformance.questions.caller import CONTENT_TYPES, Caller, Reply
from tests.conformance.rehearsed import hand_over
from tests.conformance.stage import BY, Done, Stage

NATIVE = "native."
"""What a recording puts before the resource that Kruise has too."""
TOLD = ("generation", "finalizers", "labels", "annotations", "ownerReferences", "deletionTimestamp")
"""What of an object's metadata a recorded answer tells."""
TOLD_OF_SPEC = ("replicas", "scaleStrategy", "updateStrategy")
COUNTED = {
    "clonesets": ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas", "updateRevision"),
    "statefulsets": ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas", "updateRevision"),
    "deployments": (
        "observedGeneration",
        "replicas",
        "readyReplicas",
        "availableReplicas",
        "updatedReplicas",
    ),
    "replicasets": ("replicas", "readyReplicas", "availableReplicas", "observedGeneration"),
    "poddisruptionbudgets": ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"),
}
"""The counters of the last status written by each controller that have to be the same."""


def is_flow(recording: dict[str, Any]) -> bool:
    return {"start", "requests", "controllers"} <= recording.keys()


def replay_flow(recording: dict[str, Any]) -> str:
    """Play one flow; give "" when everything agrees, else the first difference."""
    flow = _Flow(recording)
    return flow.begin() or flow.play() or flow.end()


class _Flow:
    def __init__(self, recording: dict[str, Any]) -> None:
        self.recording = recording
        self.stage = Stage(recording)
        self.caller = Caller(self.stage.sandbox.transport)
        written = [found for found in _told_once(recording["controllers"]) if found["by"] in BY]
        self.theirs = [Done(BY[found["by"]], _recorded(found)) for found in written]
        self.after = [found["after"] for found in written]
        self.free = _races(recording)
        self.ours: Counter[tuple[str, ...]] = Counter()

    def begin(self) -> str:
        for made in self.recording["start"]["objects"]:
            kind = next(kind for kind in KINDS if kind.kind == made["kind"] and kind.group == _group(made))
            reply = self.caller.call("POST", kind.path(NAMESPACE, version=_version(made)), made)
            if reply.code != 201:
                return f"start: {reply.code} {reply.body}"
        self.stage.run_until_quiet()
        first = self.recording["requests"][0]
        if first["step"] == "C1" and made["apiVersion"] == first["body"]["apiVersion"]:
            # What goes back has gone there before.
            hand_over(self.stage, name_of(made))
        self.stage.take()
        return self._pods_difference("before")

    def play(self) -> str:
        """Send every request, and let the controllers do in between what they had done by then.

        A write may show up before the answer to the request that led to it: it has to be there one request later.
        """
        due = self._counted(self._written(0))
        for number, request in enumerate(self.recording["requests"], 1):
            if self._follows_up(number) and (difference := self._pods_difference("after")):
                return difference
            if difference := self._one(request):
                return f"request {number} ({request['step']}): {difference}"
            wanted = due + self._counted(self._written(number))
            self.stage.run_until(lambda wanted=wanted: self._has(wanted))  # type: ignore[misc]
            if number < min(self.after, default=0):
                # Before its first write nobody's writes were recorded.
                self.stage.run_until_quiet()
                self.stage.take()
            if not self._has(due):
                return f"request {number} ({request['step']}): controllers have not done {_first(due - self.ours)}"
            due = wanted
        self.stage.run_until_quiet()
        self._take()
        if difference := _difference(due, self.ours):
            return difference
        return "" if self._follows_up(None) else self._pods_difference("after")

    def end(self) -> str:
        return self._statuses_difference()

    def _written(self, number: int) -> Iterator[Done]:
        """Give what controllers wrote between this request and the next one."""
        return (done for done, after in zip(self.theirs, self.after, strict=True) if after == number)

    def _counted(self, writes: Iterable[Done]) -> Counter[tuple[str, ...]]:
        return Counter(intent for intent in _intents(writes) if intent[:3] not in self.free)

    def _follows_up(self, number: int | None) -> bool:
        """Say whether this request is the first after the migration itself, None for whether there is one at all."""
        found = [
            at for at, each in enumerate(self.recording["requests"], 1) if str(each["step"]).startswith("F")
        ]
        return bool(found) if number is None else found[:1] == [number]

    def _one(self, request: dict[str, Any]) -> str:
        if "poll" in request:
            self.stage.run_until_quiet()
            return ""
        if "do" in request:
            return self._note(request)
        return self._answer_difference(request, self._send(request))

    def _note(self, request: dict[str, Any]) -> str:
        """Let the time pass that a note tells of, and compare the status of a budget where it tells one."""
        told = f"{request['step']} {request['do']}"
        if seconds := re.search(r"(\d+) s (?:later|pass)", told):
            self.stage.sandbox.run(float(seconds[1]))
        if not request["do"].startswith(PDB.kind):
            return ""
        self.stage.run_until_quiet()
        live = self.caller.call("GET", PDB.path(NAMESPACE, self._budget())).body.get("status", {})
        wanted = json.loads(request["do"].partition("status")[2].partition(": ")[2])
        return first_difference(wanted, {key: live.get(key) for key in wanted}, PDB.kind)

    def _budget(self) -> str:
        made = self.recording["start"]["objects"]
        return next(name_of(each) for each in made if each["kind"] == PDB.kind)

    def _send(self, request: dict[str, Any]) -> Reply:
        plural, _, subresource = request["resource"].partition("/")
        kind = _kind_of(plural)
        body = self._realised(request.get("body"), kind, request)
        name = self.stage.names.realise(request["name"])
        kruise = kind.group == CLONESET.group
        version = _version(body) if isinstance(body, dict) and kruise and not subresource else ""
        posted = request["verb"] == "POST" and not subresource
        target = kind.path(NAMESPACE, "" if posted else name, version=version, subresource=subresource)
        if params := request.get("params"):
            target += "?" + "&".join(f"{key}={value}" for key, value in params.items())
        content = CONTENT_TYPES.get(request.get("type") or "", "application/json")
        return self.caller.call(request["verb"], target, body, content)

    def _realised(self, body: Any, kind: Kind, request: dict[str, Any]) -> Any:
        """Put our names, uids and versions in. A version is that of the moment, but a stale one where it was refused."""
        made = self.stage.uids.realise(self.stage.names.realise(body), kind.group)
        if '"RV"' not in json.dumps(made):
            return made
        live = self.caller.call("GET", kind.path(NAMESPACE, self.stage.names.realise(request["name"]))).body
        version = "1" if request["code"] == 409 else live["metadata"]["resourceVersion"]
        return json.loads(json.dumps(made).replace('"RV"', f'"{version}"'))

    def _answer_difference(self, request: dict[str, Any], reply: Reply) -> str:
        if request["code"] != reply.code:
            return f"recorded {request['code']}, ours {reply.code} {str(reply.body)[:300]}"
        told = request.get("answer") or {}
        if not told or request["resource"] == "configmaps":
            return ""
        ours = normalise(self.stage.uids.recall(reply.body), self.stage.names)
        if reply.code >= 400:
            return first_difference(told, {key: ours.get(key) for key in told}, "answer")
        if "status" in told and not isinstance(told["status"], dict):
            return first_difference(told["status"], ours.get("status"), "answer")
        meta, spec, status = ours.get("metadata", {}), ours.get("spec", {}), ours.get("status", {})
        found = {key: meta.get(key) for key in TOLD} | {key: spec.get(key) for key in TOLD_OF_SPEC}
        theirs = {key: told.get(key) for key in found}
        if request["resource"].endswith("/scale"):
            found, theirs = {"replicas": spec.get("replicas")}, {"replicas": told.get("replicas")}
        for side in (found, theirs):
            side["labels"] = _plain_labels(side.get("labels"))
        if kept := told.get("status"):
            # How far a controller has counted at that moment is chance; who is named is not.
            fixed = [key for key in kept if "evision" in key]
            theirs["status"], found["status"] = ({key: of.get(key) for key in fixed} for of in (kept, status))
        return first_difference(_present(theirs), _present(found), "answer")

    def _take(self) -> None:
        self.ours += self._counted(self.stage.take())

    def _has(self, wanted: Counter[tuple[str, ...]]) -> bool:
        self._take()
        return not wanted - self.ours

    def _pods_difference(self, moment: str) -> str:
        recorded, ours = (
            [_known(pod) for pod in pods if not pod["deleting"]]
            for pods in (self.recording[moment].get("pods", []), map(self._shown, self.stage.pods()))
        )
        if len({pod["uid"] for pod in recorded}) < len(recorded):
            # Pods of one name, one after the other, are not told apart there.
            recorded, ours = ([pod | {"uid": ""} for pod in pods] for pods in (recorded, ours))
        return first_difference(sorted(recorded, key=_rank), sorted(ours, key=_rank), moment)

    def _shown(self, pod: Raw) -> dict[str, Any]:
        owner = owner_of(pod)
        found = {
            "name": name_of(pod),
            "uid": uid_of(pod),
            "restarts": sum(each.get("restartCount", 0) for each in statuses_of(pod).values()),
            "ready": ready(pod),
            "deleting": deleting(pod),
            "owner": f"{owner['kind']}/{owner['name']}" if owner else None,
            "labels": labels_of(pod),
            "readinessGates": [gate["conditionType"] for gate in pod["spec"].get("readinessGates") or []],
        }
        shown: dict[str, Any] = normalise(self.stage.uids.recall(found), self.stage.names)
        return shown

    def _statuses_difference(self) -> str:
        """Compare what each controller counted last, where the object is still there."""
        last: dict[tuple[str, str], dict[str, Any]] = {}
        for found in self.recording["controllers"]:
            plural = found["resource"].partition("/")[0]
            if found["resource"] == f"{plural}/status" and plural in COUNTED and found["code"] == 200:
                native = plural == "statefulsets" and found["group"] == NATIVE_STATEFULSET.group
                last[f"native.{plural}" if native else plural, found["name"]] = found.get("status") or {}
        for (resource, name), recorded in last.items():
            plural = resource.removeprefix(NATIVE)
            reply = self.caller.call("GET", _kind_of(resource).path(NAMESPACE, name))
            if reply.code != 200:
                continue
            status = normalise(reply.body.get("status") or {}, self.stage.names)
            keys = [key for key in COUNTED[plural] if key in recorded]
            theirs, ours = ({key: of.get(key) for key in keys} for of in (recorded, status))
            if difference := first_difference(theirs, ours, f"{plural}/{name} status"):
                return difference
        return ""


def _told_once(controllers: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Leave out repeated deletions of one pod: a controller sends another where it has not seen its own yet."""
    deleted: set[str] = set()
    for found in controllers:
        if found["resource"] == "pods" and found["verb"] in {"create", "delete"}:
            if found["verb"] == "delete" and found["name"] in deleted:
                continue
            (deleted.add if found["verb"] == "delete" else deleted.discard)(found["name"])
        yield found


def _races(recording: dict[str, Any]) -> frozenset[tuple[str, str, str]]:
    """Give the writes that are chance: by whom, what is done, and to what.

    While an Advanced StatefulSet is being deleted, its manager and the native controller try to take its revisions, and the
    latter its pods, as soon as the collector lets go of them, if the user was not quicker; what nobody has got is
    collected (migration.md §2.2 A16).
    """
    if not any(each["step"] == "C3" for each in recording["requests"]):
        return frozenset()
    revisions = {
        (by, verb, "controllerrevisions")
        for by in set(BY.values())
        for verb in ("create", "patch", "update", "delete")
    }
    pods = {(by, "patch", "pods") for by in ("gc", "native")}
    return frozenset(revisions | pods)


def _recorded(found: dict[str, Any]) -> Write:
    body = found.get("patch", found.get("options", found))
    return Write(found["verb"], found["resource"], found["name"], found["code"], normalise(body, Names()))


def _intents(writes: Iterable[Done]) -> Iterator[tuple[str, ...]]:
    """Give what was wanted, and by whom; statuses and writes that were refused are free."""
    for by, write in writes:
        if write.code >= 400 or write.resource.partition("/")[2] or write.resource in {"events", "leases"}:
            continue
        body = write.body if isinstance(write.body, dict) else {}
        detail = ""
        match write.verb:
            case "patch":
                detail = json.dumps(body, sort_keys=True)
            case "delete":
                detail = json.dumps(body.get("propagationPolicy", ""))
            case "create":
                meta = body.get("metadata", {})
                owners = [
                    (owner["kind"], owner["name"], owner["uid"]) for owner in meta.get("ownerReferences", [])
                ]
                kept = {"labels": _plain_labels(meta.get("labels")), "owners": owners}
                if write.resource != "pods":
                    kept["annotations"] = meta.get("annotations") or {}
                detail = json.dumps(kept, sort_keys=True)
        # Which of several equal pods a controller deletes or makes first is chance.
        name = (
            ""
            if write.resource == "pods" and write.verb in {"create", "delete"} and by != "gc"
            else write.name
        )
        yield by, write.verb, write.resource, name, detail


def _plain_labels(labels: dict[str, str] | None) -> dict[str, str]:
    return {key: value for key, value in (labels or {}).items() if key not in TOPOLOGY}


def _known(pod: dict[str, Any]) -> dict[str, Any]:
    keys = ("name", "uid", "restarts", "ready", "deleting", "owner", "readinessGates")
    return {key: pod.get(key) for key in keys} | {"labels": _plain_labels(pod["labels"])}


def _rank(pod: dict[str, Any]) -> tuple[int, str]:
    """Give the place of a pod by its name: in order of creation, or of ordinals."""
    number = pod["name"].rpartition("-")[2].removeprefix("p")
    return int(number), pod["name"]


def _present(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value}


def _kind_of(resource: str) -> Kind:
    """Give the kind of a resource; `native.statefulsets` is that of Kubernetes itself."""
    plural = resource.removeprefix(NATIVE)
    if plural != resource:
        return NATIVE_STATEFULSET
    return next(kind for kind in KINDS if kind.plural == plural)


def _group(made: Raw) -> str:
    return str(made["apiVersion"]).rpartition("/")[0]


def _version(made: Any) -> str:
    return str(made.get("apiVersion", "")).rpartition("/")[2]


def _first(wanted: Counter[tuple[str, ...]]) -> str:
    return " ".join(next(iter(wanted), ()))[:500]


def _difference(wanted: Counter[tuple[str, ...]], ours: Counter[tuple[str, ...]]) -> str:
    if left := wanted - ours:
        return f"controllers have not done {_first(left)}"
    extra = Counter(
        {what: times for what, times in (ours - wanted).items() if what[1] != "update" or what not in wanted}
    )
    return f"controllers have also done {_first(extra)}" if extra else ""

"""Questions to a webhook that looks at pods: a simulated cluster holds those that the entry's `world` tells of."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from kubectl_kruise.engine.gates import resolve_gates
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.objects.notation.reference import kind_of
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.simulation import RECORDED, build
from tests.conformance.comparing.compare import first_difference
from tests.conformance.comparing.normalise import NAMESPACE, Names, normalise
from tests.conformance.questions.caller import CONTENT_TYPES, Caller

MAIN = {"name": "main", "image": "nginx:1"}
SIDE = {"name": "side", "image": "side:1"}
PODS: dict[str, Raw] = {
    "p": {"containers": [MAIN, SIDE]},
    "pending": {"containers": [MAIN], "schedulingGates": [{"name": "hold"}]},
    "bad": {"containers": [{"name": "main", "image": "bad:1"}, SIDE]},
    "done": {"containers": [{"name": "main", "image": "complete:1"}], "restartPolicy": "Never"},
    "init": {
        "initContainers": [
            {"name": "setup", "image": "setup:1"},
            {"name": "sidecar", "image": "sidecar:1", "restartPolicy": "Always"},
        ],
        "containers": [MAIN],
    },
}
NODE = re.compile(r"\bfake-\d\b")


def asks_about_pods(entry: dict[str, Any]) -> bool:
    return "world" in entry and _about(entry)["kind"] == "ContainerRecreateRequest"


def replay_about_pods(entries: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Ask what each entry asks; give its id and the first difference. Every entry finds the pods as they were."""
    worlds: dict[str, Caller] = {}
    for entry in entries:
        gates = json.dumps(entry.get("gates") or {})
        if gates not in worlds:
            worlds[gates] = _world(json.loads(gates))
        yield entry["id"], _difference(worlds[gates], entry)


def _world(gates: dict[str, bool]) -> Caller:
    sandbox = Sandbox(gates=resolve_gates(gates))
    sandbox.add(*build(sandbox.client("kubelet"), sandbox.clock, RECORDED))
    user = sandbox.client("recording", namespace=NAMESPACE)
    user.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    for name, spec in PODS.items():
        user.create(POD.path(NAMESPACE), {"metadata": {"name": name}, "spec": spec})
    sandbox.run(10)
    return Caller(sandbox.transport)


def _difference(caller: Caller, entry: dict[str, Any]) -> str:
    do, about = entry["do"], _about(entry)
    found = kind_of(about["apiVersion"], about["kind"])
    if found is None:
        return f"kind {about['kind']} is not known"
    path = found.kind.path(NAMESPACE, version=do.get("version") or found.version)
    named = f"{path}/{about['metadata']['name']}"
    try:
        for stored in entry.get("stored") or []:
            caller.call("POST", path, stored)
        if do["verb"] == "create":
            reply = caller.call("POST", path, do["object"])
        else:
            reply = caller.call("PATCH", named, do["body"], CONTENT_TYPES[do["type"]])
    finally:
        caller.call("DELETE", named, {"gracePeriodSeconds": 0})
    ours = {
        "code": reply.code,
        "reason": reply.body.get("reason"),
        "message": reply.body.get("message"),
        "object": reply.body if reply.code < 300 else None,
        "warning": list(reply.warnings) or None,
    }
    theirs = {key: entry.get(key) for key in ours}
    return first_difference(_plain(theirs), _plain(ours), "answer")


def _about(entry: dict[str, Any]) -> Raw:
    stored = entry.get("stored") or [None]
    about: Raw = (
        entry["do"].get("object") or (stored[0] if isinstance(stored, list) else None) or {"kind": ""}
    )
    return about


def _plain(value: Any) -> Any:
    text = NODE.sub("NODE", json.dumps(normalise(value, Names())).replace("containerd://CID", "CID"))
    found = json.loads(text)
    if found["object"]:
        found["object"]["metadata"].pop("uid", None)
    return found

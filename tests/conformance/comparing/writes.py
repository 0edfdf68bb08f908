"""What a controller wrote, as intents: the same whether seen in a recording or in our own requests."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kubectl_kruise.cluster.port import Request, Response, Stream, Transport
from kubectl_kruise.facts.names import LAUNCH_COMPLETED

RACE = "the object has been modified"
TOPOLOGY = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")
_PATH = re.compile(
    r"^/(?:api/v1|apis/[^/]+/[^/]+)(?:/namespaces/[^/]+)?/([a-z]+)(?:/([^/?]+))?(?:/([a-z]+))?(?:\?|$)"
)
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


class Write(NamedTuple):
    """One write: `body` is the patch, or the object as the recordings reduce it."""

    verb: str
    resource: str
    name: str
    code: int
    body: Any


class WriteLog:
    """A transport that passes everything on and remembers the writes."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.writes: list[Write] = []

    def send(self, request: Request) -> Response:
        response = self._inner.send(request)
        if request.method in _VERBS and (path := _PATH.match(request.target)) is not None:
            self._note(request, response, path)
        return response

    def open(self, request: Request) -> Stream:
        return self._inner.open(request)

    def take(self) -> list[Write]:
        taken, self.writes = self.writes, []
        return taken

    def _note(self, request: Request, response: Response, path: re.Match[str]) -> None:
        body = json.loads(request.body) if request.body else {}
        verb = _VERBS[request.method]
        plural, name, subresource = path[1], path[2], path[3]
        resource = f"{plural}/{subresource}" if subresource else plural
        if plural in ("events", "configmaps"):
            return  # the recordings leave both out: barriers of launch priorities are config maps
        if not name:
            answer = json.loads(response.body)
            name = (answer if response.status < 300 else body).get("metadata", {}).get("name", "")
        self.writes.append(Write(verb, resource, name, response.status, body))


NATIVE = frozenset({None, "deployment-controller", "replicaset-controller"})
"""Who a recording of native controllers says its writes are by; of one controller alone it says nothing."""


def recorded_writes(step: dict[str, Any], *, native: bool = False) -> list[Write]:
    """Read the manager's own writes of a step, or those of the native controllers."""
    return [
        Write(w["verb"], w["resource"], w["name"], w["code"], w.get("patch", w.get("object")))
        for w in step["writes"]
        if (w.get("by") in NATIVE if native else "by" not in w)
        for _ in range(w.get("times", 1))
    ]


def done(writes: Iterable[Write]) -> Iterator[Write]:
    """Leave out what a lost race refused: such writes are repeated, and how often is chance.

    So is whether a deletion that is sent again finds the object gone.
    """
    return (write for write in writes if write.code != 409 and (write.verb, write.code) != ("delete", 404))


def intent(write: Write) -> tuple[str, ...] | None:
    """Give what a write wants, in a form that can be compared; None for one whose number and content are free.

    Status writes of the workload are free; the last one shows in the settled state.
    """
    body = write.body or {}
    match write.verb, write.resource:
        case _, "pods/status":
            wanted = {
                c["type"]: c for c in body.get("conditions") or body.get("status", {}).get("conditions", [])
            }
            if write.verb == "patch" and "KruisePodReady" in wanted:
                return ("gate", "KruisePodReady", wanted["KruisePodReady"]["status"])
            gate = wanted.get("InPlaceUpdateReady", {})
            return ("gate", "InPlaceUpdateReady", gate.get("status", ""), gate.get("reason", ""))
        case "create" | "update", "pods":
            return (f"{write.verb} pods", str(write.code // 100), _text(_pod(body)))
        case "create" | "update", "persistentvolumeclaims":
            return (f"{write.verb} persistentvolumeclaims", str(write.code // 100), _text(_claim(body)))
        case "patch", "pods" | "persistentvolumeclaims":
            return (f"patch {write.resource}", _text(body))
        case "create" | "update", "controllerrevisions":
            kept = {key: body.get(key) for key in ("data", "revision")}
            meta = body.get("metadata", {})
            kept |= {key: meta.get(key) for key in ("labels", "annotations")}
            return (f"{write.verb} controllerrevisions", _text(kept))
        case "create", "imagepulljobs":
            kept = {key: body.get("metadata", {}).get(key) for key in ("labels", "annotations")}
            return ("create imagepulljobs", str(write.code // 100), _text(kept | {"spec": body.get("spec")}))
        case _, resource if resource.endswith("/status"):
            return None
        case "update", _:
            return (f"update {write.resource}", _text(body.get("spec")))
        case _:
            return (f"{write.verb} {write.resource}", str(write.code // 100))


def _pod(body: dict[str, Any]) -> dict[str, Any]:
    meta, spec = body.get("metadata", {}), body.get("spec", {})
    images = body.get("images") or {c["name"]: c["image"] for c in spec.get("containers", [])}
    gates = body.get("readinessGates") or spec.get("readinessGates") or []
    labels = {key: value for key, value in (meta.get("labels") or {}).items() if key not in TOPOLOGY}
    # When the barriers of the pod have become empty is noted by a controller of its own, between any two other writes.
    annotations = {k: v for k, v in (meta.get("annotations") or {}).items() if k != LAUNCH_COMPLETED} or None
    return {
        "labels": labels,
        "annotations": annotations,
        "generateName": meta.get("generateName"),
        "images": images,
        "gates": [gate["conditionType"] for gate in gates],
    }


def _claim(body: dict[str, Any]) -> dict[str, Any]:
    meta, spec = body.get("metadata", {}), body.get("spec", {})
    return {
        "labels": meta.get("labels"),
        "annotations": meta.get("annotations"),
        "owners": meta.get("ownerReferences"),
        "spec": {"volumeMode": "Filesystem"} | spec,
    }


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def pace(writes: Iterable[Write]) -> dict[str, int]:
    """Measure how much a controller did at once: the longest runs, and pods in the air during in-place updates.

    A run counts pods: a deletion may be sent again for one that ends already.
    """
    peaks = {"labelled": 0, "deleted": 0, "created": 0, "updating": 0}
    run, named = "", set[str]()
    updating: set[str] = set()
    for write in writes:
        kind = primary(write) if write.code < 300 else ""
        if kind == "updating":
            updating.add(write.name)
            peaks["updating"] = max(peaks["updating"], len(updating))
        elif kind == "settled":
            updating.discard(write.name)
        elif kind in peaks:
            run, named = kind, named | {write.name} if kind == run else {write.name}
            peaks[kind] = max(peaks[kind], len(named))
    return peaks


def one_by_one(writes: Iterable[Write]) -> list[str]:
    """Give the pods in the order of their updates, where each began after the one before had settled or gone."""
    order: list[str] = []
    updating: set[str] = set()
    for write in writes:
        kind = primary(write) if write.code < 300 else ""
        if kind in {"settled", "deleted"}:
            updating.discard(write.name)
        elif kind in {"updating", "labelled"}:
            if updating - {write.name}:
                return []
            updating.add(write.name)
            order.append(write.name)
    return list(dict.fromkeys(order))


def chooses(write: Write) -> bool:
    """Say whether a write is one for which the manager picks among pods."""
    return primary(write) in {"deleted", "labelled", "updating", "preparing"}


def primary(write: Write) -> str:
    """Say what a write does to a pod that matters to how many are in service, "" for anything else."""
    text = _text(write.body)
    match write.verb, write.resource:
        case "create", "pods":
            return "created"
        case "delete", "pods":
            return "deleted"
        case "patch", "pods" if "specified-delete" in text:
            return "labelled"
        case "update", "pods" if "Updating" in text:
            return "updating"
        case "patch", "pods" if "PreparingUpdate" in text:
            return "preparing"
        case "patch", "pods" if '"Normal"' in text:
            return "settled"
        case _:
            return ""

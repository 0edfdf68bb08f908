"""Sets and pods in the notation of the specification's worked examples (advanced-statefulset.md §21).

Pods are written `0:r1+ 1:r2- 2:r1T`: ordinal, revision, marks. `+` is available, `-` created but not ready, `~5` ready
for 5 seconds, `T` terminating, `F` failed, `P` pending, `D` chosen for deletion. Several marks may stand together.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.statefulset import steps as made
from kubectl_kruise.engine.statefulset.plan import plan_pass
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.engine.statefulset.slots import assign_slots
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet, read_statefulset
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import name_of

NOW = 1_800_000_000.0
START_ORDINAL = Gates(start_ordinal=True)
TEMPLATE: dict[str, Any] = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {
        "containers": [{"name": "main", "image": "a:1"}],
        "readinessGates": [{"conditionType": "InPlaceUpdateReady"}],
    },
}
_ENTRY = re.compile(r"(\d+)(?::(r\d+))?((?:[+\-TFPD]|~\d+)*)")
_MARK = re.compile(r"[+\-TFPD]|~\d+")


def statefulset(
    text: str = "", *, gates: Gates | None = None, template: Any = None, status: Any = None, **spec: Any
) -> AdvancedStatefulSet:
    """Read `PA part 2 mu 3 smu 2 ready 60 paused` and fields of the spec by their names; OrderedReady unless `PA`."""
    rolling: dict[str, Any] = {}
    words = iter(text.split())
    fields: dict[str, Any] = {"replicas": 3}
    for word in words:
        match word:
            case "PA":
                fields["podManagementPolicy"] = "Parallel"
            case "OR":
                fields["podManagementPolicy"] = "OrderedReady"
            case "part" | "ready" | "grace":
                _put(rolling, word, int(next(words)))
            case "mu":
                rolling["maxUnavailable"] = _share(next(words))
            case "smu":
                fields["scaleStrategy"] = {"maxUnavailable": _share(next(words))}
            case "n":
                fields["replicas"] = int(next(words))
            case "paused":
                rolling["paused"] = True
            case "InPlaceIfPossible" | "InPlaceOnly":
                rolling["podUpdatePolicy"] = word
            case _:
                raise ValueError(word)
    fields["updateStrategy"] = {"type": "RollingUpdate", "rollingUpdate": rolling | spec.pop("rolling", {})}
    raw = {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "ns", "uid": "set", "generation": 1, **spec.pop("meta", {})},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": template or TEMPLATE,
            **fields,
            **spec,
        },
        "status": status or {},
    }
    return read_statefulset(raw, gates)


def revision(name: str, image: str = "", **template: Any) -> dict[str, Any]:
    """A ControllerRevision whose image is that of its name, or whose template differs as said."""
    base = template or {
        **TEMPLATE,
        "spec": {
            **TEMPLATE["spec"],
            "containers": [{"name": "main", "image": image or f"a:{name.removeprefix('r')}"}],
        },
    }
    return {
        "metadata": {"name": name, "uid": f"uid-{name}"},
        "data": {"spec": {"template": {"$patch": "replace", **base}}},
    }


def pod(
    ordinal: int,
    of: str = "r1",
    marks: str = "+",
    *,
    state: str = "Normal",
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    finalizers: Sequence[str] = (),
    spec: Mapping[str, Any] | None = None,
    status: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A pod of the set; without a mark of readiness it is ready since long ago."""
    seen = _MARK.findall(marks)
    name, phase = f"web-{ordinal}", "Failed" if "F" in seen else "Pending" if "P" in seen else "Running"
    ready = phase == "Running" and "-" not in seen
    since = next((float(mark[1:]) for mark in seen if mark[0] == "~"), 1000.0)
    one: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "ns",
            "uid": f"uid-{name}",
            "labels": {
                "app": "web",
                "controller-revision-hash": of,
                "statefulset.kubernetes.io/pod-name": name,
                **({"lifecycle.apps.kruise.io/state": state} if state else {}),
                **({"apps.kruise.io/specified-delete": "false"} if "D" in seen else {}),
                **(labels or {}),
            },
            "annotations": dict(annotations or {}),
            **({"finalizers": list(finalizers)} if finalizers else {}),
            **({"deletionTimestamp": rfc3339(NOW - 1)} if "T" in seen else {}),
        },
        "spec": {
            **TEMPLATE["spec"],
            "containers": [{"name": "main", "image": f"a:{of.removeprefix('r')}"}],
            **(spec or {}),
        },
        "status": {
            "phase": phase,
            "conditions": [
                {
                    "type": "Ready",
                    "status": "True" if ready else "False",
                    "lastTransitionTime": rfc3339(NOW - since),
                },
                {"type": "InPlaceUpdateReady", "status": "True"},
            ],
            "containerStatuses": [
                {"name": "main", "image": f"a:{of.removeprefix('r')}", "imageID": f"id-{of}", "ready": ready}
            ],
            **(status or {}),
        },
    }
    return one


def pods(text: str, **common: Any) -> list[dict[str, Any]]:
    """Read the notation of the module; pods without a revision are of r1."""
    found = []
    for token in text.split():
        entry = _ENTRY.fullmatch(token)
        if entry is None:
            raise ValueError(token)
        found.append(pod(int(entry[1]), entry[2] or "r1", entry[3] or "+", **common))
    return found


def situation(
    view: AdvancedStatefulSet,
    listed: Sequence[dict[str, Any]],
    *,
    current: dict[str, Any] | None = None,
    update: dict[str, Any] | None = None,
    claims: Callable[[str], Any] = lambda _: None,
    expecting: str = "",
    others: Sequence[dict[str, Any]] = (),
    now: float = NOW,
) -> Situation:
    """A pass from r1 to r2 unless said otherwise; `others` are further revisions that are known."""
    current, update = current or revision("r1"), update or revision("r2")
    slots = assign_slots(view, listed, current=current, update=update, now=now)
    return Situation(
        view=view,
        slots=slots,
        current=current,
        update=update,
        revisions=[current, update, *others],
        claims=claims,
        now=now,
        expecting=expecting,
    )


def decide(at: Situation) -> str:
    """Give the pass in the words of the worked examples, by phases: `create 3@r2, delete 1; in place 4`."""
    phases = [", ".join(_word(step) for step in phase.steps) for phase in plan_pass(at)]
    return "; ".join(filter(None, phases))


def stop_reason(at: Situation) -> str:
    """Say why the pass ends early, "" where it does not."""
    last = list(plan_pass(at))[-1]
    return last.stop.reason if last.stop else ""


def wait(at: Situation) -> float:
    """Give the seconds until the pass wants to be repeated, 0 for none."""
    return min((phase.wait for phase in plan_pass(at) if phase.wait), default=0.0)


def _word(step: made.Step) -> str:
    match step:
        case made.Create(member):
            return f"create {member.ordinal}@{member.revision}"
        case made.Delete(member):
            return f"delete {member.ordinal}"
        case made.PrepareDelete(member):
            return f"{member.ordinal} {'→' if step.enters else 'stays'} PreparingDelete"
        case made.PrepareUpdate(member, rehook):
            return f"{member.ordinal} → PreparingUpdate{' rehooked' if rehook else ''}"
        case made.InPlace(member):
            return f"in place {member.ordinal}"
        case made.Refresh(member, _, state):
            return f"{member.ordinal} → {state}" if state else f"refresh {member.ordinal}"
        case made.Fail(_, member):
            return f"error at {member.ordinal if member else 'the set'}"
        case made.Hold(member):
            return f"hold {member.ordinal}"
        case made.EnsureClaims(member):
            return f"claims of {member.ordinal}"
        case made.OwnClaims(member):
            return f"owners of claims of {member.ordinal}"
        case made.ResizeClaims(member):
            return f"resize {member.ordinal}"
        case made.Repair(member):
            return f"repair {member.ordinal}"


def names(listed: Sequence[Any]) -> list[str]:
    return [name_of(one) for one in listed]


def _put(rolling: dict[str, Any], word: str, value: int) -> None:
    if word == "grace":
        rolling["inPlaceUpdateStrategy"] = {"gracePeriodSeconds": value}
    else:
        rolling[{"part": "partition", "ready": "minReadySeconds"}[word]] = value


def _share(text: str) -> int | str:
    return text if text.endswith("%") else int(text)

"""One pass of an engine over many pods: what the controller decides before it writes anything.

Half of the pods are updated and half outdated, all are available. The scale phase of the CloneSet has eleven pods too
many, one of them chosen by name. The Advanced StatefulSet is parallel, and is seen once as it stands and once without
any pod; its forecast tells every wave.
Goals for 10,000 pods: under half a second, an Advanced StatefulSet under 0.2 seconds, where the interpreter does not just
collect garbage (the maximum tells).
"""

import argparse
import time
from collections.abc import Callable
from typing import Any, Final

from benchmarks.stage import cloneset
from benchmarks.tables import ms
from benchmarks.tables import table as lay_out
from kubectl_kruise.engine.cloneset.calculator import calculate
from kubectl_kruise.engine.cloneset.member import members_for_scale, members_for_update
from kubectl_kruise.engine.cloneset.scale import plan_scale
from kubectl_kruise.engine.cloneset.update import plan_update
from kubectl_kruise.engine.cloneset.view import read_cloneset
from kubectl_kruise.engine.revisions.content import revision_data
from kubectl_kruise.engine.statefulset.forecast import forecast
from kubectl_kruise.engine.statefulset.ordinals import POD_NAME_LABEL, ordinals_of
from kubectl_kruise.engine.statefulset.plan import plan_pass
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.engine.statefulset.slots import assign_slots
from kubectl_kruise.engine.statefulset.view import read_statefulset
from kubectl_kruise.facts.names import SPECIFIED_DELETE_LABEL

PODS: Final = 10_000
NOW: Final = 1_767_225_600.0
CREATED: Final = "2025-12-31T00:00:00Z"
"""A day before `NOW`."""
GATE: Final = "InPlaceUpdateReady"
OLD, NEW = "bench-7f9c8d6b5", "bench-6d5c4b3a2"


def table(chosen: argparse.Namespace) -> str:
    update, scale = _passes()
    known, missing, told = _ordered_passes()
    rows = [
        (name, f"{PODS:,}", *(ms(figure(_times(one_pass, chosen.runs))) for figure in (min, max)), goal)
        for name, one_pass, goal in (
            ("CloneSet, update phase", update, "500"),
            ("CloneSet, scale phase", scale, "500"),
            ("Advanced StatefulSet, update", known, "200"),
            ("Advanced StatefulSet, creation", missing, "200"),
            ("Advanced StatefulSet, forecast", told, "200"),
        )
    ]
    return lay_out(
        "Plans of the engine, no server", ("pass", "pods", "CPU ms min", "max", "goal"), rows, notes=[]
    )


def _times(one_pass: Callable[[], object], runs: int) -> list[float]:
    times = []
    for _ in range(runs):
        begun = time.process_time()
        one_pass()
        times.append(time.process_time() - begun)
    return times


def _passes() -> tuple[Callable[[], object], Callable[[], object]]:
    """Give the update phase and the scale phase as calls; both read the pods anew, as a pass of the controller does."""
    current, update = _revision(OLD, "app:1"), _revision(NEW, "app:2")
    pods = [_pod(number) for number in range(PODS)]
    whole, smaller = (_view(replicas) for replicas in (PODS, PODS - 11))
    chosen = {
        **pods[0],
        "metadata": {
            **pods[0]["metadata"],
            "labels": {**pods[0]["metadata"]["labels"], SPECIFIED_DELETE_LABEL: "true"},
        },
    }

    def update_phase() -> object:
        members = members_for_update(whole, pods, NEW, NOW)
        difference = calculate(whole, members, current_revision=OLD, update_revision=NEW)
        return plan_update(whole, members, difference, [current, update], current=current, update=update)

    def scale_phase() -> object:
        members = members_for_scale(smaller, [chosen, *pods[1:]], NEW, NOW)
        difference = calculate(smaller, members, current_revision=OLD, update_revision=NEW)
        return plan_scale(smaller, members, difference, lambda _node, _label: None)

    return update_phase, scale_phase


def _ordered_passes() -> tuple[Callable[[], object], ...]:
    """Give a pass over a whole Advanced StatefulSet, one over a set without pods, and the forecast, as calls."""
    current, update = _revision(OLD, "app:1"), _revision(NEW, "app:2")
    rolling = {"podUpdatePolicy": "InPlaceIfPossible", "maxUnavailable": "20%"}
    view = read_statefulset(
        {
            "metadata": {"name": "bench", "namespace": "default", "uid": "c"},
            "spec": {
                "replicas": PODS,
                "podManagementPolicy": "Parallel",
                "reserveOrdinals": [3, "10-19"],
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
                "template": _template("app:2"),
            },
        }
    )
    ordinals = ordinals_of(0, PODS, view.reserved)
    pods = [_ordered_pod(number, ordinal) for number, ordinal in enumerate(ordinals)]

    def seen(listed: list[dict[str, Any]]) -> Situation:
        slots = assign_slots(view, listed, current=current, update=update, now=NOW)
        return Situation(view, slots, current, update, [current, update], lambda _: None, NOW)

    return (
        lambda: list(plan_pass(seen(pods))),
        lambda: list(plan_pass(seen([]))),
        lambda: forecast(seen(pods)),
    )


def _ordered_pod(number: int, ordinal: int) -> dict[str, Any]:
    pod, name = _pod(number), f"bench-{ordinal}"
    labels = {**pod["metadata"]["labels"], POD_NAME_LABEL: name}
    return {**pod, "metadata": {**pod["metadata"], "name": name, "labels": labels}}


def _view(replicas: int) -> Any:
    raw = cloneset("bench", replicas, maxUnavailable="20%")
    raw["metadata"] |= {"namespace": "default", "uid": "c"}
    raw["spec"]["template"] = _template("app:2")
    return read_cloneset(raw)


def _template(image: str) -> dict[str, Any]:
    return {
        "metadata": {"labels": {"app": "bench"}},
        "spec": {
            "containers": [{"name": "app", "image": image}],
            "readinessGates": [{"conditionType": GATE}],
        },
    }


def _revision(name: str, image: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "revision": 1, "data": revision_data(_template(image))}


def _pod(number: int) -> dict[str, Any]:
    revision, image = (NEW, "app:2") if number % 2 else (OLD, "app:1")
    labels = {
        "app": "bench",
        "controller-revision-hash": revision,
        "lifecycle.apps.kruise.io/state": "Normal",
        "apps.kruise.io/cloneset-instance-id": f"{number:05}",
    }
    up = [
        {"type": kind, "status": "True", "lastTransitionTime": CREATED}
        for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready", GATE)
    ]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"bench-{number:05}",
            "namespace": "default",
            "uid": str(number),
            "creationTimestamp": CREATED,
            "labels": labels,
            "ownerReferences": [{"kind": "CloneSet", "name": "bench", "uid": "c", "controller": True}],
        },
        "spec": {**_template(image)["spec"], "nodeName": f"node-{number % 100}"},
        "status": {
            "phase": "Running",
            "conditions": up,
            "containerStatuses": [{"name": "app", "image": image, "ready": True, "restartCount": 0}],
        },
    }

"""Binding and eviction: what schedulers and drains ask of the server (sandbox-apiserver.md B3)."""

from http import HTTPStatus
from typing import Final

from kubectl_kruise.objects.condition import with_condition
from kubectl_kruise.objects.pod import ready
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry import tracking
from kubectl_kruise.sandbox.registry.call import Body, Call
from kubectl_kruise.sandbox.registry.deletion import delete
from kubectl_kruise.sandbox.registry.registry import Registry

VIOLATION: Final = "Cannot evict pod as it would violate the pod's disruption budget."
SEVERAL: Final = (
    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
)
RETRY_SECONDS: Final = 10
TOPOLOGY: Final = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")


def bind(registry: Registry, call: Call, body: Body) -> Raw:
    """Give a pod to a node; gives a Status."""
    target = body.object.get("target") or {}
    node = target.get("name") or ""
    if target.get("kind", "") not in ("", "Node"):
        shown = target["kind"]
        raise status.server_fault(
            f'target.kind: Unsupported value: "{shown}": supported values: "Node", "<empty>"'
        )
    if not node:
        raise status.server_fault("target.name: Required value")

    topology = _topology(registry, node)

    def bound(pod: Raw) -> Raw:
        spec = pod["spec"]
        if deleting(pod):
            raise _binding_conflict(call, f"pod {call.name} is being deleted, cannot be assigned to a host")
        if spec.get("nodeName"):
            raise _binding_conflict(call, f'pod {call.name} is already assigned to node "{spec["nodeName"]}"')
        if spec.get("schedulingGates"):
            raise _binding_conflict(call, f"pod {call.name} has non-empty .spec.schedulingGates")
        meta = pod["metadata"]
        if added := dig(body.object, ("metadata", "annotations")):
            meta = meta | {"annotations": (meta.get("annotations") or {}) | added}
        if topology:
            meta = meta | {"labels": (meta.get("labels") or {}) | topology}
        return pod | {
            "metadata": dict(meta),
            "spec": spec | {"nodeName": node},
            "status": _conditioned(pod, {"type": "PodScheduled", "status": "True"}, registry.now),
        }

    registry.update(call, bound, tracking.unowned)
    return status.success(code=HTTPStatus.CREATED)


def evict(registry: Registry, call: Call, body: Body) -> Raw:
    """Delete a pod unless a disruption budget forbids it; gives a Status."""
    name = dig(body.object, ("metadata", "name"), call.name)
    if name != call.name:
        raise status.bad_request("name in URL does not match name in Eviction object")
    pod = registry.find(call).object
    options = body.object.get("deleteOptions") or {}
    call.dry_run = call.dry_run or bool(options.get("dryRun"))
    target = Call(call.resource, call.namespace, call.name, "eviction", dry_run=call.dry_run)
    registry.refuse_protected(target, pod)
    if not _unhindered(pod):
        _ask_budget(registry, call, pod)
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    if not deleting(pod):
        registry.update(
            target,
            lambda shown: (
                shown
                | {
                    "metadata": dict(shown["metadata"]),
                    "status": _conditioned(shown, condition, registry.now),
                }
            ),
            tracking.unowned,
        )
    delete(registry, target, options)
    return status.success(code=HTTPStatus.CREATED)


def _topology(registry: Registry, node: str) -> dict[str, str]:
    """Give the labels of its node's place that a pod gets with its binding."""
    nodes = registry.catalog.by_kind("v1", "Node")
    if nodes is None:
        return {}
    try:
        labels = labels_of(registry.find(Call(nodes, name=node)).object)
    except status.Refused:
        return {}
    return {key: labels[key] for key in TOPOLOGY if key in labels}


def _binding_conflict(call: Call, why: str) -> status.Refused:
    return status.conflict("", "pods/binding", call.name, why)


def _unhindered(pod: Raw) -> bool:
    return deleting(pod) or dig(pod, ("status", "phase")) in ("Pending", "Succeeded", "Failed")


def _ask_budget(registry: Registry, call: Call, pod: Raw) -> None:
    """Refuse where the pod's budget allows no disruption, otherwise count this one."""
    budgets = [
        stored
        for stored in registry.store.items("poddisruptionbudgets.policy", call.namespace)
        if selector_of(dig(stored.object, ("spec", "selector"), {})).matches(labels_of(pod))
    ]
    if not budgets:
        return
    if len(budgets) > 1:
        raise status.server_fault(SEVERAL)
    budget = budgets[0].object
    state, meta = budget.get("status") or {}, budget["metadata"]
    if not ready(pod) and 0 < state.get("desiredHealthy", 0) <= state.get("currentHealthy", 0):
        return
    if state.get("observedGeneration", 0) < meta.get("generation", 0):
        refusal = _too_many(f"The disruption budget {meta['name']} is still being processed by the server.")
        refusal.status["details"]["retryAfterSeconds"] = RETRY_SECONDS
        refusal.headers["Retry-After"] = str(RETRY_SECONDS)
        raise refusal
    allowed = state.get("disruptionsAllowed", 0)
    if allowed <= 0:
        needed, current = state.get("desiredHealthy", 0), state.get("currentHealthy", 0)
        raise _too_many(
            f"The disruption budget {meta['name']} needs {needed} healthy pods and has {current} currently"
        )
    if call.dry_run:
        return
    disrupted = (state.get("disruptedPods") or {}) | {call.name: registry.now}
    counted = state | {"disruptionsAllowed": allowed - 1, "disruptedPods": disrupted}
    registry.store.put("poddisruptionbudgets.policy", budget | {"metadata": dict(meta), "status": counted})


def _too_many(why: str) -> status.Refused:
    causes = [{"reason": "DisruptionBudget", "message": why}]
    return status.failure(HTTPStatus.TOO_MANY_REQUESTS, "TooManyRequests", VIOLATION, {"causes": causes})


def _conditioned(pod: Raw, condition: Raw, now: str) -> Raw:
    """Give the pod's status with a condition set; the server writes both its times, the probe time as null."""
    state = pod.get("status") or {}
    entry = {"lastProbeTime": None, **condition}
    return state | {"conditions": with_condition(state.get("conditions") or [], entry, now)}

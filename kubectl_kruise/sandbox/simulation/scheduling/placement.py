"""Whether a node suits a pod: selectors, required node affinity, taints, requests."""

from collections.abc import Callable
from typing import Final

from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.raw import Raw, dig, labels_of, name_of
from kubectl_kruise.objects.resources import pod_requests
from kubectl_kruise.sandbox.simulation.nodes import takes_pods

_REQUIRED: Final = ("spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


def refusal(pod: Raw, node: Raw) -> str:
    """Say why the node does not suit the pod, worded as a scheduler counts nodes; "" where it does (KB2)."""
    if dig(node, ("spec", "unschedulable")):
        return "node(s) were unschedulable"
    if not takes_pods(node):
        return "node(s) were not ready"
    for taint in dig(node, ("spec", "taints"), []):
        if taint.get("effect") in ("NoSchedule", "NoExecute") and not tolerates(pod, taint):
            return f"node(s) had untolerated taint {{{taint.get('key')}: {taint.get('value', '')}}}"
    if not _selected(pod, node):
        return "node(s) didn't match Pod's node affinity/selector"
    allocatable = dig(node, ("status", "allocatable"), {})
    for name, wanted in pod_requests(pod["spec"]).items():
        if name in ("cpu", "memory") and wanted.nanos > parse_quantity(allocatable.get(name, "0")).nanos:
            return f"Insufficient {name}"
    return ""


def tolerates(pod: Raw, taint: Raw) -> bool:
    """Say whether any toleration of the pod covers the taint."""
    return toleration(pod, taint) is not None


def toleration(pod: Raw, taint: Raw) -> Raw | None:
    """Give the first toleration that covers the taint, None where none does."""
    return next((found for found in dig(pod, ("spec", "tolerations"), []) if _covers(found, taint)), None)


def _covers(found: Raw, taint: Raw) -> bool:
    if found.get("effect") not in (None, "", taint.get("effect")):
        return False
    if not found.get("key"):
        return found.get("operator") == "Exists"
    if found["key"] != taint.get("key"):
        return False
    return found.get("operator") == "Exists" or (found.get("value") or "") == (taint.get("value") or "")


def _selected(pod: Raw, node: Raw) -> bool:
    labels = labels_of(node)
    if any(labels.get(key) != value for key, value in dig(pod, ("spec", "nodeSelector"), {}).items()):
        return False
    terms = dig(pod, (*_REQUIRED, "nodeSelectorTerms"), None)
    return terms is None or any(_term_matches(term, labels, name_of(node)) for term in terms)


def _term_matches(term: Raw, labels: dict[str, str], name: str) -> bool:
    expressions, fields = term.get("matchExpressions") or [], term.get("matchFields") or []
    if not expressions and not fields:
        return False
    return all(_matches(found, labels.get(found["key"])) for found in expressions) and all(
        _matches(found, name if found["key"] == "metadata.name" else None) for found in fields
    )


_OPERATORS: Final[dict[str, Callable[[str | None, list[str]], bool]]] = {
    "In": lambda value, wanted: value in wanted,
    "NotIn": lambda value, wanted: value not in wanted,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
    "Gt": lambda value, wanted: value is not None and value.isdecimal() and int(value) > int(wanted[0]),
    "Lt": lambda value, wanted: value is not None and value.isdecimal() and int(value) < int(wanted[0]),
}


def _matches(requirement: Raw, value: str | None) -> bool:
    return _OPERATORS[requirement["operator"]](value, requirement.get("values") or [])

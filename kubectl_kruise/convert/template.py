"""Pod templates between native and Kruise workloads (migration.md §3.4, §3.5)."""

import copy
from typing import Final

from kubectl_kruise.convert.report import Fates
from kubectl_kruise.facts.names import IN_PLACE_READY, TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.raw import Raw, dig

TEMPLATE: Final = "spec.template"
_KRUISE: Final = ("apps.kruise.io/", "lifecycle.apps.kruise.io/")


def without_hash(labels: Raw | None) -> Raw:
    """Give labels without that of a ReplicaSet, which whoever exports one carries along."""
    return {key: value for key, value in (labels or {}).items() if key != TEMPLATE_HASH_LABEL}


def template_for_kruise(template: Raw, fates: Fates) -> Raw:
    """Give the template as it is, whatever unknown fields it holds, but for the hash of a ReplicaSet."""
    made = copy.deepcopy(template)
    labels = dig(made, ("metadata", "labels"), {})
    if labels.pop(TEMPLATE_HASH_LABEL, None) is not None:
        fates.drop(f"{TEMPLATE}.metadata.labels[{TEMPLATE_HASH_LABEL}]", "belongs to a ReplicaSet")
    fates.keep(made)
    return made


def with_in_place_gate(template: Raw, fates: Fates) -> Raw:
    """Give the template with the readiness gate that an update in place needs; nobody else adds it (§2.2 A15)."""
    gates = dig(template, ("spec", "readinessGates")) or []
    if any(gate.get("conditionType") == IN_PLACE_READY for gate in gates):
        return template
    fates.change(
        f"{TEMPLATE}.spec.readinessGates",
        f"{IN_PLACE_READY} is added, without which no pod is updated in place",
    )
    spec = {**template["spec"], "readinessGates": [*gates, {"conditionType": IN_PLACE_READY}]}
    return {**template, "spec": spec}


def template_for_native(template: Raw, fates: Fates) -> Raw:
    """Give the template without what only Kruise serves.

    Its readiness gate has to go: nobody else sets the condition, so that new pods would never become Ready (§3.5).
    """
    made = template_for_kruise(template, Fates())
    spec: Raw = made.get("spec") or {}
    gates = spec.get("readinessGates") or []
    left = [gate for gate in gates if gate.get("conditionType") != IN_PLACE_READY]
    if len(left) < len(gates):
        fates.drop(f"{TEMPLATE}.spec.readinessGates[{IN_PLACE_READY}]", "only Kruise sets this condition")
        spec["readinessGates"] = left
        if not left:
            del spec["readinessGates"]
    for part in ("labels", "annotations"):
        held = dig(made, ("metadata", part), {})
        for key in [key for key in held if key.startswith(_KRUISE)]:
            fates.drop(f"{TEMPLATE}.metadata.{part}[{key}]", "means nothing without Kruise")
            del held[key]
    fates.keep(made)
    return made

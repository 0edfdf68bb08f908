"""Everything that points at a workload by name, or at its pods, and what has to change there (migration.md §8).

Matched by group, kind and name in the same namespace, whatever version they are written in.
"""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from kubectl_kruise.engine.migration.surroundings import Surroundings
from kubectl_kruise.facts.kinds import (
    DEPLOYMENT,
    HPA,
    NATIVE_STATEFULSET,
    PDB,
    PERSISTENT_POD_STATE,
    POD_UNAVAILABLE_BUDGET,
    RESOURCE_QUOTA,
    SERVICE,
    WORKLOAD_SPREAD,
    Kind,
)
from kubectl_kruise.facts.neighbours import (
    NETWORK_POLICY,
    POD_MONITOR,
    PROMETHEUS_RULE,
    ROLE,
    SCALED_OBJECT,
    SERVICE_MONITOR,
    VPA,
)
from kubectl_kruise.objects.autoscaler import scales
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, labels_of, name_of, owner_of
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.objects.workload import Workload

NAMES: Final = {
    HPA: "hpa", SCALED_OBJECT: "keda", VPA: "vpa", POD_UNAVAILABLE_BUDGET: "pub", WORKLOAD_SPREAD: "workloadspread",
    PERSISTENT_POD_STATE: "persistentpodstate",
}  # fmt: skip
"""Kinds that name their workload, with the word for `--rewrite-refs`."""

_AIMS: Final = {
    HPA: ("spec", "scaleTargetRef"),
    SCALED_OBJECT: ("spec", "scaleTargetRef"),
    VPA: ("spec", "targetRef"),
    POD_UNAVAILABLE_BUDGET: ("spec", "targetRef"),
    WORKLOAD_SPREAD: ("spec", "targetRef"),
    PERSISTENT_POD_STATE: ("spec", "targetRef"),
}
_TOOLS: Final = ("reloader.stakater.com/", "keel.sh/", "downscaler/")
_METRICS: Final = {DEPLOYMENT: "kube_deployment_", NATIVE_STATEFULSET: "kube_statefulset_"}
"""What the metrics of native kinds begin with; there are none of other kinds."""
_NATIVE: Final = {"apiVersion": "apps/v1", "kind": DEPLOYMENT.kind}


class Pointer(NamedTuple):
    """One thing that points at the workload. `path` is where it names it, () where it does not by name.

    `before` and `after` are the values there; `note` says what follows for a reader.
    """

    kind: Kind
    obj: Raw
    note: str
    path: tuple[str, ...] = ()
    before: Any = None
    after: Any = None

    @property
    def name(self) -> str:
        return f"{self.kind.singular}/{name_of(self.obj)}" if self.obj else self.kind.singular

    @property
    def rewritable(self) -> bool:
        return bool(self.path)


def chosen_kinds(words: str) -> tuple[str, ...]:
    """Read which references shall be rewritten: `all`, or words of `NAMES` parted by commas; in their order.

    Raises ValueError with a sentence for the user.
    """
    known = tuple(NAMES.values())
    asked = [word.strip().lower() for word in words.split(",")]
    unknown = sorted({word for word in asked if word not in (*known, "all")})
    if unknown:
        raise ValueError(f"{', '.join(map(repr, unknown))} is none of all, {', '.join(known)}")
    return known if "all" in asked else tuple(word for word in known if word in asked)


def find_pointers(workload: Workload, target: Raw, around: Surroundings) -> list[Pointer]:
    """List what points at a workload, those that have to be rewritten first; `target` is its successor."""
    named = list(_named(workload, target, around))
    return [*named, *_selecting(workload, around), *_mentioning(workload, target, around)]


def _named(workload: Workload, target: Raw, around: Surroundings) -> Iterator[Pointer]:
    for kind, path in _AIMS.items():
        for each in around.of(kind):
            aim = dig(each, path)
            if not isinstance(aim, dict):
                continue
            full = {**_NATIVE, **aim} if kind is SCALED_OBJECT else aim
            if not scales({"spec": {"scaleTargetRef": full}}, workload.kind, workload.name):
                continue
            owner = owner_of(each) or {}
            if owner.get("kind") == SCALED_OBJECT.kind:
                yield Pointer(kind, each, f"belongs to ScaledObject {owner.get('name')}, which rewrites it")
                continue
            after = {
                **aim,
                "apiVersion": target["apiVersion"],
                "kind": target["kind"],
                "name": name_of(target),
            }
            yield Pointer(kind, each, "names the workload", path, aim, after)


def _selecting(workload: Workload, around: Surroundings) -> Iterator[Pointer]:
    labels = labels_of(dig(workload.raw, ("spec", "template"), {}))
    for kind, path, note in (
        (SERVICE, ("spec", "selector"), "selects the pods by label: nothing to change"),
        (PDB, ("spec", "selector"), "selects the pods by label: nothing to change"),
        (NETWORK_POLICY, ("spec", "podSelector"), "selects the pods by label: nothing to change"),
        (
            POD_MONITOR,
            ("spec", "selector"),
            "selects the pods by label; look at alerts on the old kind too",
        ),
    ):
        for each in around.of(kind):
            wanted = dig(each, path)
            if kind is SERVICE and isinstance(wanted, dict):
                wanted = {"matchLabels": wanted} if wanted else None
            if isinstance(wanted, dict) and wanted and _matches(wanted, labels):
                yield Pointer(kind, each, note)
    services = [
        labels_of(each)
        for each in around.of(SERVICE)
        if (wanted := dig(each, ("spec", "selector"))) and wanted.items() <= labels.items()
    ]
    for monitor in around.of(SERVICE_MONITOR):
        wanted = dig(monitor, ("spec", "selector"), {})
        if any(_matches(wanted, held) for held in services):
            yield Pointer(SERVICE_MONITOR, monitor, "follows the Service: nothing to change")


def _mentioning(workload: Workload, target: Raw, around: Surroundings) -> Iterator[Pointer]:
    metric = _METRICS.get(workload.kind, "")
    for rule in around.of(PROMETHEUS_RULE):
        text = json.dumps(rule.get("spec"))
        if metric and workload.name in text and metric in text:
            yield Pointer(PROMETHEUS_RULE, rule, f"its expressions on {metric}* go blind: rewrite them")
    for role in around.of(ROLE):
        for each in role.get("rules") or []:
            if workload.kind.plural in (each.get("resources") or []) and workload.name in (
                each.get("resourceNames") or []
            ):
                yield Pointer(
                    ROLE, role, f"allows things on {workload.reference} by name: allow {target['kind']} too"
                )
                break
    for quota in around.of(RESOURCE_QUOTA):
        key = f"count/{workload.kind.resource}"
        if key in dig(quota, ("spec", "hard"), {}):
            yield Pointer(RESOURCE_QUOTA, quota, f"counts {key}: the new kind has a key of its own")
    tools = sorted({key for key in annotations_of(workload.raw) if key.startswith(_TOOLS)})
    if tools:
        yield Pointer(
            workload.kind, {}, f"annotations of tools that may not know the new kind: {', '.join(tools)}"
        )


def _matches(wanted: Raw, labels: dict[str, str]) -> bool:
    try:
        return selector_of(wanted).matches(labels)
    except ValueError:
        return False

"""Checks of what stands around the workload: others that want its pods, and who relies on their labels (migration.md §10)."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from kubectl_kruise.engine.migration.checks.check import Check, some
from kubectl_kruise.engine.migration.surroundings import OWNERS, Surroundings
from kubectl_kruise.facts.kinds import HPA, PDB, REPLICASET, SERVICE, Kind
from kubectl_kruise.facts.names import MIGRATE_SOURCE, REVISION_LABEL, TEMPLATE_HASH_LABEL
from kubectl_kruise.facts.neighbours import (
    ARGO_ROLLOUT,
    FLAGGER_CANARY,
    KRUISE_ROLLOUT,
    NETWORK_POLICY,
    SCALED_OBJECT,
)
from kubectl_kruise.objects.autoscaler import scales
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    deleting,
    dig,
    labels_of,
    name_of,
    owner_of,
    owner_uid,
    uid_of,
)
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.objects.workload import Workload

_HASHES: Final = (TEMPLATE_HASH_LABEL, REVISION_LABEL)
_CONTROLLERS_OF_SOURCES: Final = (
    (ARGO_ROLLOUT, ("spec", "workloadRef")),
    (FLAGGER_CANARY, ("spec", "targetRef")),
    (KRUISE_ROLLOUT, ("spec", "workloadRef")),
    (KRUISE_ROLLOUT, ("spec", "objectRef", "workloadRef")),
)


def check_neighbours(workload: Workload, around: Surroundings, *, frozen: bool = False) -> Iterator[Check]:
    """Check everything else of the namespace against a workload and the labels of its pods.

    `frozen` says that autoscalers are held still while pods move, and follow afterwards.
    """
    remedy = "it is held still while pods move, then pointed at the new workload"
    yield from _overlaps(workload, around)
    yield from _hash_users(workload, around)
    yield from _canaries(workload, around)
    for kind, aims in ((HPA, ("spec", "scaleTargetRef")), (SCALED_OBJECT, ("spec", "scaleTargetRef"))):
        for each in around.of(kind):
            if _aims_at(each, aims, workload):
                yield Check(
                    "P-HPA",
                    f"{kind.kind} {name_of(each)} scales it",
                    remedy if frozen else "--rewrite-refs points it at the new workload",
                    f"{kind.singular}/{name_of(each)}",
                )
    for budget in around.of(PDB):
        if selects(budget, _labels(workload)) and _relative(budget):
            yield Check(
                "P-PDB",
                f"PodDisruptionBudget {name_of(budget)} refuses every eviction while pods have no owner",
                "it is right again a few seconds after the pods have moved",
                f"{PDB.singular}/{name_of(budget)}",
            )
    for kind, why in around.unseen.items():
        yield Check(
            "P-UNSEEN",
            f"{kind.plural} could not be listed: {why}",
            f"look yourself whether any {kind.kind} matters",
        )


def _overlaps(workload: Workload, around: Surroundings) -> Iterator[Check]:
    found = False
    for kind in OWNERS:
        for other in around.of(kind):
            if _same_family(workload, other, kind) or deleting(other):
                continue
            if selects(other, _labels(workload)):
                found = True
                yield Check(
                    "P-OVERLAP",
                    f"{kind.kind} {name_of(other)} selects its pods too, and could take or delete them",
                    "give one of the two a selector of its own",
                    f"{kind.singular}/{name_of(other)}",
                )
    if not found:
        yield Check("P-OVERLAP", "no other workload selects these pods", passed=True)


def check_strangers(workload: Workload, pods: Iterable[Raw], owners: Collection[str]) -> Iterator[Check]:
    """Find pods that the selector matches and that are not of the workload, whose owners have the uids `owners`."""
    strangers: dict[str, list[str]] = {}
    for pod in pods:
        if owner_uid(pod) not in owners and active(pod):
            owner = owner_of(pod)
            whose = f"of {owner.get('kind')} {owner.get('name')}" if owner else "without owner"
            strangers.setdefault(whose, []).append(name_of(pod))
    for whose, names in strangers.items():
        several = len(names) > 1
        yield Check(
            "P-OVERLAP",
            f"{'pods' if several else 'pod'} {some(names)}, {whose}, {'are' if several else 'is'} matched by"
            f" {workload.title}'s selector and {'are' if several else 'is'} none of its pods",
            f"change {'their' if several else 'its'} labels, or delete {'them' if several else 'it'}",
            f"pod/{names[0]}",
        )


def _hash_users(workload: Workload, around: Surroundings) -> Iterator[Check]:
    """Find who selects pods by labels that a migration rewrites."""
    for kind, path in (
        (SERVICE, ("spec", "selector")),
        (NETWORK_POLICY, ("spec", "podSelector", "matchLabels")),
        (PDB, ("spec", "selector", "matchLabels")),
    ):
        for each in around.of(kind):
            keys = dig(each, path, {})
            plain = {key: value for key, value in keys.items() if key not in _HASHES}
            if len(plain) < len(keys) and plain.items() <= _labels(workload).items():
                yield Check(
                    "P-HASHREF",
                    f"{kind.kind} {name_of(each)} selects pods by the hash of a revision, which changes",
                    "select by labels of your own",
                    f"{kind.singular}/{name_of(each)}",
                )
    if any(key in str(dig(workload.raw, ("spec", "template", "spec", "affinity"), "")) for key in _HASHES):
        yield Check("P-HASHREF", "its affinity names the hash of a revision", "use labels of your own")


def _canaries(workload: Workload, around: Surroundings) -> Iterator[Check]:
    for kind, path in _CONTROLLERS_OF_SOURCES:
        for each in around.of(kind):
            if _aims_at(each, path, workload):
                yield Check(
                    "P-CANARY",
                    f"{kind.kind} {name_of(each)} ({kind.group}) steers it",
                    "take it out of there first",
                    f"{kind.display}/{name_of(each)}",
                )


def _same_family(workload: Workload, other: Raw, kind: Kind) -> bool:
    """Say whether the other is the workload itself, or one of its ReplicaSets; in files nothing has a uid yet."""
    if not workload.uid:
        return kind is workload.kind and name_of(other) == workload.name
    mine = {workload.uid}
    made_for_it = annotations_of(other).get(MIGRATE_SOURCE, "").endswith(f"/{workload.uid}")
    return uid_of(other) in mine or made_for_it or (kind is REPLICASET and owner_uid(other) in mine)


def _aims_at(pointer: Raw, path: tuple[str, ...], workload: Workload) -> bool:
    target = dig(pointer, path)
    if not isinstance(target, dict):
        return False
    filled = {"apiVersion": "apps/v1", "kind": "Deployment", **target}
    return scales({"spec": {"scaleTargetRef": filled}}, workload.kind, workload.name)


def selects(owner: Raw, labels: Mapping[str, str]) -> bool:
    """Say whether the selector of a workload or a budget matches labels; one that cannot be read matches none."""
    wanted = dig(owner, ("spec", "selector"))
    if not isinstance(wanted, dict) or not wanted:
        return False
    try:
        return selector_of(wanted).matches(labels)
    except ValueError:
        return False


def _labels(workload: Workload) -> dict[str, str]:
    return labels_of(dig(workload.raw, ("spec", "template"), {}))


def _relative(budget: Raw) -> bool:
    spec = budget.get("spec") or {}
    return spec.get("maxUnavailable") is not None or str(spec.get("minAvailable", "")).endswith("%")

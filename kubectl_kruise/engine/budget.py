"""PodUnavailableBudgets: what they count, and whether they let a pod be touched (small-kinds.md §2)."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from kubectl_kruise.engine.inplace.completion import pod_complete
from kubectl_kruise.facts.names import RELATED_BUDGET
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.objects.pod import active, images_of, phase, ready, statuses_of
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, labels_of, metadata, name_of

NO_PROTECTION: Final = "pub.kruise.io/no-protect"
PROTECTED_OPERATIONS: Final = "kruise.io/pub-protect-operations"
TOTAL: Final = "pub.kruise.io/protect-total-replicas"
UNAVAILABLE_PREFIX: Final = "unavailable-pod.kruise.io/"
REFUSAL: Final = "pub unavailable allowed is negative"
MOST_ENTRIES: Final = 2000


class Operation(StrEnum):
    """What somebody wants to do to a pod."""

    DELETE = "DELETE"
    UPDATE = "UPDATE"
    EVICT = "EVICT"


class Register(NamedTuple):
    """Where a permission is written down in the status, and for how many seconds it counts."""

    field: str
    seconds: float


UPDATES: Final = Register("unavailablePods", 10.0)
DELETIONS: Final = Register("disruptedPods", 20.0)


class Answer(NamedTuple):
    """`refusal` is "" for yes; `status` is what to write down first, None where nothing is."""

    refusal: str = ""
    status: Raw | None = None


class Recount(NamedTuple):
    """A new status; `expired` names pods that were to be deleted and were not, `wait` says when to look again."""

    status: Raw
    expired: tuple[str, ...]
    wait: float | None


def related_budget(pod: Raw) -> str:
    """Give the name of the budget that a pod belongs to, "" for none."""
    return annotations_of(pod).get(RELATED_BUDGET, "")


def pod_available(pod: Raw) -> bool:
    """Say whether a pod does its work as budgets see it (P-6)."""
    return (
        active(pod)
        and phase(pod) == "Running"
        and ready(pod)
        and not any(label.startswith(UNAVAILABLE_PREFIX) for label in labels_of(pod))
        and _consistent(pod)
    )


def ask(budget: Raw | None, pod: Raw, operation: Operation, now: float) -> Answer:
    """Judge an operation on a pod by its budget, None where there is none (P-5, P-10)."""
    if budget is None or annotations_of(pod).get(NO_PROTECTION) == "true" or not pod_available(pod):
        return Answer()
    status: Raw = budget.get("status") or {}
    if not status.get("desiredAvailable") or operation not in _protected(budget) or _booked(status, pod):
        return Answer()
    entries = sum(len(status.get(register.field) or {}) for register in (UPDATES, DELETIONS))
    if int(status.get("unavailableAllowed") or 0) <= 0 or entries > MOST_ENTRIES:
        return Answer(REFUSAL)
    register = UPDATES if operation is Operation.UPDATE else DELETIONS
    booked = {**(status.get(register.field) or {}), name_of(pod): rfc3339(now)}
    return Answer(
        "", {**status, register.field: booked, "unavailableAllowed": status["unavailableAllowed"] - 1}
    )


def why_held(budget: Raw, operation: Operation) -> str:
    """Say why a budget lets no further pod go, "" where it does, or does not care."""
    status: Raw = budget.get("status") or {}
    desired, allowed = status.get("desiredAvailable") or 0, status.get("unavailableAllowed") or 0
    if not desired or allowed > 0 or operation not in _protected(budget):
        return ""
    available = status.get("currentAvailable") or 0
    return (
        f"PodUnavailableBudget {name_of(budget)} lets no further pod be unavailable: "
        f"{desired} needed, {available} available"
    )


def recount(
    budget: Raw, pods: Iterable[Raw], total: int, now: float, *, ending: Collection[str] = ()
) -> Recount:
    """Count anew; pods are the active ones of the budget, `total` is how many there should be (P-3, P-10).

    `ending` names pods that are being deleted: what is on record of them stays until they are gone.
    """
    listed = {name_of(pod): pod for pod in pods}
    before: Raw = budget.get("status") or {}
    booked: set[str] = set()
    expired: list[str] = []
    waits: list[float] = []
    kept: dict[str, dict[str, str]] = {}
    for register in (DELETIONS, UPDATES):
        entries: dict[str, str] = {}
        for name, since in (before.get(register.field) or {}).items():
            left = (parse_rfc3339(since) or 0.0) + register.seconds - now
            if left > 0 and (name in listed or name in ending):
                entries[name] = since
                waits.append(left)
            elif name in listed and register is DELETIONS:
                expired.append(name)
        booked |= entries.keys()
        if entries:
            kept[register.field] = entries
    available = sum(pod_available(pod) for name, pod in listed.items() if name not in booked)
    desired = desired_available(budget, total)
    status: Raw = {
        "currentAvailable": available,
        "desiredAvailable": desired,
        "observedGeneration": metadata(budget).get("generation"),
        "totalReplicas": total,
        "unavailableAllowed": max(0, available - desired),
        **kept,
    }
    return Recount(status, tuple(expired), min(waits, default=None))


def total_replicas(budget: Raw, replicas: Iterable[int]) -> int:
    """Give the annotated total, else the sum of the replicas of the workloads (P-3)."""
    written = annotations_of(budget).get(TOTAL)
    return int(written) if written is not None else sum(replicas)


def desired_available(budget: Raw, total: int) -> int:
    """Resolve the budget's number against the pods there should be; shares are rounded up."""
    spec: Raw = budget.get("spec") or {}
    if (most := spec.get("maxUnavailable")) is not None:
        return max(0, total - number.strict(most, total))
    return number.strict(spec.get("minAvailable") or 0, total)


def counts_as_update(new: Raw, old: Raw) -> bool:
    """Say whether a write to a pod takes it out of service: its spec changes, or it is labelled unavailable (P-9)."""
    added = labels_of(new).keys() - labels_of(old).keys()
    return new.get("spec") != old.get("spec") or any(name.startswith(UNAVAILABLE_PREFIX) for name in added)


def _protected(budget: Raw) -> frozenset[str]:
    written = annotations_of(budget).get(PROTECTED_OPERATIONS)
    return frozenset(Operation) if written is None else frozenset(written.split(","))


def _booked(status: Mapping[str, Any], pod: Raw) -> bool:
    return any(name_of(pod) in (status.get(register.field) or {}) for register in (UPDATES, DELETIONS))


def _consistent(pod: Raw) -> bool:
    """Say whether the containers run what the spec asks for: by digests where all images have one."""
    images = images_of(pod)
    if not images or not all("@" in image for image in images.values()):
        return pod_complete(pod)
    running = statuses_of(pod)
    return all(
        dig(running, (name, "imageID"), "").endswith(image.partition("@")[2])
        for name, image in images.items()
    )

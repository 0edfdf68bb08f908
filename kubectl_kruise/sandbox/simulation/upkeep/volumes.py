"""Which volume a claim gets, and what both say once they belong together (V6)."""

from collections.abc import Iterable
from typing import Final

from kubectl_kruise.facts.kinds import PVC
from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.raw import Raw, deleting, dig, name_of, namespace_of, uid_of, version_of

COMPLETED: Final = "pv.kubernetes.io/bind-completed"
BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"


def best_volume(volumes: Iterable[Raw], claim: Raw) -> Raw | None:
    """Give the smallest volume that nobody has and that is of the claim's class, modes and size, None for none."""
    fitting = (volume for volume in volumes if _fits(volume, claim))
    return min(fitting, key=lambda volume: (_capacity(volume), name_of(volume)), default=None)


def claimed(volume: Raw, claim: Raw) -> Raw:
    """Give the change of a volume that the claim gets."""
    reference = {
        "apiVersion": "v1",
        "kind": PVC.kind,
        "namespace": namespace_of(claim),
        "name": name_of(claim),
        "uid": uid_of(claim),
        "resourceVersion": version_of(claim),
    }
    guard = {"uid": uid_of(volume), "resourceVersion": version_of(volume)}
    return {"metadata": {**guard, "annotations": {BY_CONTROLLER: "yes"}}, "spec": {"claimRef": reference}}


def granted(volume: Raw) -> Raw:
    """Give the status of the claim that has the volume."""
    spec = volume["spec"]
    return {"phase": "Bound", "accessModes": spec.get("accessModes", []), "capacity": spec["capacity"]}


def _fits(volume: Raw, claim: Raw) -> bool:
    spec, wanted = volume.get("spec") or {}, claim.get("spec") or {}
    reference = spec.get("claimRef")
    if deleting(volume) or (reference is not None and reference.get("uid") != uid_of(claim)):
        return False
    return (
        (spec.get("storageClassName") or "") == (wanted.get("storageClassName") or "")
        and set(wanted.get("accessModes") or ()) <= set(spec.get("accessModes") or ())
        and _capacity(volume) >= parse_quantity(dig(wanted, ("resources", "requests", "storage"), "0")).nanos
    )


def _capacity(volume: Raw) -> int:
    return parse_quantity(dig(volume, ("spec", "capacity", "storage"), "0")).nanos

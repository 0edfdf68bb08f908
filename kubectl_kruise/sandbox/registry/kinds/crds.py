"""What becomes of a CRD: its names, its conditions, its end (sandbox-apiserver.md CR2, CR13)."""

from typing import Final

from kubectl_kruise.objects.raw import Raw, deleting
from kubectl_kruise.sandbox.registry import tracking
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.registry.deletion import CRD_CLEANUP, Deleted, delete
from kubectl_kruise.sandbox.registry.kinds.catalog import CRDS, established
from kubectl_kruise.sandbox.registry.kinds.crd_names import conditioned, judge_names
from kubectl_kruise.sandbox.registry.kinds.resources import Resource, store_key
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.store import Stored

MANAGER: Final = "kube-apiserver"
"""Who owns the status of a CRD, and what is there from the start."""
TERMINATING: Final = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"


def settle(registry: Registry) -> None:
    """Bring every CRD to where it belongs after a write: accept names, serve, empty and remove."""
    moved = True
    while moved:
        moved = False
        for stored in registry.store.items(CRDS):
            if registry.store.get(CRDS, "", stored.name) is not stored:
                continue
            step = _finish if deleting(stored.object) else _accept
            moved = step(registry, stored) or moved


def mark(registry: Registry, call: Call, old: Stored) -> Deleted:
    """Note the deletion of a CRD: its objects go first."""
    raw = old.object
    if deleting(raw):
        return Deleted(old, "")
    registry.refuse_protected(call, raw)
    meta = raw["metadata"] | {"deletionTimestamp": registry.now}
    meta["finalizers"] = list(dict.fromkeys([*(meta.get("finalizers") or []), CRD_CLEANUP]))
    going = raw | {"metadata": meta}
    going["status"] = conditioned(
        going, "Terminating", "True", "InstanceDeletionPending", TERMINATING, registry.now
    )
    if call.dry_run:
        return Deleted(Stored(CRDS, going, old.version), "")
    return Deleted(registry.store.put(CRDS, going), "")


def _accept(registry: Registry, stored: Stored) -> bool:
    crd = stored.object
    names = judge_names(
        crd, [other.object for other in registry.store.items(CRDS) if other.name != stored.name]
    )
    good = not names.reason
    state = conditioned(
        crd,
        "NamesAccepted",
        "True" if good else "False",
        names.reason or "NoConflicts",
        names.message or "no conflicts found",
        registry.now,
    )
    if good:
        text = "the initial names have been accepted"
        state = conditioned(
            {"status": state}, "Established", "True", "InitialNamesAccepted", text, registry.now
        )
    elif not established(crd):
        text = "not all names are accepted"
        state = conditioned({"status": state}, "Established", "False", "NotAccepted", text, registry.now)
    state["acceptedNames"] = names.accepted
    return _put_status(registry, stored, state)


def _finish(registry: Registry, stored: Stored) -> bool:
    """Delete the objects of a CRD that is going, then the CRD itself."""
    crd = stored.object
    text = "CustomResource deletion is in progress"
    state = conditioned(crd, "Terminating", "True", "InstanceDeletionInProgress", text, registry.now)
    moved = _put_status(registry, stored, state)
    key = store_key(crd["spec"]["names"]["plural"], crd["spec"]["group"])
    resource = registry.catalog.by_key(key)
    for instance in registry.store.items(key):
        if not deleting(instance.object) and resource is not None:
            delete(registry, Call(resource, instance.namespace, instance.name), {}, guarded=False)
            moved = True
    if registry.store.items(key):
        return moved
    held = registry.store.get(CRDS, "", stored.name)
    if held is None:
        return moved
    left = [name for name in held.object["metadata"].get("finalizers") or [] if name != CRD_CLEANUP]
    if not left:
        registry.store.remove(held)
        return True
    if CRD_CLEANUP not in held.object["metadata"]["finalizers"]:
        return moved
    registry.store.put(CRDS, held.object | {"metadata": held.object["metadata"] | {"finalizers": left}})
    return True


def _put_status(registry: Registry, stored: Stored, state: Raw) -> bool:
    if state == stored.object.get("status"):
        return False
    new = stored.object | {"metadata": dict(stored.object["metadata"]), "status": state}
    resource = registry.catalog.by_key(CRDS)
    if resource is not None:
        call = Call(resource, "", stored.name, "status", field_manager=MANAGER)
        tracking.put(new, tracking.updated(call, stored.object, new, None, registry.now))
    registry.store.put(CRDS, new)
    return True


def concerns(registry: Registry, resource: Resource) -> bool:
    """Tell whether a write to this kind may move a CRD: to CRDs themselves, and to objects of one that is going."""
    if not resource.custom:
        return is_crd(resource)
    crd = registry.store.get(CRDS, "", resource.key)
    return crd is not None and deleting(crd.object)


def is_crd(resource: Resource) -> bool:
    return resource.key == CRDS

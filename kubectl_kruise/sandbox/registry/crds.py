"""What becomes of a CRD: its names, its conditions, its end (sandbox-apiserver.md CR2, CR13)."""

from typing import Final, NamedTuple

from kubectl_kruise.objects.raw import Raw, deleting
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.registry.catalog import CRDS, established
from kubectl_kruise.sandbox.registry.deletion import CRD_CLEANUP, Deleted, delete
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.registry.resources import Resource, store_key
from kubectl_kruise.sandbox.store import Stored


class Names(NamedTuple):
    """`accepted` are those that are free; `reason` and `message` tell of the last one that is not."""

    accepted: Raw
    reason: str
    message: str


TERMINATING: Final = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"


def initial_status(new: Raw, old: Raw | None) -> None:
    """Set the status a CRD is stored with: versions that objects may be stored in, conditions to follow."""
    state = (old or {}).get("status") or {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}}
    storage = next((entry["name"] for entry in new["spec"]["versions"] if entry.get("storage")), "")
    stored = state.get("storedVersions") or []
    new["status"] = state | {"storedVersions": stored if storage in stored or not storage else [*stored, storage]}


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
    meta = raw["metadata"] | {"deletionTimestamp": registry.now}
    meta["finalizers"] = list(dict.fromkeys([*(meta.get("finalizers") or []), CRD_CLEANUP]))
    going = raw | {"metadata": meta}
    going["status"] = _with_condition(going, "Terminating", "True", "InstanceDeletionPending", TERMINATING, registry.now)
    if call.dry_run:
        return Deleted(Stored(CRDS, going, old.version), "")
    return Deleted(registry.store.put(CRDS, going), "")


def _accept(registry: Registry, stored: Stored) -> bool:
    crd = stored.object
    names = _judge_names(crd, [other.object for other in registry.store.items(CRDS) if other.name != stored.name])
    good = not names.reason
    state = _with_condition(
        crd,
        "NamesAccepted",
        "True" if good else "False",
        names.reason or "NoConflicts",
        names.message or "no conflicts found",
        registry.now,
    )
    if good:
        text = "the initial names have been accepted"
        state = _with_condition({"status": state}, "Established", "True", "InitialNamesAccepted", text, registry.now)
    elif not established(crd):
        text = "not all names are accepted"
        state = _with_condition({"status": state}, "Established", "False", "NotAccepted", text, registry.now)
    state["acceptedNames"] = names.accepted
    return _put_status(registry, stored, state)


def _finish(registry: Registry, stored: Stored) -> bool:
    """Delete the objects of a CRD that is going, then the CRD itself."""
    crd = stored.object
    text = "CustomResource deletion is in progress"
    state = _with_condition(crd, "Terminating", "True", "InstanceDeletionInProgress", text, registry.now)
    moved = _put_status(registry, stored, state)
    key = store_key(crd["spec"]["names"]["plural"], crd["spec"]["group"])
    resource = registry.catalog.by_key(key)
    for instance in registry.store.items(key):
        if not deleting(instance.object) and resource is not None:
            delete(registry, Call(resource, instance.namespace, instance.name), {})
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


def _judge_names(crd: Raw, others: list[Raw]) -> Names:
    """Check the names of a CRD against those its group has accepted already."""
    group, wanted = crd["spec"]["group"], crd["spec"]["names"]
    words: set[str] = set()
    kinds: set[str] = set()
    for other in others:
        if other["spec"]["group"] != group:
            continue
        taken = (other.get("status") or {}).get("acceptedNames") or {}
        words |= {taken.get("plural"), taken.get("singular"), *(taken.get("shortNames") or ())}
        kinds |= {taken.get("kind"), taken.get("listKind")}
    before = (crd.get("status") or {}).get("acceptedNames") or {}
    accepted: Raw = {"plural": before.get("plural", ""), "kind": before.get("kind", "")}
    reason = message = ""
    for field, pool, why in (
        ("plural", words, "PluralConflict"),
        ("singular", words, "SingularConflict"),
        ("shortNames", words, "ShortNamesConflict"),
        ("kind", kinds, "KindConflict"),
        ("listKind", kinds, "ListKindConflict"),
    ):
        value = wanted.get(field)
        if not value:
            continue
        clashes = [name for name in ([value] if isinstance(value, str) else value) if name in pool]
        if clashes:
            reason, message = why, ", ".join(f'"{name}" is already in use' for name in clashes)
        else:
            accepted[field] = value
    if categories := wanted.get("categories"):
        accepted["categories"] = categories
    return Names(accepted, reason, message)


def _with_condition(crd: Raw, kind: str, value: str, reason: str, message: str, now: str) -> Raw:
    state = dict(crd.get("status") or {})
    held = {found["type"]: found for found in state.get("conditions") or []}
    before = held.get(kind) or {}
    since = before["lastTransitionTime"] if before.get("status") == value else now
    if before.get("status") == value and reason == "InitialNamesAccepted":
        reason, message = before["reason"], before["message"]
    held[kind] = {
        "type": kind, "status": value, "lastTransitionTime": since, "reason": reason, "message": message,
    }  # fmt: skip
    state["conditions"] = list(held.values())
    return state


def _put_status(registry: Registry, stored: Stored, state: Raw) -> bool:
    if state == stored.object.get("status"):
        return False
    registry.store.put(CRDS, stored.object | {"metadata": dict(stored.object["metadata"]), "status": state})
    return True


def is_crd(resource: Resource) -> bool:
    return resource.key == CRDS

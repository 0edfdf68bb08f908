"""What an update takes from the client, what it keeps, and what it sets off (sandbox-apiserver.md V6, B1, M4, M9, G6)."""

from collections.abc import Sequence
from typing import Final

from kubectl_kruise.objects.notation import field_errors
from kubectl_kruise.objects.raw import Raw, annotations_of
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.registry.kinds.resources import Resource
from kubectl_kruise.sandbox.registry.natives.pod_resize import resize_update
from kubectl_kruise.sandbox.store import Stored

STATUS_KEEPS: Final = {"Deployment": ("labels",), "Pod": ("ownerReferences",)}
"""Metadata that the status endpoint of a native kind does not take (B1)."""
TAKEN_BY_STATUS: Final = ("labels", "annotations", "finalizers", "ownerReferences")
RESIZE: Final = "resize"
KEPT: Final = ("name", "uid", "creationTimestamp", "generation")
KEPT_IF_ABSENT: Final = ("namespace", "deletionTimestamp", "deletionGracePeriodSeconds")


def check_versions(call: Call, new: Raw, old: Stored) -> None:
    """Refuse a write that is about another state than the stored one (V6)."""
    sent = new["metadata"].get("resourceVersion")
    if call.resource.custom and not sent:
        error = field_errors.invalid("metadata.resourceVersion", 0, "must be specified for an update")
        raise status.invalid(call.resource.group, call.resource.plural, call.name, [error])
    if not sent or sent == "0" or sent == str(old.version):
        return
    if not sent.isdecimal():
        raise status.server_fault(f"strconv.ParseUint: parsing {field_errors.compact(sent)}: invalid syntax")
    raise call.conflict()


def check_uid(call: Call, new: Raw, shown: Raw) -> None:
    """Refuse a PUT for another incarnation of the object (V6)."""
    sent, held = new["metadata"].get("uid"), shown["metadata"]["uid"]
    if sent and sent != held:
        group = f"{call.resource.group}/" if call.resource.custom else ""
        scope = f"{call.namespace}/" if call.namespace else ""
        raise call.conflict(
            f"StorageError: invalid object, Code: 4, Key: /registry/{group}{call.resource.plural}/{scope}{call.name}, "
            f"ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {sent}, "
            f"UID in object meta: {held}"
        )


def keep_metadata(new: Raw, shown: Raw) -> None:
    """Put the metadata that no client may change back into place (M9)."""
    meta, before = new["metadata"], shown["metadata"]
    for name in KEPT:
        if name != "uid" or not meta.get("uid"):
            _keep(meta, before, (name,))
    for name in KEPT_IF_ABSENT:
        if meta.get(name) is None:
            _keep(meta, before, (name,))
    meta.pop("selfLink", None)


def status_update(resource: Resource, new: Raw, old: Raw) -> Raw:
    """Give the object with what its status endpoint takes from `new` (B1)."""
    result = dict(old)
    result["metadata"] = dict(old["metadata"])
    _keep(result, new, ("status",))
    meta = result["metadata"]
    if not resource.custom:
        kept = STATUS_KEEPS.get(resource.kind, ())
        _keep(meta, new["metadata"], tuple(name for name in TAKEN_BY_STATUS if name not in kept))
    for name in ("uid", "resourceVersion", *KEPT_IF_ABSENT):
        _keep(meta, new["metadata"], (name,))
    return result


def changes_generation(resource: Resource, new: Raw, old: Raw) -> bool:
    """Tell whether an update asks for something else than before (M4)."""
    annotations = [annotations_of(raw) for raw in (new, old)]
    if resource.key == "deployments.apps" and annotations[0] != annotations[1]:
        return True
    ignored = (
        {"metadata", "status"} if "status" in resource.subresources or not resource.custom else {"metadata"}
    )
    return {k: v for k, v in new.items() if k not in ignored} != {
        k: v for k, v in old.items() if k not in ignored
    }


def deletes_itself(resource: Resource, new: Raw) -> bool:
    """Tell whether an update removed the last thing that held back a deletion (G6, NS2)."""
    meta = new["metadata"]
    if not meta.get("deletionTimestamp") or meta.get("finalizers"):
        return False
    if resource.kind == "Namespace" and (new.get("spec") or {}).get("finalizers"):
        return False
    return not meta.get("deletionGracePeriodSeconds")


def as_taken(call: Call, new: Raw, shown: Raw) -> Raw:
    """Give the object with what the endpoint takes from `new`."""
    if call.subresource == "status":
        return status_update(call.resource, new, shown)
    if call.subresource == RESIZE:
        return resize_update(new, shown)
    if not call.subresource and "status" in call.resource.subresources:
        _keep(new, shown, ("status",))
    return new


def _keep(target: Raw, source: Raw, names: Sequence[str]) -> None:
    """Make `target` agree with `source` on these keys, absent ones included."""
    for name in names:
        if name in source:
            target[name] = source[name]
        else:
            target.pop(name, None)

"""Pods of a rehearsal: owned, ready for long, and of a revision whose hash nobody knows yet."""

import copy
from typing import Final

from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.facts.names import REVISION_LABEL
from kubectl_kruise.objects.raw import Raw, controller_reference, dig, name_of, uid_of

_UNKNOWN: Final = "<revision>"
"""Stands for the hash that a controller will give to the template."""
_LONG_AGO: Final = "2000-01-01T00:00:00Z"


def reference_to(owner: Raw) -> Raw:
    """Give the owner reference by which the controller of `owner` takes something as its own."""
    return controller_reference(owner["apiVersion"], owner["kind"], name_of(owner), uid_of(owner))


def unknown_revision(owner: Raw) -> str:
    """Give what stands for the name of the revision of the owner's template."""
    return f"{name_of(owner)}-{_UNKNOWN}"


def ready_pod(owner: Raw, *, name: str, uid: str) -> Raw:
    """Give a new pod of the owner's template, ready at once."""
    pod: Raw = copy.deepcopy(dig(owner, ("spec", "template")))
    meta = pod.setdefault("metadata", {})
    meta |= {
        "name": name,
        "uid": uid,
        "creationTimestamp": _LONG_AGO,
        "ownerReferences": [reference_to(owner)],
    }
    meta.setdefault("labels", {})[REVISION_LABEL] = unknown_revision(owner)
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": _LONG_AGO}
    pod["status"] = {"phase": "Running", "conditions": [ready]}
    return {"apiVersion": "v1", "kind": POD.kind, **pod}

"""The note of client-side apply on an object that kubectl applies server-side (sandbox-apiserver.md F8).

Only where the manager is `kubectl`: any other name opts out of both rules.
"""

from typing import Final

import orjson

from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox.managed.comparing import compare
from kubectl_kruise.sandbox.managed.fields import Fields, difference
from kubectl_kruise.sandbox.managed.owned import fields_of
from kubectl_kruise.sandbox.managed.owners import Owners
from kubectl_kruise.sandbox.managed.shape import Shape

KUBECTL: Final = "kubectl"
NOTE: Final = "kubectl.kubernetes.io/last-applied-configuration"


def beyond_note(conflicts: Owners, live: Raw, shape: Shape) -> Owners:
    """Leave out the conflicts about what client-side apply set and what still stands so: that is the user's own."""
    own = _set_by_note(live, shape)
    found: Owners = {}
    for who, owned in conflicts.items():
        if rest := difference(owned.fields, own):
            found[who] = owned._replace(fields=rest)
    return found


def _set_by_note(live: Raw, shape: Shape) -> Fields:
    try:
        noted = orjson.loads(dig(live, ("metadata", "annotations", NOTE), ""))
    except orjson.JSONDecodeError:
        return {}
    if not isinstance(noted, dict) or noted.get("apiVersion") != live["apiVersion"]:
        return {}
    changes = compare(noted, live, shape)
    own = fields_of(noted, shape)
    for part in changes:
        own = difference(own, part)
    return own


def with_note(applied: Raw, config: Raw) -> Raw:
    """Give the applied object with the configuration noted in it, where such a note was there."""
    annotations = dig(applied, ("metadata", "annotations")) or {}
    if not annotations.get(NOTE):
        return applied
    meta = applied["metadata"] | {"annotations": annotations | {NOTE: _noted(config)}}
    return applied | {"metadata": meta}


def _noted(config: Raw) -> str:
    meta = dict(config.get("metadata") or {})
    meta.pop("managedFields", None)
    if annotations := meta.get("annotations"):
        meta["annotations"] = {key: value for key, value in annotations.items() if key != NOTE}
    return orjson.dumps(config | {"metadata": meta}, option=orjson.OPT_SORT_KEYS).decode() + "\n"

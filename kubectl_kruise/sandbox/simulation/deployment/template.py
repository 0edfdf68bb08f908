"""Pod templates of Deployments: when two are the same, and the hash that names their ReplicaSet (DR1)."""

import json
from typing import Final

from kubectl_kruise.facts.names import TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.raw import Raw, dig

_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
_MASK: Final = 0xFFFFFFFF


def same_template(left: Raw, right: Raw) -> bool:
    """Say whether two templates are equal but for the hash label."""
    return _plain(left) == _plain(right)


def template_hash(template: Raw, collisions: int) -> str:
    """Give a stable hash of at most ten characters; each collision gives another.

    The native controller hashes a dump of Go structs, which cannot be reproduced (DR1): any stable function will do.
    """
    text = json.dumps(_plain(template), sort_keys=True, separators=(",", ":"))
    value = 2166136261
    for byte in f"{text}{collisions or ''}".encode():
        value = ((value ^ byte) * 16777619) & _MASK
    return "".join(_ALPHABET[ord(digit) % len(_ALPHABET)] for digit in str(value))


def _plain(template: Raw) -> Raw:
    metadata = template.get("metadata") or {}
    labels = {
        key: value for key, value in dig(metadata, ("labels",), {}).items() if key != TEMPLATE_HASH_LABEL
    }
    kept = {key: value for key, value in (metadata | {"labels": labels}).items() if value}
    return {"metadata": kept, "spec": template.get("spec") or {}}

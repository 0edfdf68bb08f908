"""Hashes and names of revisions (cloneset.md §9.2, §9.3, §18.5)."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from kubectl_kruise.engine.revisions.content import go_json
from kubectl_kruise.objects.raw import Raw, name_of
from kubectl_kruise.objects.typed import typed

CLAIM_STRUCT: Final = "PersistentVolumeClaim"

_OFFSET: Final = 2166136261
_PRIME: Final = 16777619
_MASK: Final = 0xFFFFFFFF
_DIGITS: Final = str.maketrans("0123456789", "456789bcdf")
_NAME_MAX: Final = 223


def fnv1(data: bytes) -> int:
    """Hash with 32-bit FNV-1."""
    value = _OFFSET
    for byte in data:
        value = ((value * _PRIME) & _MASK) ^ byte
    return value


def fnv1a(data: bytes) -> int:
    """Hash with 32-bit FNV-1a."""
    value = _OFFSET
    for byte in data:
        value = ((value ^ byte) * _PRIME) & _MASK
    return value


@lru_cache(maxsize=1024)
def byte_dump_hash(text: str) -> int:
    """Hash the decimal listing of the bytes of `text`, as Go prints a byte slice (cloneset.md §18.5).

    Remembered, because the pods of one workload have the same containers.
    """
    return fnv1a(f"([]uint8)[{' '.join(map(str, text.encode()))}]".encode())


def revision_hash(data: bytes, collisions: int = 0) -> str:
    """Give the hash text of revision bytes; `collisions` is the owner's collision count (cloneset.md §9.2)."""
    return str(fnv1(data + str(collisions).encode())).translate(_DIGITS)


def revision_name(owner: str, digest: str) -> str:
    return f"{owner[:_NAME_MAX]}-{digest}"


def claim_hash(templates: Iterable[Raw]) -> str:
    """Hash claim templates by name and spec, in decimal; "" without any (cloneset.md §9.3)."""
    claims = [
        typed({"metadata": {"name": name_of(template)}, "spec": template.get("spec")}, CLAIM_STRUCT)
        for template in sorted(templates, key=name_of)
    ]
    return str(byte_dump_hash(go_json(claims))) if claims else ""

"""The hash that names a Deployment's ReplicaSet: over Go's dump of the pod template (sandbox-apiserver.md DR1)."""

from kubectl_kruise.engine.revisions.naming import fnv1a
from kubectl_kruise.facts.names import RANDOM_LETTERS
from kubectl_kruise.facts.template_layout import RELEASES
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.template_dump import dump_template


def template_hash(template: Raw, collisions: int | None = None, *, release: int = RELEASES[-1]) -> str:
    """Give the hash of a template as stored, with all defaults; each collision counted gives another.

    No count and a count of zero differ. `release` is the minor version of Kubernetes of the controller's library:
    every release that adds a field changes every hash. Raises ValueError for a template that Go could not read.
    """
    dump = dump_template(template, release=release).encode()
    counted = b"" if collisions is None else collisions.to_bytes(4, "little") + bytes(4)
    return hash_text(fnv1a(dump + counted))


def hash_text(number: int) -> str:
    """Write a number in letters that spell no words, as names of ReplicaSets have it."""
    return "".join(RANDOM_LETTERS[ord(digit) % len(RANDOM_LETTERS)] for digit in str(number))

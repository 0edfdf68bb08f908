"""Which definitions the user means."""

from collections.abc import Sequence

from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.crds.definitions import CRD_KINDS
from kubectl_kruise.facts.kinds import Kind


def parse_crd_kinds(words: Sequence[str]) -> list[Kind]:
    """Give the kinds named by plural, singular, kind or short name in any case, all of them without words.

    Only kinds of Kruise are meant here, so `statefulset` is the advanced one. Raises UsageError for other words.
    """
    chosen = [_parse(word) for part in words for word in part.split(",") if word.strip()]
    return list(dict.fromkeys(chosen)) if words else list(CRD_KINDS)


def _parse(word: str) -> Kind:
    wanted = word.strip().lower()
    for kind in CRD_KINDS:
        if wanted in {kind.plural, kind.singular, kind.resource, *kind.short_names}:
            return kind
    known = ", ".join(kind.plural for kind in CRD_KINDS)
    raise UsageError(f'"{word}" is no kind of Kruise', hint=f"one of {known}")

"""Read the names of kinds and objects as users type them (cli.md §3.2)."""

from typing import NamedTuple

from kubectl_kruise.facts.kinds import KINDS, Kind


class KindWord(NamedTuple):
    """A kind and the version that was asked for, "" for whichever is served."""

    kind: Kind
    version: str = ""


def parse_kind(word: str) -> KindWord | None:
    """Read `cs`, `CloneSet`, `clonesets.apps.kruise.io`, `clonesets.v1alpha1.apps.kruise.io`; None if unknown.

    Case does not matter. Where two groups have the name (`statefulset`), the native kind is meant, as in kubectl.
    """
    name, _, tail = word.lower().partition(".")
    version, group = "", tail
    first, _, rest = tail.partition(".")
    if rest and first[:1] == "v" and first[1:2].isdigit():
        version, group = first, rest
    elif tail and not rest and tail[:1] == "v" and tail[1:2].isdigit():
        version, group = tail, ""
    named = [kind for kind in KINDS if name in _names(kind)]
    if group:
        named = [kind for kind in named if kind.group == group] or [
            k for k in named if k.group.startswith(f"{group}.")
        ]
    if version:
        named = [kind for kind in named if version in kind.versions]
    named.sort(key=lambda kind: not kind.native)
    return KindWord(named[0], version) if named else None


def _names(kind: Kind) -> tuple[str, ...]:
    """Give what a kind is called; `advancedstatefulset` is in no API, but in everybody's mouth."""
    called = kind.called.replace(" ", "").lower()
    return (kind.kind.lower(), called, f"{called}s", kind.plural, kind.singular, *kind.short_names)


def kind_of(api_version: str, kind: str) -> KindWord | None:
    """Find the kind of an object or a manifest by its `apiVersion` and `kind`; None if unknown."""
    group, _, version = api_version.rpartition("/")
    found = next((known for known in KINDS if known.kind == kind and known.group == group), None)
    return KindWord(found, version) if found else None

"""From the words of a command line, or from manifests, to the objects they name (cli.md §3.2)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import KINDS, Kind
from kubectl_kruise.objects.notation.reference import KindWord, kind_of, parse_kind
from kubectl_kruise.objects.raw import Raw, name_of, namespace_of


class Target(NamedTuple):
    """One object of a cluster; `version` is "" until somebody asked for one or the server named it."""

    kind: Kind
    namespace: str
    name: str
    version: str = ""

    @property
    def display(self) -> str:
        """`cloneset.apps.kruise.io/web`, as kubectl writes it."""
        return f"{self.kind.display}/{self.name}"

    @property
    def title(self) -> str:
        """`cloneset "web"`, for sentences."""
        return f'{self.kind.word} "{self.name}"'

    def path(self, subresource: str = "") -> str:
        return self.kind.path(self.namespace, self.name, version=self.version, subresource=subresource)


class Named(NamedTuple):
    """`kind` is None for a bare name; `name` is "" for a kind alone."""

    kind: KindWord | None
    name: str


def parse_words(words: Sequence[str]) -> list[Named]:
    """Read `kind/name …`, `kind name …`, `kind`, or bare names; UsageError for what is none of these."""
    if not words:
        return []
    for word in words:
        if word in ("true", "false"):
            raise UsageError(
                f'"{word}" is no object', hint=f"give a switch its value with =, e.g. --watch={word}"
            )
    if any("/" in word for word in words):
        return [_slashed(word) for word in words]
    kinds = [parse_kind(part) for part in words[0].split(",")]
    if any(kinds):
        known = [kind or _known(part) for kind, part in zip(kinds, words[0].split(","), strict=True)]
        return [Named(kind, name) for kind in known for name in (words[1:] or [""])]
    if len(words) > 1:
        _known(words[0])
    return [Named(None, words[0])]


def parse_manifests(
    documents: Iterable[Raw], namespace: str, explicit: str
) -> tuple[list[Target], list[Raw]]:
    """Give the objects that manifests name, and the documents of kinds this tool does not know.

    `explicit` is the namespace given with -n: a manifest that says another is refused, as by kubectl.
    """
    targets: list[Target] = []
    unknown: list[Raw] = []
    for document in _flat(documents):
        kind = kind_of(str(document.get("apiVersion") or ""), str(document.get("kind") or ""))
        if kind is None or not kind.kind.workload:
            unknown.append(document)
            continue
        name, said = name_of(document), namespace_of(document)
        if not name:
            raise UsageError(f"a {kind.kind.kind} in the manifest has no name")
        if explicit and said and said != explicit:
            raise UsageError(
                f'{kind.kind.singular} "{name}" is of namespace "{said}", but -n says "{explicit}"',
                hint=f"leave -n out, or give -n {said}",
            )
        targets.append(Target(kind.kind, said or namespace, name, kind.version))
    return targets, unknown


def _slashed(word: str) -> Named:
    kind, _, name = word.partition("/")
    if not kind or not name or "/" in name:
        raise UsageError(f'"{word}" is not of the form KIND/NAME', hint="do not mix KIND/NAME with KIND NAME")
    return Named(_known(kind), name)


def _known(word: str) -> KindWord:
    found = parse_kind(word)
    if found:
        return found
    near = near_kind(word)
    hint = f"did you mean {near}?" if near else "e.g. cloneset, asts, deployment, statefulset"
    raise UsageError(f'unknown kind "{word}"', hint=hint)


def near_kind(word: str) -> str:
    """Give the kind of workload that a word may be a slip of, "" for none."""
    from difflib import get_close_matches

    names = sorted({name for kind in KINDS for name in (kind.plural, kind.singular)})
    return next(iter(get_close_matches(word.lower(), names, n=1)), "")


def _flat(documents: Iterable[Raw]) -> Iterable[Raw]:
    for document in documents:
        if str(document.get("kind") or "").endswith("List") and isinstance(document.get("items"), list):
            for index, item in enumerate(document["items"]):
                if not isinstance(item, dict) or not item.get("kind"):
                    raise UsageError(f"items[{index}] of a {document['kind']} has no kind")
            yield from _flat(document["items"])
        else:
            yield document

"""Read the manifests behind `-f FILE|-`: YAML or JSON, many documents, folders."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.raw import Raw

_SUFFIXES: Final = (".yaml", ".yml", ".json")
_BY_REFERENCE: Final = 10
"""How many values a file may hold per character, those that it only refers to counted each time."""
_LEAST: Final = 10_000


class Manifest(NamedTuple):
    """One file: where it is from, its text, and the documents in it, empty ones left out."""

    source: str
    text: str
    documents: list[Raw]

    @property
    def is_json(self) -> bool:
        return self.text.lstrip().startswith("{")


def read_manifests(names: Sequence[str], *, recursive: bool = False) -> list[Raw]:
    """Give all documents in order; UsageError names the file that is missing or cannot be read."""
    return [document for file in read_files(names, recursive=recursive) for document in file.documents]


def read_files(names: Sequence[str], *, recursive: bool = False) -> list[Manifest]:
    """Give all files in order; UsageError names the one that is missing or cannot be read."""
    return [
        Manifest(source, text, _parse(source, text))
        for name in names
        for source, text in _texts(name, recursive)
    ]


def _texts(name: str, recursive: bool) -> Iterator[tuple[str, str]]:
    if name == "-":
        yield "stdin", sys.stdin.read()
        return
    path = Path(name)
    if not path.is_dir():
        yield name, _read(path)
        return
    found = sorted(path.rglob("*") if recursive else path.iterdir())
    chosen = [entry for entry in found if entry.is_file() and entry.suffix in _SUFFIXES]
    if not chosen:
        raise UsageError(
            f"no manifest in {name}", hint="-R looks into the folders below" if not recursive else ""
        )
    for entry in chosen:
        yield str(entry), _read(entry)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {path}", cause=error.strerror or str(error)) from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text", cause=str(error)) from None


def _parse(source: str, text: str) -> list[Raw]:
    import yaml

    from kubectl_kruise.cluster.goyaml import Loader

    loader, inspection = Loader(text), _Inspection(source, text)
    documents: list[Raw] = []
    try:
        while loader.check_node():
            node = loader.get_node()
            inspection.look(node)
            documents.append(loader.construct_document(node))
    except yaml.YAMLError as error:
        raise UsageError(f"{source} is not valid YAML", cause=" ".join(str(error).split())) from None
    finally:
        loader.dispose()
    for document in documents:
        if document is not None and not isinstance(document, dict):
            raise UsageError(f"{source} holds no Kubernetes object, but a {type(document).__name__}")
    return [document for document in documents if document]


class _Inspection:
    """Looks at one file before anything is built of it."""

    def __init__(self, source: str, text: str) -> None:
        self._source = source
        self._left = _BY_REFERENCE * len(text) + _LEAST

    def look(self, node: Any, path: str = "", above: tuple[int, ...] = ()) -> None:
        """Refuse a key that stands twice in one mapping, for readers differ in which one they take.

        Refuse as well what holds itself, and what becomes far larger than the file by references to references.
        """
        self._left -= 1
        if self._left < 0:
            raise UsageError(f"{self._source} grows too large by its references (*{path.rpartition('.')[2]})")
        if id(node) in above:
            raise UsageError(f"{self._source}: {path} holds itself, by a reference")
        within = (*above, id(node))
        if node.id == "sequence":
            for index, item in enumerate(node.value):
                self.look(item, f"{path}[{index}]", within)
        if node.id != "mapping":
            return
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            here = f"{path}.{name}".lstrip(".")
            if name in seen and name != "<<":
                raise UsageError(f"{self._source} says {here} twice, again in line {key.start_mark.line + 1}")
            seen.add(name)
            self.look(value, here, within)

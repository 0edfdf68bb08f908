"""Changes made in the text of a manifest: comments, order and layout stay as somebody wrote them.

The text is YAML, of which JSON is a part. Places are those that the parser names, in characters.
"""

import json
import re
from collections.abc import Container, Iterable, Sequence
from typing import Any, NamedTuple

import yaml

from kubectl_kruise.cluster.goyaml import Loader
from kubectl_kruise.engine.inplace.difference import Operation, difference
from kubectl_kruise.objects.raw import Raw


class Edit(NamedTuple):
    """`text` takes the place of what stands from `start` up to `end`."""

    start: int
    end: int
    text: str = ""


def rewrite(text: str, wanted: Sequence[Raw]) -> str | None:
    """Change `text`, so that its documents, empty ones left out, are those of `wanted`.

    Values can be replaced by others, and fields be taken out. None where the text does not come out right: what is
    held by reference, for instance, cannot be changed in one place only.
    """
    documents = [pair for pair in _documents(text) if pair[1]]
    if len(documents) != len(wanted):
        return None
    edits = [
        edit
        for (node, value), new in zip(documents, wanted, strict=True)
        for edit in _edits(text, node, difference(value, new))
    ]
    made = text
    for edit in sorted(set(edits), reverse=True):
        made = made[: edit.start] + edit.text + made[edit.end :]
    try:
        right = [value for _, value in _documents(made) if value] == list(wanted)
    except yaml.YAMLError:
        return None
    return made if right else None


def _documents(text: str) -> list[tuple[Any, Any]]:
    """Give each document as the node of the parser, and as what it holds."""
    loader, found = Loader(text), []
    try:
        while loader.check_node():
            node = loader.get_node()
            found.append((node, loader.construct_document(node)))
    finally:
        loader.dispose()
    return found


def _edits(text: str, root: Any, operations: Sequence[Operation]) -> Iterable[Edit]:
    gone = {operation.path for operation in operations if operation.op == "remove"}
    for operation in operations:
        *above, last = operation.path
        parent = root
        for step in above:
            parent = _below(parent, step)
        if parent is None or parent.id != "mapping":
            return
        if operation.op == "remove":
            yield _removal(text, parent, last, {path[-1] for path in gone if path[:-1] == tuple(above)})
        elif operation.op == "replace" and (node := _below(parent, last)) is not None:
            yield _replacement(text, node, operation.value)


def _below(node: Any, step: str) -> Any:
    """Give the node at a key or index, None where there is none."""
    if node is None or node.id == "scalar":
        return None
    if node.id == "sequence":
        return node.value[int(step)]
    return next((value for key, value in node.value if key.value == step), None)


def _replacement(text: str, node: Any, value: object) -> Edit:
    """Write another scalar in the quotes of the one that was there."""
    start, end = node.start_mark.index, node.end_mark.index
    mark = text[start : start + 1]
    plain = str(value)
    if mark == '"':
        return Edit(start, end, json.dumps(plain, ensure_ascii=False))
    return Edit(start, end, f"'{plain}'" if mark == "'" else plain)


def _removal(text: str, mapping: Any, name: str, gone: Container[str]) -> Edit:
    """Take out a key with its value: in block style its lines, else up to the comma that parts it from the others.

    `gone` are the keys that leave this mapping.
    """
    names = [key.value for key, _ in mapping.value]
    at = names.index(name)
    key, value = mapping.value[at]
    if not mapping.flow_style:
        start = text.rfind("\n", 0, key.start_mark.index) + 1
        return Edit(start, _last_line(text, key.start_mark.index, value.end_mark.index))
    if any(other not in gone for other in names[:at]):
        return Edit(mapping.value[at - 1][1].end_mark.index, value.end_mark.index)
    following = mapping.value[at + 1][0].start_mark if at + 1 < len(names) else value.end_mark
    return Edit(key.start_mark.index, following.index)


def _last_line(text: str, start: int, end: int) -> int:
    """Give the end of the last line of a block: what the parser counts to it may be comments about what follows."""
    kept = re.sub(r"(\n[ \t]*(#[^\n]*)?)+\Z", "", text[start:end])
    line_end = text.find("\n", start + len(kept))
    return len(text) if line_end < 0 else line_end + 1

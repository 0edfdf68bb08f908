"""Brings our own observations into the recordings' words: times, uids, versions and random ids become placeholders."""

import json
import re
from typing import Any

from kubectl_kruise.facts.names import RANDOM_LETTERS

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
CONTAINER_ID = re.compile(r'containerd://[^"\\]+')
VOLATILE = ("resourceVersion", "creationTimestamp", "managedFields", "selfLink")
NAMESPACE = "recorded"
OF_NAMESPACE = re.compile(r'"NS(?=["-])')
OURS = re.compile(f'"{NAMESPACE}(?=["-])')
"""The namespace, and names that begin with it."""
DRAWN = re.compile(f"[{RANDOM_LETTERS}]{{5}}")

POINTER = re.compile(r"\(0x[0-9a-f]+\)")


class Names:
    """Random pod names and instance ids by order of creation: `web-x7k2q` is `web-p1`, its id is `id-p1`."""

    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}
        self._real: dict[str, str] = {}
        self._refused: set[str] = set()

    def learn(self, base: str, name: str) -> None:
        """Note a pod whose name is `base` plus a random id; the numbers run on over all bases. Ordinals are no such ids."""
        self._refused.discard(name)
        suffix = name.removeprefix(base)
        if suffix in self._numbers or not DRAWN.fullmatch(suffix):
            return
        self._numbers[suffix] = f"p{len(self._numbers) + 1}"
        self._real[f"{base}{self._numbers[suffix]}"] = name

    def refuse(self, name: str) -> None:
        """Note a name that was drawn for a pod which the server did not take: `web-xxxxx`, unless it takes it later."""
        if name not in self._real.values() and DRAWN.fullmatch(name.rpartition("-")[2]):
            self._refused.add(name)

    def translate(self, text: str) -> str:
        for name in self._refused:
            text = text.replace(name, f"{name[:-5]}xxxxx")
            text = re.sub(rf"(?<![\w-]){name[-5:]}(?![\w-])", "xxxxx", text)
        for suffix, number in self._numbers.items():
            text = re.sub(rf"(?<=-){suffix}\b", number, text)
            text = re.sub(rf"(?<![\w-]){suffix}(?![\w-])", f"id-{number}", text)
        return text

    def placeholder(self, name: str) -> str:
        """Give `web-p1` for one of our names; an unknown name stands for itself."""
        return next((placeholder for placeholder, real in self._real.items() if real == name), name)

    def realise(self, value: Any) -> Any:
        """Put our names into an action of a recording."""
        text = OF_NAMESPACE.sub(f'"{NAMESPACE}', json.dumps(value))
        for placeholder in sorted(self._real, key=len, reverse=True):
            text = re.sub(rf"\b{re.escape(placeholder)}\b", self._real[placeholder], text)
        return json.loads(text)


def normalise(value: Any, names: Names) -> Any:
    """Give a copy with placeholders for everything that differs between two runs."""
    text = json.dumps(value, ensure_ascii=False)
    text = TIME.sub("TIME", UID.sub("UID", CONTAINER_ID.sub("containerd://CID", text)))
    text = POINTER.sub("(POINTER)", text)
    return _drop(json.loads(OURS.sub('"NS', names.translate(text))))


def _drop(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _drop(child)
            for key, child in value.items()
            if key not in VOLATILE or (key == "creationTimestamp" and child is None)
        }
    return [_drop(child) for child in value] if isinstance(value, list) else value

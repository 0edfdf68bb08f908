"""Which of our pods stands for which recorded pod: pods chosen among equals are equal in all that was seen of them.

A pod's history is what it was and what was written to it, step by step; the claims of its instance belong to it, also
before the pod comes to be and after it is gone. Two runs agree when they hold the same histories, and when scaling in
leaves the nodes equally full.
"""

import json
import re
from collections import Counter, defaultdict
from typing import Any

from tests.conformance.comparing.writes import TOPOLOGY, Write, done, intent

History = tuple[str, ...]


CLAIMS = "persistentvolumeclaims"
INSTANCE = "apps.kruise.io/cloneset-instance-id"
UNMADE = re.compile(r"-(?:p\d+|xxxxx)$")
"""The end of a drawn name. Whether an instance has a number before its pod comes to be is the recorder's affair."""


class Histories:
    """Histories of the pods of one run, by name."""

    def __init__(self) -> None:
        self.by_name: dict[str, History] = {}
        self.node: dict[str, str | None] = {}
        self.alive: set[str] = set()
        self._holders: set[str] = set()
        self._holder: dict[str, str] = {}
        self._made: set[str] = set()

    def _key(self, name: str) -> str:
        """Give the name under which something is filed: of instances that are no pods yet one for all of them."""
        unmade = name not in self._made and UNMADE.search(name) is not None
        return UNMADE.sub("-xxxxx", name) if unmade else name

    def record(self, pods: list[dict[str, Any]], claims: list[dict[str, Any]], writes: list[Write]) -> None:
        """Add one step: the settled pods and claims, and the writes that led there; race losers are left out."""
        settled = {pod["name"]: pod for pod in pods}
        self._learn_holders(claims, writes)
        self._made |= set(settled) | {
            write.name
            for write in writes
            if (write.verb, write.resource) == ("create", "pods") and write.code < 300
        }
        written: dict[str, set[str]] = defaultdict(set)
        for write in done(writes):
            if (wanted := intent(write)) is None:
                continue
            if write.resource.split("/")[0] == "pods":
                written[self._key(write.name)].add(
                    _unnamed(json.dumps(wanted, ensure_ascii=False), write.name)
                )
            elif write.resource == CLAIMS:
                holder = self._holder.get(write.name, write.name)
                written[self._key(holder)].add(
                    _unnamed(json.dumps([write.name, *wanted], ensure_ascii=False), holder)
                )
        held: dict[str, list[str]] = defaultdict(list)
        for claim in claims:
            holder = self._holder.get(claim["name"], claim["name"])
            held[self._key(holder)].append(
                _unnamed(json.dumps(claim, ensure_ascii=False, sort_keys=True), holder)
            )
        for name in {*settled, *written, *held, *self.alive, *self._holders}:
            seen = [_content(settled.get(name)), sorted(held[name]), sorted(written[name])]
            entry = json.dumps(seen, sort_keys=True)
            self.by_name[name] = (*self.by_name.get(name, (_base(name),)), entry)
            if name in settled:
                self.node[name] = settled[name]["node"]
        self.alive, self._holders = set(settled), {name for name, found in held.items() if found}

    def _learn_holders(self, claims: list[dict[str, Any]], writes: list[Write]) -> None:
        """Note the pod that each claim is for: its instance's pod, whether that exists or not."""
        for write in writes:
            if write.resource == CLAIMS and "metadata" in (body := write.body or {}):
                meta = body["metadata"]
                owners = [f"{found['kind']}/{found['name']}" for found in meta.get("ownerReferences") or []]
                self._note_holder(write.name, meta.get("labels"), owners)
        for claim in claims:
            self._note_holder(claim["name"], claim["labels"], claim["owners"])

    def _note_holder(self, claim: str, labels: dict[str, str] | None, owners: list[str]) -> None:
        instance = (labels or {}).get(INSTANCE, "")
        for owner in owners:
            kind, _, name = owner.partition("/")
            if kind != "Pod":
                name = f"{name}-{instance.removeprefix('id-')}"
            if claim.endswith(f"-{name}"):
                self._holder[claim] = name

    def crowding(self) -> list[int]:
        """Give the number of living pods per node, the fullest first: nodes themselves have no name here."""
        return sorted(Counter(self.node[name] for name in self.alive).values(), reverse=True)

    def all(self) -> Counter[History]:
        return Counter(self.by_name.values())

    def groups(self) -> dict[History, list[str]]:
        """Give the names of living pods by history, in order of creation."""
        found: dict[History, list[str]] = defaultdict(list)
        for name in sorted(self.alive, key=_number):
            found[self.by_name[name]].append(name)
        return found


def match(recorded: Histories, ours: Histories) -> dict[str, str]:
    """Give recorded name → our placeholder for living pods; equal pods are paired so that shared nodes agree.

    Raises ValueError when the histories differ.
    """
    theirs, mine = recorded.groups(), ours.groups()
    if {h: len(n) for h, n in theirs.items()} != {h: len(n) for h, n in mine.items()}:
        raise ValueError("histories differ")
    nodes: dict[str | None, str | None] = {}
    pairs: dict[str, str] = {}
    for history, names in sorted(theirs.items(), key=lambda item: len(item[1])):
        free = list(mine[history])
        for name in names:
            node = recorded.node[name]
            wanted = [other for other in free if nodes.get(node, ours.node[other]) == ours.node[other]]
            fresh = [other for other in wanted if node in nodes or ours.node[other] not in nodes.values()]
            chosen = (fresh or wanted or free)[0]
            nodes.setdefault(node, ours.node[chosen])
            free.remove(chosen)
            pairs[name] = chosen
    return pairs


def _base(name: str) -> str:
    return name.rpartition("-p")[0]


def _number(name: str) -> tuple[int, str]:
    digits = name.rpartition("-p")[2]
    return (int(digits) if digits.isdecimal() else 0, name)


def _unnamed(text: str, name: str) -> str:
    """Take a pod's own name and id out of what is said of it."""
    if name.endswith("-xxxxx"):
        return re.sub(r"\bxxxxx\b", "id-p", text.replace(name, f"{name[:-5]}p"))
    base, _, number = name.rpartition("-p")
    text = re.sub(rf"{re.escape(name)}(?!\d)", f"{base}-p", text)
    return re.sub(rf"\bid-p{number}(?!\d)", "id-p", text)


def _content(pod: dict[str, Any] | None) -> Any:
    if pod is None:
        return None
    content = {key: value for key, value in pod.items() if key not in {"name", "node"}}
    content["labels"] = {k: v for k, v in (pod["labels"] or {}).items() if k not in TOPOLOGY}
    if any("crash" in image for image in pod["images"].values()):
        content["restarts"] = {name: min(count, 1) for name, count in pod["restarts"].items()}
    if content.get("volumes"):  # volumes of claims stand in the order of a Go map, which is random
        content["volumes"] = sorted(content["volumes"], key=lambda volume: volume["name"])
    content = {key: value for key, value in content.items() if value not in (None, [], {})}
    return json.loads(_unnamed(json.dumps(content, ensure_ascii=False), pod["name"]))

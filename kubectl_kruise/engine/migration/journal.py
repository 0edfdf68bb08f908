"""What a migration remembers in the cluster, so that any run can go on with it or undo it (migration.md §4.1).

The live state outranks the journal: it holds what cannot be read from the cluster any more (manifests of deleted
objects, the pods of the start), never how far the migration is.
"""

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple, Self

from kubectl_kruise.engine.migration.marks import PodMark
from kubectl_kruise.engine.migration.pairs import Pair, migrating_kind, pair_of, twin_of
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import Raw

SCHEMA: Final = 1
_PACKED: Final = "gzip:"
_LONG: Final = 200 * 1024
_NAME_MAX: Final = 253
_DIGEST: Final = 10
_MANY_PODS: Final = 3000


class Mode(StrEnum):
    ADOPT = "adopt"
    SURGE = "surge"
    RECREATE = "recreate"
    HANDOVER = "handover"


class Phase(StrEnum):
    """Where the migration stood when the journal was last written."""

    STARTED = "Started"
    ARMED = "Armed"
    MOVED = "Moved"
    DONE = "Done"
    UNDOING = "Undoing"


class Reference(NamedTuple):
    """One of the two workloads. `uid` is "" for one that is not there yet."""

    kind: str
    name: str
    api_version: str
    uid: str = ""


class Rewrite(NamedTuple):
    """A field of another object that was changed: the value at `path` before and after.

    A `temporary` one is changed back when the migration is done, the others only when it is undone.
    """

    api_version: str
    kind: str
    name: str
    path: tuple[str, ...]
    before: Any
    after: Any
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Journal:
    """`source_manifest` and `target_manifest` are as they shall be when nothing is locked any more.

    `replicaset` is the manifest of the one that has the pods, {} without one; `zero_sized` are those of older
    revisions. `phases` says when each was reached. Times are RFC 3339.
    """

    id: str
    mode: Mode
    source: Reference
    target: Reference
    replicas: int
    started_at: str
    phase: Phase = Phase.STARTED
    holder: str = ""
    renewed_at: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)
    phases: Mapping[str, str] = field(default_factory=dict)
    source_manifest: Raw = field(default_factory=dict)
    target_manifest: Raw = field(default_factory=dict)
    replicaset: Raw = field(default_factory=dict)
    zero_sized: Sequence[Raw] = ()
    pods: Sequence[PodMark] = ()
    rewrites: Sequence[Rewrite] = ()

    @property
    def kind(self) -> Kind:
        """The kind of the source."""
        return migrating_kind(self.source.api_version, self.source.kind)

    @property
    def target_kind(self) -> Kind:
        return twin_of(self.kind)

    @property
    def pair(self) -> Pair:
        return pair_of(self.kind)

    @property
    def forward(self) -> bool:
        """Say whether the way leads to Kruise."""
        return self.kind.native

    @property
    def kruise_manifest(self) -> Raw:
        return self.target_manifest if self.forward else self.source_manifest

    @property
    def native_manifest(self) -> Raw:
        return self.source_manifest if self.forward else self.target_manifest

    def data(self) -> dict[str, str]:
        """Write the journal as the data of a ConfigMap or Secret."""
        state = {
            "schema": SCHEMA,
            **{name: getattr(self, name) for name in _PLAIN},
            "source": self.source._asdict(),
            "target": self.target._asdict(),
        }
        pods = self.pods if len(self.pods) <= _MANY_PODS else [(pod.name, pod.uid) for pod in self.pods]
        parts = {
            "state.json": state,
            "source.json": self.source_manifest,
            "target.json": self.target_manifest,
            "replicaset.json": self.replicaset,
            "zero-sized.json": list(self.zero_sized),
            "pods.json": [list(pod) for pod in pods],
            "refs.json": [rewrite._asdict() for rewrite in self.rewrites],
        }
        return {key: _packed(json.dumps(part, separators=(",", ":"))) for key, part in parts.items()}

    @classmethod
    def read(cls, data: Mapping[str, str]) -> Self:
        """Read what `data` wrote. Raises ValueError where it cannot have been written by this release."""
        try:
            parts = {key: json.loads(_unpacked(text)) for key, text in data.items()}
            state = parts["state.json"]
            if state["schema"] != SCHEMA:
                raise ValueError(f"its schema is {state['schema']}, not {SCHEMA}")
            return cls(
                **{name: state[name] for name in _PLAIN if name not in ("mode", "phase")},
                mode=Mode(state["mode"]),
                phase=Phase(state["phase"]),
                source=Reference(**state["source"]),
                target=Reference(**state["target"]),
                source_manifest=parts["source.json"],
                target_manifest=parts["target.json"],
                replicaset=parts["replicaset.json"],
                zero_sized=parts["zero-sized.json"],
                pods=[PodMark(*pod) for pod in parts["pods.json"]],
                rewrites=[
                    Rewrite(**{**rewrite, "path": tuple(rewrite["path"])}) for rewrite in parts["refs.json"]
                ],
            )
        except (KeyError, TypeError, OSError) as error:
            raise ValueError(f"it cannot be read: {error!r}") from error


_PLAIN: Final = (
    "id", "mode", "replicas", "started_at", "phase", "holder", "renewed_at", "options", "counters", "phases",
)  # fmt: skip


def journal_name(source: Reference) -> str:
    """Give the name of the journal of one source: two runs for the same workload meet there."""
    name = f"kruise-migrate-{migrating_kind(source.api_version, source.kind).word}-{source.name}"
    if len(name) <= _NAME_MAX:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST]
    return f"{name[: _NAME_MAX - _DIGEST - 1]}-{digest}"


def _packed(text: str) -> str:
    """Compress a long text: a ConfigMap holds a mebibyte in all."""
    if len(text) <= _LONG:
        return text
    return _PACKED + base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _unpacked(text: str) -> str:
    if not text.startswith(_PACKED):
        return text
    return gzip.decompress(base64.b64decode(text.removeprefix(_PACKED))).decode()

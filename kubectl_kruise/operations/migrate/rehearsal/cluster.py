"""A cluster that takes every write as if, and passes reads and dry runs on to the real one."""

import copy
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Away, Change, Cluster, DryRun, Keep, Patch
from kubectl_kruise.engine.migration.stages import Counts, Stage
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw, labels_of, metadata, name_of
from kubectl_kruise.operations.migrate.rehearsal.patching import patched

_SCALE: Final = "/scale"


class Noted(NamedTuple):
    """A request of the rehearsal: `dry` for one that only tries, and was sent."""

    stage: Stage | None
    method: str
    path: str
    body: object
    dry: bool = False


class RehearsalClock(VirtualClock):
    """Time that passes by being waited for."""

    def wait(self, condition: object, seconds: float | None) -> None:
        del condition
        self.advance(1.0 if seconds is None else seconds)


class RehearsalCluster:
    """What is there, with all writes so far laid over it; `work` does what controllers would after each."""

    def __init__(self, real: Cluster, clock: VirtualClock) -> None:
        self.namespace, self.context, self.server = real.namespace, real.context, real.server
        self.noted: list[Noted] = []
        self.over: dict[str, Raw | None] = {}
        """Objects by path as they are after the writes, None for deleted ones."""
        self.work: Callable[[], None] = lambda: None
        self._real = real
        self._clock = clock
        self._stage: Stage | None = None
        self._version = 0
        self._touched = False
        self._listed: dict[tuple[str, str, str], Raw] = {}

    def enter(self, stage: Stage, counts: Counts | None) -> None:
        """Note requests under this stage from now on."""
        del counts
        self._stage = stage

    def get(self, path: str, *, query: Mapping[str, str] | None = None) -> Raw:
        self._catch_up()
        return self._read(path, query)

    def _read(self, path: str, query: Mapping[str, str] | None = None) -> Raw:
        if path not in self.over:
            return self._real.get(path, query=query)
        live = self.over[path]
        if live is None:
            raise NotFoundError(f"{path} is gone")
        return copy.deepcopy(live)

    def list(
        self, path: str, *, labels: str = "", fields: str = "", chunk: int = 500, keep: Keep | None = None
    ) -> Raw:
        self._catch_up()
        key = (path, labels, fields)
        if key not in self._listed:
            self._listed[key] = self._real.list(path, labels=labels, fields=fields, chunk=chunk, keep=keep)
        listed = self._listed[key]
        below = f"{path}/"
        found = {
            f"{below}{name_of(item)}": item
            for item in listed["items"]
            if f"{below}{name_of(item)}" not in self.over
        }
        for at, live in self.over.items():
            fits = live is not None and at.startswith(below) and "/" not in at.removeprefix(below)
            if live is not None and fits and _selected(labels, live):
                found[at] = live  # not copied: there may be many, and no reader changes what it lists
        return {**listed, "items": list(found.values())}

    def create(self, path: str, body: Raw, *, dry_run: DryRun = DryRun.NONE) -> Raw:
        self._note("POST", path, body, dry_run)
        if dry_run is not DryRun.NONE:
            return self._real.create(path, body, dry_run=dry_run)
        at = f"{path}/{name_of(body)}"
        if self.over.get(at) is not None:
            raise ConflictError(f"{at} exists already")
        made = copy.deepcopy(body)
        namespace = path.partition("/namespaces/")[2].partition("/")[0]
        made["metadata"] = {
            **metadata(body), "namespace": namespace, "uid": str(uuid.uuid4()), "generation": 1,
            "creationTimestamp": rfc3339(self._clock.time()),
        }  # fmt: skip
        return self._store(at, made)

    def replace(self, path: str, body: Raw, *, dry_run: DryRun = DryRun.NONE) -> Raw:
        self._note("PUT", path, body, dry_run)
        return self._store(path, copy.deepcopy(body))

    def patch(self, path: str, patch: Patch, *, dry_run: DryRun = DryRun.NONE) -> Raw:
        self._note("PATCH", path, patch.body, dry_run)
        if dry_run is not DryRun.NONE:
            return self._real.patch(path, patch, dry_run=dry_run)
        at = path.removesuffix(_SCALE)
        made = patched(self._read(at), patch)
        made["metadata"]["generation"] = int(metadata(made).get("generation") or 0) + 1
        if metadata(made).get("deletionTimestamp") and not metadata(made).get("finalizers"):
            self.over[at] = None
            self._touched = True
            return made
        return self._store(at, made)

    def delete(self, path: str, *, options: Raw | None = None, dry_run: DryRun = DryRun.NONE) -> Raw:
        self._note("DELETE", path, options, dry_run)
        live = self._read(path)
        if metadata(live).get("finalizers"):
            live["metadata"]["deletionTimestamp"] = rfc3339(self._clock.time())
            return self._store(path, live)
        self.over[path] = None
        self._touched = True
        return live

    def watch(
        self,
        path: str,
        since: str,
        *,
        labels: str = "",
        fields: str = "",
        timeout: float | None = None,
        follow: bool = True,
        away: Away | None = None,
    ) -> Iterator[Change]:
        """Give nothing: nobody else acts in a rehearsal."""
        del path, since, labels, fields, timeout, follow, away
        return iter(())

    def served(self, group: str, plural: str = "", *, fresh: bool = False) -> tuple[str, ...]:
        return self._real.served(group, plural, fresh=fresh)

    def put(self, path: str, live: Raw | None) -> None:
        """Change what is there, as a controller would; nothing is noted."""
        self.over[path] = live

    def _store(self, path: str, live: Raw) -> Raw:
        if texts := live.pop("stringData", None):  # as it is given in a Secret, not as it is kept
            live["data"] = {key: b64encode(text.encode()).decode() for key, text in texts.items()}
        self._version += 1
        live["metadata"]["resourceVersion"] = f"r{self._version}"
        self.over[path] = live
        self._touched = True
        return copy.deepcopy(live)

    def _catch_up(self) -> None:
        """Let controllers do what the writes since the last read would have made them do."""
        if self._touched:
            self._touched = False
            self.work()

    def _note(self, method: str, path: str, body: object, dry_run: DryRun) -> None:
        dry = dry_run is not DryRun.NONE
        strict = "&fieldValidation=Strict" if method == "POST" else ""
        asked = f"{path}?dryRun=All{strict}" if dry else path
        self.noted.append(Noted(self._stage, method, asked, body, dry))


def _selected(labels: str, live: Raw) -> bool:
    """Say whether an object has the labels of a selector; only equalities are looked at."""
    wanted = dict(pair.split("=", 1) for pair in labels.split(",") if "=" in pair and "!" not in pair)
    return wanted.items() <= labels_of(live).items()

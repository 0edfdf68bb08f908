"""Events as controllers write them: one object per (object, reason, message), counted when repeated."""

import itertools
import logging
import threading
import zlib
from typing import NamedTuple

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.event_budget import EventBudget
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import EVENT, Kind
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw, name_of, namespace_of, uid_of, version_of

LOG = logging.getLogger("kubectl_kruise.controllers")
REMEMBERED = 4096


class _Written(NamedTuple):
    name: str
    times: int


class Recorder:
    """Writes core/v1 Events for one component (sandbox-apiserver.md OT3).

    Events are best effort: one that cannot be written is logged and forgotten, it never fails a reconcile, and what
    exceeds an object's budget is not written at all.
    """

    def __init__(self, cluster: Cluster, clock: Clock, component: str) -> None:
        self._cluster, self._clock, self._component = cluster, clock, component
        self._written: dict[tuple[str, str, str], _Written] = {}
        # Begun apart, so that components that speak of one object in one instant choose different names.
        self._sequence = itertools.count(zlib.crc32(component.encode()))
        self._lock = threading.Lock()
        self._budget = EventBudget(clock)

    def normal(self, kind: Kind, subject: Raw, reason: str, message: str) -> None:
        self._record(kind, subject, "Normal", reason, message)

    def warning(self, kind: Kind, subject: Raw, reason: str, message: str) -> None:
        self._record(kind, subject, "Warning", reason, message)

    def _record(self, kind: Kind, subject: Raw, event_type: str, reason: str, message: str) -> None:
        namespace = namespace_of(subject) or "default"
        about = (uid_of(subject), reason, message)
        known = self._written.get(about)
        if not self._budget.spend(uid_of(subject), again=known is not None):
            return
        try:
            if known is None or not self._count(namespace, known, about):
                self._create(namespace, _event(kind, subject, event_type, reason, message), about)
        except KruiseError as error:
            LOG.debug("event %s for %s/%s: %s", reason, namespace, name_of(subject), error.line())

    def _create(self, namespace: str, event: Raw, about: tuple[str, str, str]) -> None:
        now = self._clock.time()
        # Nanoseconds as client-go has them; the sequence keeps events of one instant of a virtual clock apart.
        suffix = f"{int(now * 1e9) + next(self._sequence):016x}"
        name = f"{event['involvedObject']['name']}.{suffix}"
        event |= {
            "metadata": {"name": name, "namespace": namespace},
            "source": {"component": self._component},
            "reportingComponent": self._component,
            "reportingInstance": "",
            "firstTimestamp": rfc3339(now),
            "lastTimestamp": rfc3339(now),
            "count": 1,
        }
        self._cluster.create(EVENT.path(namespace), event)
        with self._lock:
            if len(self._written) >= REMEMBERED:
                del self._written[next(iter(self._written))]
            self._written[about] = _Written(name, 1)

    def _count(self, namespace: str, known: _Written, about: tuple[str, str, str]) -> bool:
        """Count a repetition; False where the event is gone and has to be written anew."""
        change = {"count": known.times + 1, "lastTimestamp": rfc3339(self._clock.time())}
        try:
            self._cluster.patch(EVENT.path(namespace, known.name), Patch(PatchType.MERGE, change))
        except KruiseError as error:
            if error.http != 404:
                raise
            return False
        with self._lock:
            self._written[about] = _Written(known.name, known.times + 1)
        return True


def _event(kind: Kind, subject: Raw, event_type: str, reason: str, message: str) -> Raw:
    """Give the parts of an event that say what happened. Cached objects carry no kind, so it comes beside."""
    version = str(
        subject.get("apiVersion") or (f"{kind.group}/{kind.versions[0]}" if kind.group else kind.versions[0])
    )
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "involvedObject": {
            "kind": kind.kind,
            "namespace": namespace_of(subject),
            "name": name_of(subject),
            "uid": uid_of(subject),
            "apiVersion": version,
            "resourceVersion": version_of(subject),
        },
        "type": event_type,
        "reason": reason,
        "message": message,
    }

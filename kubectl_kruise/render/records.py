"""The stream of JSON records: the whole state per change, an Event per trouble."""

import json
from typing import Final

from kubectl_kruise.engine.problems import Problem
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.operations.rollout.snapshot import Snapshot
from kubectl_kruise.render.stream import Language
from kubectl_kruise.views.status.record import event_record, status_record


def to_line(record: Raw) -> str:
    """Give a record as one line of JSON, without the newline."""
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False)


def _record(snapshot: Snapshot) -> str:
    return to_line(status_record(snapshot))


def _event(snapshot: Snapshot, problem: Problem) -> str:
    return to_line(event_record(snapshot, problem))


RECORDS: Final = Language(_record, _record, _record, _record, _record, _event)

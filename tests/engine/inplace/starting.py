"""The first write of an in-place update, of a CloneSet's pod."""

from typing import Any

from kubectl_kruise.engine.inplace import execution
from kubectl_kruise.engine.inplace.change import Change


def start_update(pod: Any, change: Change, now: float) -> Any:
    labels = execution.revision_labels(change.revision, short=False)
    return execution.start_update(pod, change, now, labels=labels)

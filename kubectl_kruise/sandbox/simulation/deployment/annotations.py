"""Annotations that a Deployment and its ReplicaSets keep: revisions, desired and largest size (DR2)."""

from typing import Final

from kubectl_kruise.facts.names import DEPLOYMENT_REVISION, LAST_APPLIED
from kubectl_kruise.objects.raw import Raw, annotations_of

HISTORY: Final = "deployment.kubernetes.io/revision-history"
DESIRED: Final = "deployment.kubernetes.io/desired-replicas"
LARGEST: Final = "deployment.kubernetes.io/max-replicas"
_OWN: Final = frozenset(
    {
        LAST_APPLIED, DEPLOYMENT_REVISION, HISTORY, DESIRED, LARGEST,
        "deprecated.deployment.rollback.to",
    }
)  # fmt: skip


def revision_of(raw: Raw) -> int:
    """Give the revision number, 0 for none."""
    return _number(annotations_of(raw).get(DEPLOYMENT_REVISION))


def desired_of(replicaset: Raw) -> int | None:
    return _known(replicaset, DESIRED)


def largest_of(replicaset: Raw) -> int | None:
    return _known(replicaset, LARGEST)


def followed(deployment: Raw, replicaset: Raw, revision: int) -> dict[str, str]:
    """Give the annotations of the ReplicaSet in use: the Deployment's own, and the newest revision number.

    The number it had before goes to the history, so that a template that is rolled back to has one number only.
    """
    annotations = dict(annotations_of(replicaset))
    annotations |= {key: value for key, value in annotations_of(deployment).items() if key not in _OWN}
    old = annotations.get(DEPLOYMENT_REVISION, "")
    if _number(old) < revision:
        annotations[DEPLOYMENT_REVISION] = str(revision)
        if old:
            history = annotations.get(HISTORY)
            annotations[HISTORY] = f"{history},{old}" if history else old
    return annotations


def sized(replicaset: Raw, desired: int, largest: int) -> dict[str, str]:
    """Give the annotations with the sizes that hold for the Deployment now."""
    return {**annotations_of(replicaset), DESIRED: str(desired), LARGEST: str(largest)}


def annotated(raw: Raw, annotations: dict[str, str]) -> Raw:
    """Give the object with these annotations in place of its own."""
    return {**raw, "metadata": {**raw["metadata"], "annotations": annotations}}


def _known(replicaset: Raw, name: str) -> int | None:
    value = annotations_of(replicaset).get(name)
    return None if value is None else _number(value)


def _number(text: str | None) -> int:
    try:
        return int(text or 0)
    except ValueError:
        return 0

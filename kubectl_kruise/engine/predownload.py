"""Images pulled ahead of an in-place update (cloneset.md §23, advanced-statefulset.md §17).

Only under gate PreDownloadImageForInPlaceUpdate.
"""

import re
from enum import StrEnum
from typing import Final, NamedTuple

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.inplace.eligibility import pick_change
from kubectl_kruise.engine.revisions.content import recorded_template
from kubectl_kruise.facts.names import HASH_LABEL, PREDOWNLOAD_IGNORED, PREDOWNLOAD_MADE, REVISION_LABEL
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.pod import short_hash
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, labels_of, name_of

PARALLELISM: Final = "apps.kruise.io/image-predownload-parallelism"
TIMEOUT: Final = "apps.kruise.io/image-predownload-timeout-seconds"
MIN_UPDATED_READY: Final = "apps.kruise.io/image-predownload-min-updated-ready-pods"
FEW_REPLICAS: Final = 3
DEFAULT_TIMEOUT: Final = 300
_INT32: Final = range(-(2**31), 2**31)


class Mark(StrEnum):
    """The label that keeps the decision on the update revision: it is made once."""

    MADE = PREDOWNLOAD_MADE
    IGNORED = PREDOWNLOAD_IGNORED


class Predownload(NamedTuple):
    """What to do for an update revision: `jobs` to create, then the `mark` to set; `reason` says why."""

    mark: Mark
    jobs: tuple[Raw, ...]
    reason: str


class Settings(NamedTuple):
    """How jobs pull; `min_updated_ready` counts the updated pods that have to be ready before."""

    parallelism: number.IntOrPercent
    timeout: int
    min_updated_ready: int


class Rollout(NamedTuple):
    """A workload that goes from one revision to another, in what pulling ahead depends on.

    `in_place`: its strategy updates pods in place; `in_place_only`: in no other way. `partition` counts the pods that
    stay, `at_once` those that may be down together.
    """

    raw: Raw
    owner: Raw
    namespace: str
    replicas: int
    partition: int
    at_once: int
    in_place: bool
    in_place_only: bool
    selector: Raw
    template: Raw
    gates: Gates
    settings: Settings


def written_settings(raw: Raw, replicas: int) -> Settings:
    """Read the settings from the annotations of a workload; what cannot be read counts as not set."""
    written = annotations_of(raw)
    parallelism, timeout = _int32(written.get(PARALLELISM)), _int32(written.get(TIMEOUT))
    return Settings(
        1 if parallelism is None else parallelism,
        DEFAULT_TIMEOUT if timeout is None else timeout,
        _updated_ready(written.get(MIN_UPDATED_READY), replicas),
    )


def plan_predownload(rollout: Rollout, current: Raw, update: Raw) -> Predownload | None:
    """Decide for the step from one ControllerRevision to another; None where it is decided already, or too early."""
    if any(mark in labels_of(update) for mark in Mark):
        return None
    if rollout.settings.min_updated_ready > _updated_ready_so_far(rollout, update):
        return None
    if why := _not_worth_it(rollout) or _not_in_place(rollout, current, update):
        return Predownload(Mark.IGNORED, (), why)
    images = _new_images(current, update)
    jobs = tuple(_job(rollout, update, name, image) for name, image in images.items())
    return Predownload(Mark.MADE, jobs, "images are pulled before the pods are updated")


def _not_worth_it(rollout: Rollout) -> str:
    if not rollout.in_place:
        return "pods are not updated in place"
    if rollout.replicas <= FEW_REPLICAS:
        return f"{rollout.replicas} replicas are updated soon anyway"
    if rollout.partition == 0 and rollout.at_once >= rollout.replicas:
        return "all pods are updated at once"
    return ""


def _not_in_place(rollout: Rollout, current: Raw, update: Raw) -> str:
    verdict = pick_change(current, update, rollout.gates, in_place_only=rollout.in_place_only)
    return verdict.reason if verdict.change is None else ""


def _updated_ready_so_far(rollout: Rollout, update: Raw) -> int:
    """Give the count of the status, which is that of an earlier pass and may be about another revision."""
    status: Raw = rollout.raw.get("status") or {}
    return (
        int(status.get("updatedReadyReplicas") or 0) if status.get("updateRevision") == name_of(update) else 0
    )


def _new_images(current: Raw, update: Raw) -> dict[str, str]:
    before, after = _images(current), _images(update)
    return {name: image for name, image in after.items() if before.get(name) != image}


def _images(revision: Raw) -> dict[str, str]:
    template = recorded_template(revision.get("data") or {})
    containers = dig(template, ("spec", "containers"), [])
    return {str(container.get("name")): str(container.get("image") or "") for container in containers}


def _job(rollout: Rollout, update: Raw, container: str, image: str) -> Raw:
    revision = name_of(update)
    template: Raw = rollout.template.get("metadata") or {}
    labels = {**(template.get("labels") or {}), HASH_LABEL: labels_of(update).get(HASH_LABEL, "")}
    sandbox: Raw = {"labels": labels}
    if template.get("annotations"):
        sandbox["annotations"] = template["annotations"]
    elsewhere = {"key": REVISION_LABEL, "operator": "NotIn", "values": [revision, short_hash(revision)]}
    spec: Raw = {
        "image": image,
        "podSelector": {
            **rollout.selector,
            "matchExpressions": [*(rollout.selector.get("matchExpressions") or []), elsewhere],
        },
        "parallelism": rollout.settings.parallelism,
        "pullPolicy": {"backoffLimit": 1, "timeoutSeconds": rollout.settings.timeout},
        "completionPolicy": {"type": "Always", "ttlSecondsAfterFinished": 600},
        "sandboxConfig": sandbox,
    }
    secrets = dig(rollout.template, ("spec", "imagePullSecrets"), []) or []
    if secrets:
        spec["pullSecrets"] = [secret.get("name", "") for secret in secrets]
    return {
        "metadata": {
            "name": f"{revision}-{container}",
            "namespace": rollout.namespace,
            "labels": labels,
            "ownerReferences": [rollout.owner],
        },
        "spec": spec,
    }


def _updated_ready(text: str | None, replicas: int) -> int:
    """Read a number or a percentage of the replicas, rounded up."""
    if (count := _int32(text)) is not None:
        return count
    return number.legacy(text, replicas) if text and text.endswith("%") else 0


def _int32(text: str | None) -> int | None:
    if text is None or not re.fullmatch(r"[+-]?[0-9]+", text, re.ASCII) or int(text) not in _INT32:
        return None
    return int(text)

"""Images pulled ahead of an in-place update (cloneset.md §23); gate PreDownloadImageForInPlaceUpdate."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from kubectl_kruise.engine.cloneset.creation import owner_reference
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.engine.inplace.eligibility import pick_change
from kubectl_kruise.engine.revisions.content import recorded_template
from kubectl_kruise.facts.names import HASH_LABEL, PREDOWNLOAD_IGNORED, PREDOWNLOAD_MADE, REVISION_LABEL
from kubectl_kruise.facts.policies import IN_PLACE_ONLY, RECREATE
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
    """How jobs pull, from annotations in v1alpha1 and from fields in v1beta1."""

    parallelism: number.IntOrPercent
    timeout: int
    min_updated_ready: int


def read_settings(view: CloneSet) -> Settings:
    """Read the settings of a CloneSet; what cannot be read counts as not set."""
    if view.api_version.endswith("/v1beta1"):
        fields = dig(view.raw, ("spec", "updateStrategy", "rollingUpdate", "inPlaceUpdateStrategy"), {}) or {}
        return Settings(
            _given(fields, "imagePreDownloadParallelism", 1),
            _given(fields, "imagePreDownloadTimeoutSeconds", DEFAULT_TIMEOUT),
            _given(fields, "imagePreDownloadMinUpdatedReadyPods", 0),
        )
    written = annotations_of(view.raw)
    parallelism, timeout = _int32(written.get(PARALLELISM)), _int32(written.get(TIMEOUT))
    return Settings(
        1 if parallelism is None else parallelism,
        DEFAULT_TIMEOUT if timeout is None else timeout,
        _updated_ready(written.get(MIN_UPDATED_READY), view.replicas),
    )


def plan_predownload(view: CloneSet, current: Raw, update: Raw) -> Predownload | None:
    """Decide for the step from one ControllerRevision to another; None where it is decided already, or too early."""
    if any(mark in labels_of(update) for mark in Mark):
        return None
    settings = read_settings(view)
    if settings.min_updated_ready > _updated_ready_so_far(view, update):
        return None
    if why := _not_worth_it(view) or _not_in_place(view, current, update):
        return Predownload(Mark.IGNORED, (), why)
    images = _new_images(current, update)
    jobs = tuple(_job(view, update, settings, name, image) for name, image in images.items())
    return Predownload(Mark.MADE, jobs, "images are pulled before the pods are updated")


def _not_worth_it(view: CloneSet) -> str:
    if view.on_delete or not view.rolling or view.policy == RECREATE:
        return "pods are not updated in place"
    if view.replicas <= FEW_REPLICAS:
        return f"{view.replicas} replicas are updated soon anyway"
    at_once = number.legacy(_max_unavailable(view), view.replicas, up=False)
    if view.partition == 0 and at_once >= view.replicas:
        return "all pods are updated at once"
    return ""


def _max_unavailable(view: CloneSet) -> number.IntOrPercent:
    strategy: Raw = dig(view.raw, ("spec", "updateStrategy"), {}) or {}
    holder = strategy.get("rollingUpdate") or {} if view.api_version.endswith("/v1beta1") else strategy
    value = holder.get("maxUnavailable")
    return number.DEFAULT_MAX_UNAVAILABLE if value is None else value


def _not_in_place(view: CloneSet, current: Raw, update: Raw) -> str:
    verdict = pick_change(current, update, view.gates, in_place_only=view.policy == IN_PLACE_ONLY)
    return verdict.reason if verdict.change is None else ""


def _updated_ready_so_far(view: CloneSet, update: Raw) -> int:
    """Give the count of the status, which is that of an earlier pass and may be about another revision."""
    status: Raw = view.raw.get("status") or {}
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


def _job(view: CloneSet, update: Raw, settings: Settings, container: str, image: str) -> Raw:
    revision = name_of(update)
    template: Raw = view.template.get("metadata") or {}
    labels = {**(template.get("labels") or {}), HASH_LABEL: labels_of(update).get(HASH_LABEL, "")}
    sandbox: Raw = {"labels": labels}
    if template.get("annotations"):
        sandbox["annotations"] = template["annotations"]
    elsewhere = {"key": REVISION_LABEL, "operator": "NotIn", "values": [revision, short_hash(revision)]}
    spec: Raw = {
        "image": image,
        "podSelector": {
            **view.selector,
            "matchExpressions": [*(view.selector.get("matchExpressions") or []), elsewhere],
        },
        "parallelism": settings.parallelism,
        "pullPolicy": {"backoffLimit": 1, "timeoutSeconds": settings.timeout},
        "completionPolicy": {"type": "Always", "ttlSecondsAfterFinished": 600},
        "sandboxConfig": sandbox,
    }
    secrets = dig(view.template, ("spec", "imagePullSecrets"), []) or []
    if secrets:
        spec["pullSecrets"] = [secret.get("name", "") for secret in secrets]
    return {
        "metadata": {
            "name": f"{revision}-{container}",
            "namespace": view.namespace,
            "labels": labels,
            "ownerReferences": [owner_reference(view)],
        },
        "spec": spec,
    }


def _given(fields: Mapping[str, Any], name: str, default: int) -> Any:
    value = fields.get(name)
    return default if value is None else value


def _updated_ready(text: str | None, replicas: int) -> int:
    """Read a number or a percentage of the replicas, rounded up."""
    if (count := _int32(text)) is not None:
        return count
    return number.legacy(text, replicas) if text and text.endswith("%") else 0


def _int32(text: str | None) -> int | None:
    if text is None or not re.fullmatch(r"[+-]?[0-9]+", text, re.ASCII) or int(text) not in _INT32:
        return None
    return int(text)

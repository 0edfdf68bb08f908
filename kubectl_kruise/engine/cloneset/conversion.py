"""The same CloneSet in its other API version, as the conversion webhook answers (cloneset.md §1.8).

Both ways lose something: what OnDelete needs no more, fields without a place in v1alpha1, and whatever the Go type does
not know. Three fields of v1beta1 are annotations of v1alpha1, and one is a label that is only read.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from kubectl_kruise.engine.admission.cloneset_defaults import drop_null_times, typed_cloneset
from kubectl_kruise.facts.kinds import KRUISE_GROUP
from kubectl_kruise.facts.names import (
    EXCLUDE_PREPARING_DELETE_LABEL,
    PREDOWNLOAD_MIN_READY,
    PREDOWNLOAD_PARALLELISM,
    PREDOWNLOAD_TIMEOUT,
)
from kubectl_kruise.facts.policies import IN_PLACE_IF_POSSIBLE, IN_PLACE_ONLY, ON_DELETE, RECREATE
from kubectl_kruise.objects.raw import Raw, annotations_of, labels_of

ROLLING_UPDATE: Final = "RollingUpdate"
_POLICIES: Final = (RECREATE, IN_PLACE_IF_POSSIBLE, IN_PLACE_ONLY)
_IN_PLACE: Final = "inPlaceUpdateStrategy"
_ANNOTATIONS: Final = {
    "imagePreDownloadParallelism": PREDOWNLOAD_PARALLELISM,
    "imagePreDownloadTimeoutSeconds": PREDOWNLOAD_TIMEOUT,
    "imagePreDownloadMinUpdatedReadyPods": PREDOWNLOAD_MIN_READY,
}
_PRINTED_ALWAYS: Final = (
    "replicas", "readyReplicas", "availableReplicas", "updatedReplicas", "updatedReadyReplicas",
)  # fmt: skip
_INT32: Final = range(-(2**31), 2**31)


def convert_cloneset(raw: Raw, wanted: str) -> Raw:
    """Give a CloneSet in the version `wanted` (`v1alpha1` or `v1beta1`), which is not its own.

    `raw` is only read; metadata stays but for annotations. Raises ValueError where a value does not fit its Go type.
    """
    spec: Raw = typed_cloneset(raw)["spec"]
    drop_null_times(spec)
    annotations = annotations_of(raw)
    if wanted == "v1beta1":
        spec["scaleStrategy"] = _scale_to_beta(spec["scaleStrategy"], labels_of(raw))
        spec["updateStrategy"] = _update_to_beta(spec["updateStrategy"], annotations)
    else:
        annotations = annotations | _annotations_of_fields(spec["updateStrategy"])
        spec["scaleStrategy"] = _scale_to_alpha(spec["scaleStrategy"])
        spec["updateStrategy"] = _update_to_alpha(spec["updateStrategy"])
    metadata = {**raw["metadata"], "annotations": annotations} if annotations else raw["metadata"]
    status = dict.fromkeys(_PRINTED_ALWAYS, 0) | (raw.get("status") or {})
    return {
        **raw,
        "apiVersion": f"{KRUISE_GROUP}/{wanted}",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


def _scale_to_beta(scale: Raw, labels: Mapping[str, str]) -> Raw:
    """Turn the sense of claim reuse round; only the exact word `true` of the label counts."""
    made = {key: value for key, value in scale.items() if key != "disablePVCReuse"}
    if not scale.get("disablePVCReuse"):
        made["enablePVCReuse"] = True
    if labels.get(EXCLUDE_PREPARING_DELETE_LABEL) == "true":
        made["excludePreparingDelete"] = True
    return made


def _scale_to_alpha(scale: Raw) -> Raw:
    kept = ("podsToDelete", "maxUnavailable")
    made = {key: value for key, value in scale.items() if key in kept}
    if not scale.get("enablePVCReuse"):
        made["disablePVCReuse"] = True
    return made


def _update_to_beta(strategy: Raw, annotations: Mapping[str, str]) -> Raw:
    kind = strategy.get("type")
    if kind == ON_DELETE:
        return {"type": ON_DELETE}
    rolling = {key: value for key, value in strategy.items() if key not in ("type", _IN_PLACE)}
    rolling["podUpdatePolicy"] = kind if kind in _POLICIES else RECREATE
    in_place = strategy.get(_IN_PLACE)
    if in_place is not None or any(annotations.get(name) for name in _ANNOTATIONS.values()):
        rolling[_IN_PLACE] = {**(in_place or {}), **_fields_of_annotations(annotations)}
    return {"type": ROLLING_UPDATE, "rollingUpdate": rolling}


def _update_to_alpha(strategy: Raw) -> Raw:
    rolling = strategy.get("rollingUpdate") or {}
    made = {key: value for key, value in rolling.items() if key not in ("podUpdatePolicy", _IN_PLACE)}
    if strategy.get("type") == ON_DELETE:
        made["type"] = ON_DELETE
    else:
        policy = rolling.get("podUpdatePolicy")
        made["type"] = policy if policy in _POLICIES else RECREATE
    if in_place := rolling.get(_IN_PLACE):
        made[_IN_PLACE] = {key: value for key, value in in_place.items() if key not in _ANNOTATIONS}
    return made


def _fields_of_annotations(annotations: Mapping[str, str]) -> Raw:
    """Read the annotations; a parallelism that is no number stays text, of the others it is dropped."""
    found: dict[str, Any] = {}
    for field, name in _ANNOTATIONS.items():
        text = annotations.get(name) or ""
        number = _int32(text)
        if name == PREDOWNLOAD_PARALLELISM and text:
            found[field] = text if number is None else number
        elif number is not None and (number or name == PREDOWNLOAD_TIMEOUT):
            found[field] = number
    return found


def _annotations_of_fields(strategy: Raw) -> dict[str, str]:
    in_place = (strategy.get("rollingUpdate") or {}).get(_IN_PLACE) or {}
    return {name: str(in_place[field]) for field, name in _ANNOTATIONS.items() if field in in_place}


def _int32(text: str) -> int | None:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        return None
    return number if (number := int(text)) in _INT32 else None

"""What the API version does to a CloneSet that is written through it (cloneset.md §1.8, §26)."""

from typing import Final

from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.names import EXCLUDE_PREPARING_DELETE_LABEL
from kubectl_kruise.objects.raw import Raw, api_version, dig, labels_of, metadata, name_of
from kubectl_kruise.objects.workload import Workload

OLDER: Final = "v1alpha1"
NEWER: Final = "v1beta1"
_EXCLUDES: Final = ("fieldsV1", "f:spec", "f:scaleStrategy", "f:excludePreparingDelete")
_UNAVAILABLE: Final = "spec.updateStrategy.rollingUpdate.maxUnavailable"
_PARALLELISM: Final = "imagePreDownloadParallelism"
_TYPE: Final = "spec.updateStrategy.type"


def dropped(live: Raw) -> str:
    """Warn that a write through v1alpha1 drops what only v1beta1 has, "" where there is nothing to lose (Q28).

    The older version does not show the field; that somebody owns it in the newer one, it does.
    """
    if api_version(live) != OLDER or labels_of(live).get(EXCLUDE_PREPARING_DELETE_LABEL) == "true":
        return ""
    written = f"{CLONESET.group}/{NEWER}"
    entries = metadata(live).get("managedFields") or ()
    if not any(dig(entry, _EXCLUDES) is not None for entry in entries if entry.get("apiVersion") == written):
        return ""
    return "a write through v1alpha1 drops scaleStrategy.excludePreparingDelete, which only v1beta1 has"


def other_version(live: Raw, said: str) -> str:
    """Give the hint to write through the other version where only this one refuses, "" elsewhere.

    `said` is the server's refusal. v1beta1 takes no maxUnavailable of 0, be there a surge or not, and no percentage of
    pull jobs (Q1); v1alpha1 knows no OnDelete (Q2).
    """
    version = api_version(live)
    surge = _UNAVAILABLE in said and Workload(live, CLONESET).max_surge
    if version == NEWER and (surge or _PARALLELISM in said):
        return f"v1alpha1 takes it: clonesets.v1alpha1.{CLONESET.group}/{name_of(live)}"
    if version == OLDER and _TYPE in said and dig(live, ("spec", "updateStrategy", "type")) == "OnDelete":
        return f"v1beta1 takes it: clonesets.v1beta1.{CLONESET.group}/{name_of(live)}"
    return ""

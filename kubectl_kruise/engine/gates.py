"""Feature gates of the manager: names, defaults, and which of them force others (cloneset.md §3, advanced-statefulset.md §20, install.md §7)."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Gates(NamedTuple):
    """The gates behind which something stands here, each with the default it has in the manager."""

    partition_rollback: bool = False
    short_hash: bool = False
    preparing_update_as_update: bool = False
    env_from_metadata: bool = True
    vertical_scaling: bool = False
    recreate_on_claim_change: bool = False
    image_predownload: bool = False
    image_pull_jobs: bool = False
    node_daemon: bool = True
    pod_webhook: bool = True
    readiness_for_all_pods: bool = False
    bare_templates: bool = False
    host_ports: bool = False
    quiet_pod_events: bool = False
    budgets_hold_updates: bool = False
    budgets_hold_deletions: bool = True
    deletion_protection: bool = False
    crd_cascading: bool = False
    give_up_expectations: bool = False
    auto_delete_claims: bool = True
    pod_index_label: bool = True
    start_ordinal: bool = False
    resize_claims: bool = False


NAMES: Final[Mapping[str, str]] = {
    "CloneSetPartitionRollback": "partition_rollback",
    "CloneSetShortHash": "short_hash",
    "PreparingUpdateAsUpdate": "preparing_update_as_update",
    "InPlaceUpdateEnvFromMetadata": "env_from_metadata",
    "InPlaceWorkloadVerticalScaling": "vertical_scaling",
    "RecreatePodWhenChangeVCTInCloneSetGate": "recreate_on_claim_change",
    "PreDownloadImageForInPlaceUpdate": "image_predownload",
    "ImagePullJobGate": "image_pull_jobs",
    "KruiseDaemon": "node_daemon",
    "PodWebhook": "pod_webhook",
    "KruisePodReadinessGate": "readiness_for_all_pods",
    "TemplateNoDefaults": "bare_templates",
    "DefaultHostNetworkHostPortsInPodTemplates": "host_ports",
    "CloneSetEventHandlerOptimization": "quiet_pod_events",
    "PodUnavailableBudgetUpdateGate": "budgets_hold_updates",
    "PodUnavailableBudgetDeleteGate": "budgets_hold_deletions",
    "ResourcesDeletionProtection": "deletion_protection",
    "DeletionProtectionForCRDCascadingGate": "crd_cascading",
    "ForceDeleteTimeoutExpectationGate": "give_up_expectations",
    "StatefulSetAutoDeletePVC": "auto_delete_claims",
    "PodIndexLabel": "pod_index_label",
    "StatefulSetStartOrdinal": "start_ordinal",
    "StatefulSetAutoResizePVCGate": "resize_claims",
}
"""The manager's name of each gate, and the field that holds it."""

WITHOUT_EFFECT: Final[Mapping[str, bool]] = {
    "DaemonWatchingPod": True,
    "WorkloadSpread": True,
    "PodProbeMarkerGate": True,
    "ResourceDistributionGate": False,
    "PreDownloadImageForDaemonSetUpdate": False,
    "SidecarTerminator": False,
    "EnhancedLivenessProbe": False,
    "EnableExternalCerts": False,
    "InPlacePodVerticalScaling": False,
    "EnablePodProbeMarkerOnServerless": False,
    "EnableSortSidecarContainerByName": False,
    "SidecarSetPatchPodMetadataDefaultsAllowed": False,
}
"""Gates that the manager has and nothing here depends on, with their defaults."""

STABLE_ENOUGH: Final = frozenset(
    {
        "PodWebhook",
        "KruiseDaemon",
        "DaemonWatchingPod",
        "ResourcesDeletionProtection",
        "WorkloadSpread",
        "PodUnavailableBudgetDeleteGate",
        "InPlaceUpdateEnvFromMetadata",
        "StatefulSetAutoDeletePVC",
        "PodProbeMarkerGate",
        "PodIndexLabel",
    }
)
"""The gates whose stage is beta, on by default or not; all others are alpha (install.md §7)."""

STAGES: Final = ("AllAlpha", "AllBeta")
"""Names that stand for every gate of a stage that is not named itself."""

DEFAULTS: Final[Mapping[str, bool]] = {
    **{name: bool(Gates._field_defaults[field]) for name, field in NAMES.items()},
    **WITHOUT_EFFECT,
}
"""Every gate of the manager, and whether it is on where nobody says otherwise."""

KNOWN: Final = (*DEFAULTS, *STAGES)
"""All names that may be set."""

_OFF_WITHOUT: Final[Mapping[str, tuple[str, ...]]] = {
    "PodWebhook": (
        "KruisePodReadinessGate",
        "PodUnavailableBudgetDeleteGate",
        "PodUnavailableBudgetUpdateGate",
        "WorkloadSpread",
    ),
    "KruiseDaemon": (
        "PreDownloadImageForInPlaceUpdate",
        "PreDownloadImageForDaemonSetUpdate",
        "DaemonWatchingPod",
        "InPlaceUpdateEnvFromMetadata",
        "PodProbeMarkerGate",
        "SidecarTerminator",
        "ImagePullJobGate",
    ),
    "ResourcesDeletionProtection": ("DeletionProtectionForCRDCascadingGate",),
}
_PREDOWNLOADS: Final = ("PreDownloadImageForInPlaceUpdate", "PreDownloadImageForDaemonSetUpdate")
_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "false", "FALSE", "False"})


def parse_gates(text: str) -> dict[str, bool]:
    """Read `A=true,B=false` as the manager's `--feature-gates`; the last value of a name counts.

    Raises ValueError for an entry without a value, or with one that is neither true nor false.
    """
    chosen: dict[str, bool] = {}
    for entry in filter(None, text.split(",")):
        name, has_value, value = (part.strip() for part in entry.partition("="))
        if not has_value:
            raise ValueError(f"feature gate {name!r} has no value: {name}=true or {name}=false")
        if value not in _TRUE | _FALSE:
            raise ValueError(f"feature gate {name!r} is true or false, not {value!r}")
        chosen[name] = value in _TRUE
    return chosen


def resolve_gates(chosen: Mapping[str, bool]) -> Gates:
    """Give the gates in force: defaults, stages, what was chosen, then what one gate forces on others.

    Raises KeyError for an unknown name.
    """
    if unknown := [name for name in chosen if name not in KNOWN]:
        raise KeyError(unknown[0])
    values = dict(DEFAULTS)
    for stage in filter(chosen.__contains__, STAGES):
        for name in values:
            if (name in STABLE_ENOUGH) == (stage == "AllBeta"):
                values[name] = chosen[stage]
    values |= {name: value for name, value in chosen.items() if name not in STAGES}
    for gate, dependent in _OFF_WITHOUT.items():
        if not values[gate]:
            values |= dict.fromkeys(dependent, False)
    if any(values[name] for name in _PREDOWNLOADS):
        values["ImagePullJobGate"] = True
    return Gates(**{field: values[name] for name, field in NAMES.items()})

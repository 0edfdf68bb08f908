"""Feature gates: the manager's defaults, stages, and what one forces on others (cloneset.md §3, install.md §7)."""

import pytest

from kubectl_kruise.engine.gates import DEFAULTS, NAMES, WITHOUT_EFFECT, Gates, parse_gates, resolve_gates

ON = {
    "PodWebhook", "KruiseDaemon", "DaemonWatchingPod", "WorkloadSpread", "PodUnavailableBudgetDeleteGate",
    "InPlaceUpdateEnvFromMetadata", "StatefulSetAutoDeletePVC", "PodProbeMarkerGate", "PodIndexLabel",
}  # fmt: skip


def test_defaults_are_those_of_the_manager():
    assert {name for name, on in DEFAULTS.items() if on} == ON
    assert resolve_gates({}) == Gates()


def test_every_field_has_a_name_and_no_gate_is_listed_twice():
    assert sorted(NAMES.values()) == sorted(Gates._fields)
    assert not NAMES.keys() & WITHOUT_EFFECT.keys()


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("", {}),
        ("A=true,B=false", {"A": True, "B": False}),
        (" A = T , B=0,", {"A": True, "B": False}),
        ("A=true,A=false", {"A": False}),
    ],
    ids=["nothing", "two", "spaces and Go's other words", "the last value counts"],
)
def test_reading(text: str, chosen: dict[str, bool]):
    assert parse_gates(text) == chosen


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A", "feature gate 'A' has no value: A=true or A=false"),
        ("A=yes", "feature gate 'A' is true or false, not 'yes'"),
    ],
)
def test_what_cannot_be_read(text: str, said: str):
    with pytest.raises(ValueError, match=said):
        parse_gates(text)


def test_an_unknown_gate():
    with pytest.raises(KeyError, match="CloneSetShortHsh"):
        resolve_gates({"CloneSetShortHsh": True})


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"CloneSetShortHash": True}, Gates(short_hash=True)),
        (
            {"PreDownloadImageForInPlaceUpdate": True, "ImagePullJobGate": False},
            Gates(image_predownload=True, image_pull_jobs=True),
        ),
        ({"PreDownloadImageForDaemonSetUpdate": True}, Gates(image_pull_jobs=True)),
        (
            {
                "KruiseDaemon": False,
                "PreDownloadImageForInPlaceUpdate": True,
                "InPlaceUpdateEnvFromMetadata": True,
            },
            Gates(node_daemon=False, env_from_metadata=False),
        ),
        (
            {"PodWebhook": False, "KruisePodReadinessGate": True, "PodUnavailableBudgetUpdateGate": True},
            Gates(pod_webhook=False, budgets_hold_deletions=False),
        ),
        (
            {"AllBeta": False},
            Gates(
                node_daemon=False,
                pod_webhook=False,
                pod_index_label=False,
                env_from_metadata=False,
                budgets_hold_deletions=False,
                auto_delete_claims=False,
            ),
        ),
        ({"AllBeta": True}, Gates(deletion_protection=True)),
        ({"AllAlpha": False, "CloneSetShortHash": True}, Gates(short_hash=True)),
        ({"DeletionProtectionForCRDCascadingGate": True}, Gates()),
        (
            {"DeletionProtectionForCRDCascadingGate": True, "ResourcesDeletionProtection": True},
            Gates(deletion_protection=True, crd_cascading=True),
        ),
    ],
    ids=[
        "one gate",
        "pre-download forces pull jobs on",
        "so does that of DaemonSets",
        "without a node daemon nothing that needs it",
        "without the pod webhook nothing that needs it",
        "a stage as a whole, with what it forces",
        "deletion protection is beta and off (advanced-statefulset.md §20)",
        "a gate named itself stands against its stage",
        "definitions are protected only where anything is",
        "and where it is, by their own gate",
    ],
)
def test_what_is_in_force(chosen: dict[str, bool], expected: Gates):
    assert resolve_gates(chosen) == expected


def test_both_stages_at_once():
    """Deletion protection alone is neither alpha nor on by default (advanced-statefulset.md §20)."""
    everything = Gates(*([True] * len(Gates._fields)))

    assert resolve_gates({"AllAlpha": True, "AllBeta": True}) == everything
    assert resolve_gates({"AllAlpha": True}) == everything._replace(
        deletion_protection=False, crd_cascading=False
    )

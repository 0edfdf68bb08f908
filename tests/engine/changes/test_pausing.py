import jsonpatch
import pytest

from kubectl_kruise.engine.changes.change import Change, Unchanged
from kubectl_kruise.engine.changes.pausing import plan_pause
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import CLONESET, NATIVE_STATEFULSET
from kubectl_kruise.objects.raw import dig
from kubectl_kruise.objects.workload import Workload
from tests.engine.changes.workloads import UID, cloneset, deployment, surging_on_delete


def test_pausing_is_one_field_guarded_by_uid_and_old_value() -> None:
    decision = plan_pause(cloneset(strategy={"paused": False, "type": "ReCreate"}), paused=True)

    assert decision == Change(
        "paused",
        [
            {"op": "test", "path": "/metadata/uid", "value": UID},
            {"op": "test", "path": "/spec/updateStrategy/paused", "value": False},
            {"op": "replace", "path": "/spec/updateStrategy/paused", "value": True},
        ],
    )


def test_a_strategy_that_is_absent_is_made_only_if_nobody_else_made_it_meanwhile() -> None:
    decision = plan_pause(cloneset(), paused=True)

    assert isinstance(decision, Change)
    assert decision.operations[1:] == [
        {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"},
        {"op": "add", "path": "/spec/updateStrategy", "value": {"paused": True}},
    ]


@pytest.mark.parametrize("paused", [True, False])
def test_repeating_changes_nothing(paused: bool) -> None:  # cli.md B14b
    assert isinstance(plan_pause(cloneset(strategy={"paused": paused}), paused=paused), Unchanged)


def test_resuming_what_never_was_paused_changes_nothing() -> None:
    assert plan_pause(deployment(), paused=False) == Unchanged("not paused")


def test_v1beta1_keeps_the_switch_below_rolling_update() -> None:
    workload = cloneset(strategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 0}})
    workload = Workload({**workload.raw, "apiVersion": "apps.kruise.io/v1beta1"}, CLONESET)

    decision = plan_pause(workload, paused=True)

    assert isinstance(decision, Change)
    patched = jsonpatch.apply_patch(workload.raw, decision.operations)
    assert dig(patched, ("spec", "updateStrategy", "rollingUpdate")) == {"partition": 0, "paused": True}


@pytest.mark.parametrize(
    ("workload", "message"),
    [
        pytest.param(
            cloneset(strategy={"type": "OnDelete"}),
            'cloneset "web" has update type OnDelete: nothing is updated until pods are deleted, '
            "so there is nothing to pause or resume",
            id="OnDelete",
        ),
        pytest.param(
            Workload(deployment().raw, NATIVE_STATEFULSET),
            'statefulset "web" has no switch to pause it',
            id="no switch",
        ),
    ],
)
def test_what_cannot_be_paused_is_named(workload: Workload, message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        plan_pause(workload, paused=True)

    assert refusal.value.message == message


def test_a_surge_beside_on_delete_can_be_paused_and_resumed() -> None:  # cloneset.md §26 Q26
    assert isinstance(plan_pause(surging_on_delete(), paused=True), Change)
    assert isinstance(plan_pause(surging_on_delete(paused=True), paused=False), Change)

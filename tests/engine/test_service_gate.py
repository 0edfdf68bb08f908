"""Pods out of service for a lifecycle hook (cloneset.md §21.2)."""

from kubectl_kruise.engine.service_gate import mark, unmark
from kubectl_kruise.facts.names import BEFORE_DELETION, BEFORE_UPDATE
from kubectl_kruise.objects.condition import condition

DELETION, UPDATE = (
    '{"userAgent":"Lifecycle","key":"preDeleteHook"}',
    '{"userAgent":"Lifecycle","key":"preUpdateHook"}',
)


def pod(*, gate: bool = True, known: bool = True) -> dict:
    conditions = [
        {"type": "Ready", "status": "True"},
        {"type": "ContainersReady", "status": "True"},
        *([{"type": "KruisePodReady", "status": "True"}] if known else []),
    ]
    gates = [{"conditionType": "KruisePodReady"}] if gate else []
    return {"spec": {"readinessGates": gates}, "status": {"conditions": conditions}}


def message(found: dict | None) -> tuple[str | None, str]:
    entry = condition(found or {}, "KruisePodReady") or {}
    return entry.get("status"), entry["message"]


def test_marks_once_and_takes_ready_along() -> None:
    marked = mark(pod(), BEFORE_UPDATE, "T")

    assert message(marked) == ("False", f"[{UPDATE}]")
    assert (condition(marked or {}, "Ready") or {})["reason"] == "ReadinessGatesNotReady"
    assert mark(marked or {}, BEFORE_UPDATE, "T") is None


def test_the_last_entry_gives_the_pod_back() -> None:
    both = mark(mark(pod(), BEFORE_UPDATE, "T") or {}, BEFORE_DELETION, "T") or {}
    assert message(both) == ("False", f"[{DELETION},{UPDATE}]")

    one = unmark(both, BEFORE_DELETION, "T") or {}
    assert message(one) == ("False", f"[{UPDATE}]")
    assert message(unmark(one, BEFORE_UPDATE, "T")) == ("True", "[]")
    assert unmark(pod(), BEFORE_UPDATE, "T") is None


def test_without_the_gate_nothing_happens() -> None:
    assert mark(pod(gate=False), BEFORE_UPDATE, "T") is None


def test_a_new_condition_has_no_status() -> None:
    assert message(mark(pod(known=False), BEFORE_DELETION, "T")) == (None, f"[{DELETION}]")


def test_a_message_of_others_counts_as_empty() -> None:
    odd = pod()
    odd["status"]["conditions"][2]["message"] = "no list"

    assert message(mark(odd, BEFORE_UPDATE, "T")) == ("False", f"[{UPDATE}]")


def test_entries_stand_in_the_order_of_who_made_them() -> None:
    other = '{"userAgent":"Audit","key":"zzz"}'
    held = pod()
    held["status"]["conditions"][2] |= {"status": "False", "message": f"[{other}]"}

    marked = mark(held, BEFORE_UPDATE, "T") or {}

    assert message(marked) == ("False", f"[{other},{UPDATE}]")
    assert message(unmark(marked, BEFORE_UPDATE, "T")) == ("False", f"[{other}]")


def test_a_pod_that_lost_its_gate_is_left_alone() -> None:
    held = mark(pod(), BEFORE_UPDATE, "T") or {}
    held["spec"]["readinessGates"] = []

    assert unmark(held, BEFORE_UPDATE, "T") is None


def test_ready_is_recomputed_only_where_the_containers_would_let_it_be_so() -> None:  # §17.1
    starting = pod()
    starting["status"]["conditions"][0]["status"] = "Unknown"
    starting["status"]["conditions"][1]["status"] = "False"
    assert (condition(mark(starting, BEFORE_UPDATE, "T") or {}, "Ready") or {})["status"] == "Unknown"

    new = pod()
    del new["status"]["conditions"][0]
    assert condition(mark(new, BEFORE_UPDATE, "T") or {}, "Ready") is None

"""Faults of what the engine records: revisions, status, new pods, their states and owners."""

from tests.mutants.fault import Fault

RECORDS = (
    Fault(
        "quantities go into the revision as they were typed",
        "engine/revisions/content.py",
        "recording_data(typed_template(template))",
        "recording_data(template or {})",
        ("cs-002",),
    ),
    Fault(
        "the collision count is not hashed",
        "engine/revisions/naming.py",
        "fnv1(data + str(collisions).encode())",
        "fnv1(data)",
        ("cs-002",),
    ),
    Fault(
        "revisions lose their hash label",
        "engine/revisions/choice.py",
        '"labels": {**labels_of(template), HASH_LABEL: digest},',
        '"labels": labels_of(template),',
        ("cs-002",),
    ),
    Fault(
        "revisions lose the annotation of the claim templates' hash",
        "engine/revisions/choice.py",
        'if workload["kind"] == CLONESET.kind:',
        'if workload["kind"] != CLONESET.kind:',
        ("cs-002",),
    ),
    Fault(
        "a revision that comes back keeps its old number",
        "engine/revisions/choice.py",
        '{**revision, "revision": candidate["revision"]}',
        "{**revision}",
        ("cs-016", "cs-024"),
    ),
    Fault(
        "a taken name with the same content counts as a collision",
        "engine/revisions/choice.py",
        'if data_bytes(existing.get("data") or {}) == wanted:',
        "if not existing:",
        ("cs-084",),
    ),
    Fault(
        "one old revision too many is kept",
        "engine/revisions/history.py",
        "len(idle) - kept)]",
        "len(idle) - kept - 1)]",
        ("cs-038",),
    ),
    Fault(
        "the current revision never follows",
        "engine/cloneset/status.py",
        "        current_revision = update_revision\n",
        "        pass\n",
        ("cs-018",),
    ),
    Fault(
        "the current revision follows too early",
        "engine/cloneset/status.py",
        'if counts["updatedReplicas"] == counts["replicas"] == view.replicas:',
        'if counts["updatedReplicas"]:',
        ("cs-016",),
    ),
    Fault(
        "the status misses the label selector",
        "engine/cloneset/status.py",
        '"currentRevision", "labelSelector")',
        '"currentRevision")',
        ("cs-004",),
    ),
    Fault(
        "pods held by their gate count as ready",
        "engine/cloneset/status.py",
        '"ReadyReplicas": update_ready(pod, 0, now),',
        '"ReadyReplicas": (pod.get("status") or {}).get("phase") == "Running",',
        ("cs-058", "cs-036"),
    ),
    Fault(
        "a passed deadline is forgotten",
        "engine/cloneset/progress.py",
        'known.get("reason") == DEADLINE_EXCEEDED or',
        "",
        ("cs-056",),
    ),
    Fault(
        "new pods miss the readiness gate of in-place updates",
        "engine/cloneset/creation.py",
        'gates = [*gates, {"conditionType": IN_PLACE_READY}]',
        "pass",
        ("cs-004",),
    ),
    Fault(
        "new pods are Normal from the start",
        "engine/cloneset/creation.py",
        "STATE_LABEL: PREPARING_NORMAL,",
        'STATE_LABEL: "Normal",',
        ("cs-004", "cs-046"),
    ),
    Fault(
        "the first revision has number 0",
        "engine/revisions/choice.py",
        "+ 1 if revisions else 1",
        "+ 1 if revisions else 0",
        ("cs-002",),
    ),
    Fault(
        "counters that are zero are left out",
        "engine/cloneset/status.py",
        "if value or name in _ALWAYS_SHOWN",
        "if value",
        ("cs-004",),
    ),
)

LIFECYCLE = (
    Fault(
        "a preNormal hook is not waited for",
        "engine/lifecycle.py",
        "if hook is None else all_hooked(hook, pod)\n            return NORMAL if reached",
        "\n            return NORMAL if reached",
        ("cs-046",),
    ),
    Fault(
        "state Updated is skipped",
        "engine/lifecycle.py",
        'UPDATED if lifecycle is not None and not all_hooked(lifecycle.get("inPlaceUpdate"), pod) else NORMAL',
        "NORMAL",
        ("cs-080",),
    ),
    Fault(
        "a preDelete hook is not waited for",
        "engine/cloneset/scale.py",
        'held=hooked(view.hook("preDelete"), member.pod)',
        "held=False",
        ("cs-100",),
    ),
    Fault(
        "a released pod keeps its owner",
        "engine/cloneset/ownership.py",
        "return _with_owners(pod, _others(view, pod))",
        "return pod",
        ("cs-060",),
    ),
    Fault(
        "changes of state carry no time",
        "engine/lifecycle.py",
        '"annotations": {STATE_TIMESTAMP: now}',
        '"annotations": {}',
        ("cs-004",),
    ),
)

RECORD_FAULTS = (*RECORDS, *LIFECYCLE)

"""Faults of what stands behind feature gates: rolling back by partition, short hashes, pre-download, protection, budgets."""

from tests.mutants.fault import Fault

GATE_FAULTS = (
    Fault(
        "a raised partition brings no pod back, whatever the gate says",
        "engine/cloneset/calculator.py",
        "settled = current_revision == update_revision or not view.gates.partition_rollback",
        "settled = True",
        ("cs-230", "cs-232"),
    ),
    Fault(
        "the short hash of the gate is only for new pods",
        "controllers/cloneset/updating.py",
        "short=snapshot.view.gates.short_hash)",
        "short=False)",
        ("cs-234",),
    ),
    Fault(
        "the gate about claim templates binds InPlaceOnly, too",
        "engine/inplace/eligibility.py",
        "gates.recreate_on_claim_change and not in_place_only and _claims_differ",
        "gates.recreate_on_claim_change and _claims_differ",
        ("cs-238", "cs-240"),
    ),
    Fault(
        "pods that prepare for an update are old while scaling",
        "objects/pod.py",
        "(preparing_as_update and state(pod) == PREPARING_UPDATE) or has_revision",
        "has_revision",
        ("cs-246",),
    ),
    Fault(
        "images are pulled ahead for three replicas",
        "engine/predownload.py",
        "FEW_REPLICAS: Final = 3",
        "FEW_REPLICAS: Final = 2",
        ("cs-224",),
    ),
    Fault(
        "images are pulled ahead though no updated pod is ready yet",
        "engine/predownload.py",
        "if rollout.settings.min_updated_ready > _updated_ready_so_far(rollout, update):",
        "if False:",
        ("cs-226",),
    ),
    Fault(
        "pull jobs stay when the update is complete",
        "controllers/predownload.py",
        "for job in self._jobs.of(uid_of(rollout.raw)):",
        "for job in ():",
        ("cs-222",),
    ),
    Fault(
        "every container gets a pull job, changed or not",
        "engine/predownload.py",
        "if before.get(name) != image}",
        "}",
        ("cs-222", "cs-228"),
    ),
    Fault(
        "a CloneSet without replicas is not protected for good",
        "engine/admission/deletion_protection.py",
        "if value == ALWAYS:",
        "if value == ALWAYS and remains and next(iter(remains()))[1]:",
        ("cs-242",),
    ),
    Fault(
        "a budget of none lets pods be updated",
        "engine/budget.py",
        'if int(status.get("unavailableAllowed") or 0) <= 0',
        'if int(status.get("unavailableAllowed") or 0) < 0',
        ("cs-244",),
    ),
    Fault(
        "new pods are not marked with their budget",
        "sandbox/webhooks/budgets.py",
        "if budget is None:\n            return False\n        marked",
        "if True:\n            return False\n        marked",
        ("cs-244",),
    ),
    Fault(
        "the end of an in-place update is taken for a change of no matter",
        "engine/cloneset/relevance.py",
        "return _finishes_update(new, vertical_scaling=vertical_scaling)",
        "return False",
        ("cs-236",),
    ),
)

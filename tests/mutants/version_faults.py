"""Faults of the second CloneSet version: what is converted, what is refused, whose references new pods carry."""

from tests.mutants.fault import Fault

VERSION_FAULTS = (
    Fault(
        "the sense of claim reuse is not turned round on the way to v1beta1",
        "engine/cloneset/conversion.py",
        'if not scale.get("disablePVCReuse"):',
        'if scale.get("disablePVCReuse"):',
        ("cs-102", "cs-268"),
    ),
    Fault(
        "a policy of v1beta1 is lost on the way to v1alpha1",
        "engine/cloneset/conversion.py",
        'made["type"] = policy if policy in _POLICIES else RECREATE',
        'made["type"] = RECREATE',
        ("cs-256", "cs-266"),
    ),
    Fault(
        "a surge makes up for no pod that may be unavailable in v1beta1 too",
        "engine/admission/strategy_validation.py",
        "if replicas > 0 and down < 1:",
        "if replicas > 0 and down < 1 and surge < 1:",
        ("cs-252",),
    ),
    Fault(
        "an OnDelete object rolls out like any other",
        "engine/cloneset/update.py",
        "if view.on_delete:",
        "if False and view.on_delete:",
        ("cs-104", "cs-270"),
    ),
    Fault(
        "owner references stay at v1alpha1",
        "controllers/cloneset/watching/caches.py",
        "CLONESET.path(namespace, version=version)",
        "CLONESET.path(namespace)",
        ("cs-272", "cs-282"),
    ),
)

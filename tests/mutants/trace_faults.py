"""Faults of what passes leave beside the pods: claims, events, marks of hooks, counters of the status."""

from tests.mutants.fault import Fault

CLAIMS = (
    Fault(
        "claims of ending pods are not handed over",
        "controllers/cloneset/claims.py",
        "if view.reuse_claims:",
        "if view is not None:",
        ("cs-052", "cs-074"),
    ),
    Fault(
        "the CloneSet stays an owner of a claim it handed over",
        "engine/cloneset/claims.py",
        ' if owner.get("uid") != view.uid]',
        "]",
        ("cs-052",),
    ),
    Fault(
        "claims lose the instance id",
        "engine/cloneset/creation.py",
        '        **(view.selector.get("matchLabels") or {}),\n        INSTANCE_ID_LABEL: instance_id,',
        '        **(view.selector.get("matchLabels") or {}),',
        ("cs-052",),
    ),
    Fault(
        "the labels of a claim template beat those of the selector",
        "engine/cloneset/creation.py",
        '        **labels_of(template),\n        **(view.selector.get("matchLabels") or {}),',
        '        **(view.selector.get("matchLabels") or {}),\n        **labels_of(template),',
        ("cs-052",),
    ),
    Fault(
        "claims of deleted pods stay",
        "controllers/cloneset/scaling.py",
        "if instance_id and labels_of(claim)",
        "if not instance_id and labels_of(claim)",
        ("cs-052", "cs-074"),
    ),
    Fault(
        "ids of claims are not used again",
        "engine/cloneset/creation.py",
        "set(sorted(on_claims - _ids(active))[:count])",
        "set()",
        ("cs-074", "cs-076"),
    ),
)

TELLING = (
    Fault(
        "nobody says that a pod could not be created",
        "controllers/cloneset/scaling.py",
        '                self._recorder.warning(CLONESET, owner, "FailedCreate", text)\n',
        "",
        ("cs-078", "cs-040"),
    ),
    Fault(
        "a new generation alone writes no status",
        "engine/cloneset/status.py",
        '    if int(new["observedGeneration"]) > int(old.get("observedGeneration") or 0):\n        return True\n',
        "",
        ("cs-022",),
    ),
    Fault(
        "expectedUpdatedReplicas forgets the partition",
        "engine/cloneset/status.py",
        "= view.expected_updated",
        "= view.replicas",
        ("cs-016",),
    ),
    Fault(
        "updated and available counts pods of every revision",
        "engine/cloneset/status.py",
        "+= holds and updated",
        "+= holds",
        ("cs-016",),
    ),
)

HOOKS = (
    Fault(
        "scale-in does not wait for pods that prepare for their deletion",
        "engine/cloneset/scale.py",
        "if chosen or preparing:",
        "if chosen:",
        ("cs-012", "cs-100"),
    ),
    Fault(
        "a pod marked as not ready stays so after its update",
        "controllers/cloneset/updating.py",
        "                self._writer.change_status(pod, lambda fresh: unmark(fresh, BEFORE_UPDATE, now))",
        "                pass",
        ("cs-044",),
    ),
    Fault(
        "the inPlaceUpdate hook is not waited for",
        "engine/lifecycle.py",
        "return Entry.HELD if hooked(hook, pod) else Entry.CHANGE",
        "return Entry.CHANGE",
        ("cs-080", "cs-046"),
    ),
    Fault(
        "hooks are not put back on a pod that is updated once more",
        "engine/cloneset/update.py",
        "return Prepare(member.pod, rehook=way is Entry.REHOOK)",
        "return Prepare(member.pod, rehook=False)",
        ("cs-080",),
    ),
    Fault(
        "new pods lose the template's finalizers",
        "engine/cloneset/creation.py",
        '    if finalizers := meta.get("finalizers"):',
        "    if finalizers := None:",
        ("cs-082",),
    ),
    Fault(
        "the next batch does not wait for the one before",
        "engine/inplace/batch.py",
        "required_ready=containers if later_images or later_references or later_resources else (),",
        "required_ready=(),",
        ("cs-034",),
    ),
)

TRACE_FAULTS = (*CLAIMS, *TELLING, *HOOKS)

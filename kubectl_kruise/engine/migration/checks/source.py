"""Checks of the workload itself and of its pods (migration.md §10)."""

from collections.abc import Iterator, Sequence
from typing import Final

from kubectl_kruise.engine.changes.stewards import stewards_of, way_on
from kubectl_kruise.engine.inplace.completion import pod_complete
from kubectl_kruise.engine.inplace.state import graced
from kubectl_kruise.engine.migration.checks.check import Check, some
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from kubectl_kruise.facts.names import (
    INSTANCE_ID_LABEL,
    MIGRATE_HOLD,
    REVISION_LABEL,
    SPECIFIED_DELETE_LABEL,
    TEMPLATE_HASH_LABEL,
)
from kubectl_kruise.objects.pod import NORMAL, active, finished, ready, state
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    deleting,
    dig,
    labels_of,
    metadata,
    name_of,
    owner_of,
)
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.objects.workload import Workload

NAME_MAX: Final = 52
"""63 of a label less a dash and ten digits of a revision's hash (§2.1 C13, fault B015)."""

_REWRITTEN: Final = (TEMPLATE_HASH_LABEL, REVISION_LABEL, INSTANCE_ID_LABEL)
"""Labels that a hand-over writes on pods, or takes off them."""

PROTECTION: Final = "policy.kruise.io/delete-protection"
_HELM_RELEASE: Final = "meta.helm.sh/release-name"


def check_source(workload: Workload, target_name: str) -> Iterator[Check]:
    """Check who the workload belongs to, and whether its twin could live: Deployments have no limit of their names."""
    raw = workload.raw
    yield _selector(workload)
    if workload.kind is DEPLOYMENT:
        yield _name(target_name)
    owner = owner_of(raw)
    if owner:
        yield Check(
            "P-OWNED",
            f"it belongs to {owner.get('kind')} {owner.get('name')}, which would make it again",
            f"let {owner.get('kind')} {owner.get('name')} migrate it, or take it away from there first",
        )
    else:
        yield Check("P-OWNED", "nobody owns it", passed=True)
    if finalizers := metadata(raw).get("finalizers"):
        yield Check(
            "P-FINALIZER",
            f"it has finalizers: {', '.join(finalizers)}",
            "whoever set them must take them off in time",
        )
    if PROTECTION in labels_of(raw):
        yield Check(
            "P-PROTECT",
            f"its label {PROTECTION}={labels_of(raw)[PROTECTION]} may forbid its deletion",
            "--unprotect takes the label off, and puts it on the new workload",
        )
    others = [
        steward
        for steward in stewards_of(raw)
        if owner is None or steward != f"{owner.get('kind')} {owner.get('name')}"
    ]
    release = annotations_of(raw).get(_HELM_RELEASE)
    if release and not others:
        # The release is enough here: what Helm remembers of it comes back with the next upgrade.
        others.append(f"Helm release {release}")
    if others:
        yield Check(
            "P-GITOPS",
            f"{', '.join(others)} manages it, and may make it again at full size",
            "suspend that first, and change the manifest there too",
        )
    else:
        yield Check("P-GITOPS", "no GitOps tool and no Helm release manages it", passed=True)
    if workload.kind is DEPLOYMENT and workload.update_type == "Recreate":
        yield Check(
            "P-RECREATE",
            "its strategy Recreate has no twin: new pods start while old ones still end",
            "set maxUnavailable as you need it after the migration",
        )


def check_rollout(
    workload: Workload, pods: Sequence[Raw], *, revisions: Sequence[str], held_back: bool = False
) -> Iterator[Check]:
    """Check that the workload stands still: one revision, every pod there and ready.

    `pods` are those the workload owns, by way of a ReplicaSet too; `revisions` names what its pods are of, and
    `held_back` says that its template is another one, which nobody rolls out while it is paused.
    """
    if not workload.observed:
        yield Check("P-ROLLOUT", "its controller has not seen its last change yet", "wait a moment")
    elif len(revisions) > 1:
        yield Check(
            "P-ROLLOUT",
            f"a rollout is under way: pods of {', '.join(revisions)}",
            f"kubectl kruise rollout status {workload.reference}",
        )
    elif held_back:
        yield Check(
            "P-ROLLOUT",
            f"its pods are of {', '.join(revisions)}, and its template has changed since",
            way_on(workload.raw) or f"kubectl kruise rollout resume {workload.reference}, or undo the change",
        )
    else:
        yield Check(
            "P-ROLLOUT", f"no rollout is under way ({', '.join(revisions) or 'no pods'})", passed=True
        )
    alive = [pod for pod in pods if active(pod)]
    if len(alive) != workload.replicas:
        yield Check(
            "P-COUNT",
            f"it has {len(alive)} pods and wants {workload.replicas}",
            way_on(workload.raw)
            or (
                f"kubectl kruise rollout resume {workload.reference}"
                if workload.paused and not revisions
                else "wait until it has all of them"
            ),
        )
    unready = [name_of(pod) for pod in pods if deleting(pod) or finished(pod) or not ready(pod)]
    if unready:
        yield Check("P-READY", f"not ready: {some(unready)}", f"kubectl kruise tree {workload.reference}")
    else:
        yield Check("P-READY", f"{len(alive)} of {workload.replicas} pods are ready", passed=True)
    chosen = [name_of(pod) for pod in pods if SPECIFIED_DELETE_LABEL in labels_of(pod)]
    if chosen:
        yield Check(
            "P-SPECDEL",
            f"labelled for deletion: {some(chosen)}",
            f"take the label {SPECIFIED_DELETE_LABEL} off, or delete them",
        )


def check_settled(pods: Sequence[Raw]) -> Iterator[Check]:
    """Check that no pod is in the middle of an update in place or of a hook: nobody would finish it (§3.5)."""
    for pod in pods:
        if state(pod) not in ("", NORMAL):
            yield Check("P-BACK", f"pod {name_of(pod)} is {state(pod)}", "wait until its hook is done")
        elif graced(pod) or not pod_complete(pod):
            yield Check("P-BACK", f"pod {name_of(pod)} is being updated in place", "wait until it is done")


def check_replicaset(replicaset: Raw) -> Iterator[Check]:
    """Check the ReplicaSet that is deleted after its Deployment, while its pods change hands."""
    about = f"replicaset/{name_of(replicaset)}"
    if finalizers := [each for each in metadata(replicaset).get("finalizers") or [] if each != MIGRATE_HOLD]:
        yield Check(
            "P-FINALIZER",
            f"its ReplicaSet {name_of(replicaset)} has finalizers: {', '.join(finalizers)}",
            "whoever set them must take them off in time",
            about,
        )
    if PROTECTION in labels_of(replicaset):
        yield Check(
            "P-PROTECT",
            f"the label {PROTECTION}={labels_of(replicaset)[PROTECTION]} of its ReplicaSet may forbid its deletion",
            "--unprotect takes the label off",
            about,
        )


def check_in_place(workload: Workload) -> Iterator[Check]:
    """Say what updates in place mean for this template and for pods that were made without them (§3.7)."""
    yield Check(
        "P-INPLACE",
        "adopted pods lack the readiness gate: the first update in place is not drained from endpoints",
        "recreate them once (kubectl kruise rollout restart), or migrate with --mode surge",
    )
    if dig(workload.raw, ("spec", "template", "spec", "initContainers")):
        yield Check(
            "P-INPLACE",
            "init containers do not run again when an image is updated in place",
            "keep ReCreate if they must",
        )
    if workload.max_surge:
        yield Check(
            "P-INPLACE",
            f"with maxSurge {workload.max_surge_value} each update makes extra pods and deletes them afterwards",
            "set maxSurge to 0 after the migration",
        )


def _selector(workload: Workload) -> Check:
    wanted = dig(workload.raw, ("spec", "selector"), {})
    if not (wanted.get("matchLabels") or wanted.get("matchExpressions")):
        return Check(
            "P-SELECTOR", "its selector is empty", "no other workload of that selector can be told apart"
        )
    used = {
        *(wanted.get("matchLabels") or {}),
        *(each.get("key") for each in wanted.get("matchExpressions") or []),
    }
    if rewritten := [label for label in _REWRITTEN if label in used]:
        return Check(
            "P-SELECTOR",
            f"its selector names {', '.join(rewritten)}, which every pod gets anew when it changes hands",
            "select by labels of your own",
        )
    labels = labels_of(dig(workload.raw, ("spec", "template"), {}))
    if not selector_of(wanted).matches(labels):
        return Check(
            "P-SELECTOR", "its selector does not match its template", "correct the template's labels"
        )
    return Check("P-SELECTOR", f"its selector is {selector_of(wanted)}", passed=True)


def _name(name: str) -> Check:
    if len(name) <= NAME_MAX:
        return Check("P-NAME", f"{name} is short enough for a {CLONESET.kind}", passed=True)
    return Check(
        "P-NAME",
        f"{name} has {len(name)} characters: with the hash of a revision it does not fit into a label of 63",
        f"--to-name with at most {NAME_MAX} characters",
    )

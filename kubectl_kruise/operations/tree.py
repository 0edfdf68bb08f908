"""Read a workload with everything that hangs on it: revisions, pods, claims, autoscalers, budgets, pull jobs, restarts."""

from collections.abc import Callable
from typing import NamedTuple

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.cluster.versions import served_version
from kubectl_kruise.engine.revisions.listing import history_kind, in_history
from kubectl_kruise.engine.statefulset.ordinals import split_name
from kubectl_kruise.errors import NotAllowedError, NotFoundError
from kubectl_kruise.facts.kinds import (
    CONTAINER_RECREATE_REQUEST,
    DEPLOYMENT,
    HPA,
    IMAGE_PULL_JOB,
    NATIVE_STATEFULSET,
    PDB,
    POD,
    PVC,
    STATEFULSET,
    Kind,
)
from kubectl_kruise.objects.autoscaler import scales
from kubectl_kruise.objects.pod import claims_used
from kubectl_kruise.objects.raw import Raw, dig, name_of, owner_uid, uid_of
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.objects.workload import Workload


class Family(NamedTuple):
    """`revisions` are ControllerRevisions, or a Deployment's ReplicaSets; `unread` names what may not be listed."""

    workload: Workload
    revisions: list[Raw]
    pods: list[Raw]
    claims: list[Raw]
    autoscalers: list[Raw]
    budgets: list[Raw]
    pull_jobs: list[Raw]
    restarts: list[Raw]
    unread: tuple[str, ...] = ()


def read_family(cluster: Cluster, workload: Workload) -> Family:
    """Read what belongs to the workload; kinds that are absent or not allowed are left out.

    Raises ServerError where the workload's selector cannot be read.
    """
    read = _Reader(cluster, workload.namespace)

    def owned(raw: Raw) -> bool:
        return owner_uid(raw) == workload.uid

    labels = workload.selector
    revisions = read.list(history_kind(workload), lambda raw: in_history(workload, raw))
    parents = {uid_of(each) for each in revisions} if workload.kind is DEPLOYMENT else {workload.uid}
    pods = read.list(POD, lambda pod: owner_uid(pod) in parents, labels)
    names, used = {name_of(pod) for pod in pods}, {claim for pod in pods for claim in claims_used(pod)}
    claims, pull_jobs, restarts = [], [], []
    if used or dig(workload.raw, ("spec", "volumeClaimTemplates")):
        # Claims that outlive their pod are the workload's own, those of a set by their name; those of a pod are the pod's.
        claims = read.list(
            PVC, lambda claim: owned(claim) or name_of(claim) in used or _left(claim, workload)
        )
    if not workload.kind.native:
        pull_jobs = read.list(IMAGE_PULL_JOB, owned)
        restarts = read.list(CONTAINER_RECREATE_REQUEST, lambda each: dig(each, ("spec", "podName")) in names)
    return Family(
        workload,
        revisions,
        pods,
        claims,
        read.list(HPA, lambda each: scales(each, workload.kind, workload.name)),
        read.list(PDB, lambda each: _guards(each, workload)),
        pull_jobs,
        restarts,
        tuple(read.refused),
    )


class _Reader:
    """Lists of one namespace; `refused` collects what may not be listed."""

    def __init__(self, cluster: Cluster, namespace: str) -> None:
        self._cluster, self._namespace = cluster, namespace
        self.refused: list[str] = []

    def list(self, kind: Kind, keep: Callable[[Raw], bool], labels: str = "") -> list[Raw]:
        try:
            version = served_version(self._cluster, kind) if len(kind.versions) > 1 else kind.versions[0]
            found = self._cluster.list(kind.path(self._namespace, version=version), labels=labels)
        except NotAllowedError:
            self.refused.append(kind.plural)
            return []
        except NotFoundError:
            return []
        return [item for item in found["items"] if keep(item)]


def _left(claim: Raw, workload: Workload) -> bool:
    """Say whether a claim is named after a claim template of a set and an ordinal (advanced-statefulset.md §9 [I-2])."""
    if workload.kind not in (STATEFULSET, NATIVE_STATEFULSET):
        return False
    parent = split_name(name_of(claim)).parent
    templates = dig(workload.raw, ("spec", "volumeClaimTemplates"), [])
    return any(parent == f"{name_of(template)}-{workload.name}" for template in templates)


def _guards(budget: Raw, workload: Workload) -> bool:
    try:
        selector = selector_of(dig(budget, ("spec", "selector")))
    except ValueError:
        return False
    return not selector.empty and selector.matches(
        dig(workload.raw, ("spec", "template", "metadata", "labels"), {})
    )

"""Read a workload with everything that hangs on it: revisions, pods, claims, autoscalers, budgets, pull jobs, restarts."""

from collections.abc import Callable
from typing import NamedTuple

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.errors import NotAllowedError, NotFoundError
from kubectl_kruise.facts.kinds import (
    CONTAINER_RECREATE_REQUEST,
    CONTROLLER_REVISION,
    DEPLOYMENT,
    HPA,
    IMAGE_PULL_JOB,
    PDB,
    POD,
    PVC,
    REPLICASET,
    Kind,
)
from kubectl_kruise.objects.raw import Raw, dig, metadata, name_of, uid_of
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
    """Read what belongs to the workload; kinds that are absent or not allowed are left out."""
    unread: list[str] = []

    def listed(kind: Kind, keep: Callable[[Raw], bool], labels: str = "") -> list[Raw]:
        try:
            version = (
                next((each for each in kind.versions if each in cluster.served(kind.group)), "")
                if kind.group
                else ""
            )
            found = cluster.list(kind.path(workload.namespace, version=version), labels=labels)
        except NotAllowedError:
            unread.append(kind.plural)
            return []
        except NotFoundError:
            return []
        return [item for item in found.get("items") or [] if keep(item)]

    def owned(raw: Raw) -> bool:
        return workload.uid in _owners(raw)

    labels = str(selector_of(dig(workload.raw, ("spec", "selector"))))
    native = workload.kind is DEPLOYMENT
    revisions = listed(REPLICASET if native else CONTROLLER_REVISION, owned)
    parents = {uid_of(each) for each in revisions} if native else {workload.uid}
    pods = listed(POD, lambda pod: bool(parents & _owners(pod)), labels)
    names = {name_of(pod) for pod in pods}
    used = {
        str(dig(volume, ("persistentVolumeClaim", "claimName")))
        for pod in pods
        for volume in dig(pod, ("spec", "volumes"), [])
        if dig(volume, ("persistentVolumeClaim", "claimName"))
    }
    return Family(
        workload,
        revisions,
        pods,
        listed(PVC, lambda claim: owned(claim) or name_of(claim) in used)
        if used or _has_claims(workload)
        else [],
        listed(HPA, lambda scaler: _scales(scaler, workload)),
        listed(PDB, lambda budget: _guards(budget, workload)),
        [] if native else listed(IMAGE_PULL_JOB, owned),
        []
        if native
        else listed(CONTAINER_RECREATE_REQUEST, lambda each: dig(each, ("spec", "podName")) in names),
        tuple(unread),
    )


def _owners(raw: Raw) -> set[str]:
    return {str(reference.get("uid")) for reference in metadata(raw).get("ownerReferences") or []}


def _has_claims(workload: Workload) -> bool:
    return bool(dig(workload.raw, ("spec", "volumeClaimTemplates")))


def _scales(scaler: Raw, workload: Workload) -> bool:
    target = dig(scaler, ("spec", "scaleTargetRef"), {})
    group = str(target.get("apiVersion") or "").rpartition("/")[0]
    return (target.get("kind"), target.get("name"), group) == (
        workload.kind.kind,
        workload.name,
        workload.kind.group,
    )


def _guards(budget: Raw, workload: Workload) -> bool:
    selector = selector_of(dig(budget, ("spec", "selector")))
    return not selector.empty and selector.matches(
        dig(workload.raw, ("spec", "template", "metadata", "labels"), {})
    )

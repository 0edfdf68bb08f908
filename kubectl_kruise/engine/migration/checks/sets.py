"""Checks of a set and what its pods are tied to: names, ordinals, volume claims, quotas (migration.md §10)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from kubectl_kruise.engine.migration.checks.check import Check, some
from kubectl_kruise.engine.migration.ordinals import ordinal_of
from kubectl_kruise.engine.statefulset.ordinals import identity_matches, storage_matches
from kubectl_kruise.facts.names import REVISION_LABEL
from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import Raw, dig, labels_of, name_of
from kubectl_kruise.objects.retention import retains, retention_of
from kubectl_kruise.objects.workload import Workload

FAILED_CREATES: Final = 15
"""So many pods a quota counts for a while where a set tries to create pods whose names are taken (§2.2 A3)."""

_PER_POD: Final = {"pods": "", "count/pods": "", **{
    f"{prefix}{resource}": f"{sort}/{resource}"
    for resource in ("cpu", "memory")
    for prefix, sort in (("", "requests"), ("requests.", "requests"), ("limits.", "limits"))
}}  # fmt: skip
"""What of a quota a failed create is charged to, and what of a container it counts."""


def check_set(workload: Workload, pods: Sequence[Raw]) -> Iterator[Check]:
    """Check the pods of a set against its name and its claim templates, and say what becomes of its claims."""
    owner, namespace = workload.name, workload.namespace
    strange, unfit = [], []
    templates = [name_of(each) for each in dig(workload.raw, ("spec", "volumeClaimTemplates")) or []]
    for pod in pods:
        ordinal = ordinal_of(pod, owner)
        if ordinal < 0 or not identity_matches(pod, owner, namespace, ordinal):
            strange.append(name_of(pod))
        elif not storage_matches(pod, owner, ordinal, templates):
            unfit.append(name_of(pod))
    if strange:
        yield Check(
            "P-PVC",
            f"{some(strange)}: name and label are not those of a pod of {workload.name}",
            "delete such a pod, and its set makes it again as it should be",
        )
    if unfit:
        yield Check(
            "P-PVC",
            f"{some(unfit)}: its volumes are not those of the claim templates ({', '.join(templates)})",
            "delete such a pod, and its set makes it again with the volumes of the templates",
        )
    if not strange and not unfit and templates:
        yield Check("P-PVC", f"every pod has its volume claims ({', '.join(templates)})", passed=True)
    yield from check_claims_policy(workload)


def check_claims_policy(workload: Workload) -> Iterator[Check]:
    """Say what becomes of claims that go with their set, or with a pod that is scaled down."""
    if not retains(workload.raw):
        policy = retention_of(workload.raw)
        yield Check(
            "P-PVCPOL",
            f"its claims go when it is {_when(policy)}: they are kept while it migrates, then go with the new set",
            "nothing, if that is wanted",
        )


def check_pace(workload: Workload) -> Iterator[Check]:
    """Say that only one pod at a time is updated in order, whatever the native set says."""
    value = workload.max_unavailable_value if dig(workload.raw, _MAX_UNAVAILABLE) is not None else 1
    if value != 1 and dig(workload.raw, ("spec", "podManagementPolicy")) != "Parallel":
        yield Check(
            "P-MAXUNAV",
            f"its maxUnavailable {value} becomes 1: an Advanced StatefulSet updates more at a time only beside Parallel",
            "nothing, or make it anew with podManagementPolicy Parallel",
        )


def check_settled_revision(workload: Workload, pods: Sequence[Raw]) -> Iterator[Check]:
    """Check that no pod waits for an update: those that change hands count as updated afterwards.

    With OnDelete nobody names the current revision anew, so that the pods alone tell.
    """
    update, current = workload.update_revision, workload.current_revision
    old = [name_of(pod) for pod in pods if active(pod) and labels_of(pod).get(REVISION_LABEL) != update]
    if old and update:
        yield Check(
            "P-ROLLOUT",
            f"{some(old)}: not of its revision {update}",
            f"kubectl kruise rollout status {workload.reference}, or undo the change",
        )
    elif current != update and not workload.on_delete:
        yield Check(
            "P-ROLLOUT",
            f"its controller still counts {current} as its revision beside {update}",
            f"kubectl kruise rollout status {workload.reference}",
        )


def check_quotas(workload: Workload, quotas: Iterable[Raw], *, forced: bool) -> Iterator[Check]:
    """Say where a quota has too little room for the pods that the new set tries to create while the old one lives.

    `forced` says that the user wants the new set first all the same.
    """
    needed = max(workload.replicas, FAILED_CREATES)
    for quota in quotas:
        short = [key for key in _PER_POD if _too_little(quota, key, _per_pod(workload, key) * needed)]
        if short:
            yield Check(
                "P-QUOTA",
                f"ResourceQuota {name_of(quota)} has too little room ({', '.join(short)}) for the pods that the new set"
                " tries to create while the old one has their names",
                "--order target-last creates it when the old one is gone"
                if forced
                else "so the new set is created when the old one is gone",
                f"resourcequota/{name_of(quota)}",
            )


def check_revision(pods: Sequence[Raw], revision: str) -> Check:
    """Say which revision the pods will be of, and that a label is all that changes."""
    held = sorted({labels_of(pod).get(REVISION_LABEL, "") for pod in pods})
    if not held or held == [revision]:
        return Check("P-REVISION", f"its pods are of revision {revision} already", passed=True)
    text = f"its revision will be {revision}: {len(pods)} pods get it as a label, none is restarted"
    return Check("P-REVISION", text, passed=True)


_MAX_UNAVAILABLE: Final = ("spec", "updateStrategy", "rollingUpdate", "maxUnavailable")


def _when(policy: Raw) -> str:
    words = {"whenDeleted": "deleted", "whenScaled": "scaled down"}
    return " or ".join(word for key, word in words.items() if policy[key] == "Delete")


def _too_little(quota: Raw, key: str, needed: int) -> bool:
    hard, used = dig(quota, ("status", "hard", key)), dig(quota, ("status", "used", key))
    if hard is None or used is None or not needed:
        return False
    return _amount(hard) - _amount(used) < needed


def _per_pod(workload: Workload, key: str) -> int:
    sort, _, resource = _PER_POD[key].partition("/")
    if not sort:
        return _amount(1)
    containers = dig(workload.raw, ("spec", "template", "spec", "containers"), [])
    amounts = [dig(each, ("resources", sort, resource)) for each in containers]
    return sum(_amount(amount) for amount in amounts if amount is not None)


def _amount(value: Any) -> int:
    """Give a quantity in billionths, 0 for one that cannot be read."""
    try:
        return parse_quantity(value).nanos
    except ValueError:
        return 0

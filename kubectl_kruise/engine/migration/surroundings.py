"""What else lives in the namespace of a workload that migrates (migration.md §8, §10)."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from kubectl_kruise.facts.kinds import (
    CLONESET,
    DAEMONSET,
    DEPLOYMENT,
    HPA,
    KRUISE_GROUP,
    NATIVE_DAEMONSET,
    NATIVE_STATEFULSET,
    PDB,
    PERSISTENT_POD_STATE,
    POD_UNAVAILABLE_BUDGET,
    REPLICASET,
    RESOURCE_QUOTA,
    SERVICE,
    SIDECAR_SET,
    STATEFULSET,
    WORKLOAD_SPREAD,
    Kind,
)
from kubectl_kruise.facts.neighbours import (
    ARGO_ROLLOUT,
    FLAGGER_CANARY,
    JOB,
    KRUISE_ROLLOUT,
    NETWORK_POLICY,
    POD_MONITOR,
    PROMETHEUS_RULE,
    ROLE,
    SCALED_OBJECT,
    SERVICE_MONITOR,
    VPA,
)
from kubectl_kruise.objects.raw import Raw

OWNERS: Final = (
    DEPLOYMENT, REPLICASET, NATIVE_STATEFULSET, NATIVE_DAEMONSET, JOB, CLONESET, STATEFULSET, DAEMONSET,
)  # fmt: skip
"""Kinds that own pods by a selector."""

POINTERS: Final = (
    HPA, SCALED_OBJECT, VPA, PDB, POD_UNAVAILABLE_BUDGET, WORKLOAD_SPREAD, PERSISTENT_POD_STATE, SIDECAR_SET,
    SERVICE, NETWORK_POLICY, SERVICE_MONITOR, POD_MONITOR, PROMETHEUS_RULE, ARGO_ROLLOUT, FLAGGER_CANARY,
    KRUISE_ROLLOUT, ROLE, RESOURCE_QUOTA,
)  # fmt: skip
"""Kinds that may point at a workload or at its pods."""


class Surroundings(NamedTuple):
    """Objects by kind, as far as they could be listed; `unseen` says why the others could not."""

    objects: Mapping[Kind, Sequence[Raw]]
    unseen: Mapping[Kind, str]

    def of(self, kind: Kind) -> Sequence[Raw]:
        return self.objects.get(kind, ())


def optional(kind: Kind) -> bool:
    """Say whether a cluster may do without this kind: it comes with a CRD."""
    return ("." in kind.group and not kind.group.endswith(".k8s.io")) or kind.group == KRUISE_GROUP

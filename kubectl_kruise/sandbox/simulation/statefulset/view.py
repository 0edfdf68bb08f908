"""A native StatefulSet as its controller reads it (sandbox-apiserver.md §21.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from kubectl_kruise.objects.raw import Raw, deleting, dig, metadata, name_of, namespace_of, uid_of
from kubectl_kruise.objects.selector import Selector, selector_of

UNLIMITED_HISTORY: Final = 2**31 - 1
RETAIN: Final = "Retain"
DELETE: Final = "Delete"


@dataclass(frozen=True)
class NativeSet:
    """Read through properties, defaults filled in for fields that a server fills in."""

    raw: Raw

    @property
    def name(self) -> str:
        return name_of(self.raw)

    @property
    def namespace(self) -> str:
        return namespace_of(self.raw)

    @property
    def uid(self) -> str:
        return uid_of(self.raw)

    @property
    def generation(self) -> int:
        return int(metadata(self.raw).get("generation") or 0)

    @property
    def deleting(self) -> bool:
        return deleting(self.raw)

    @property
    def replicas(self) -> int:
        return int(dig(self.raw, ("spec", "replicas"), 1))

    @property
    def start(self) -> int:
        """Give the first ordinal."""
        return int(dig(self.raw, ("spec", "ordinals", "start"), 0))

    @property
    def ordinals(self) -> range:
        return range(self.start, self.start + self.replicas)

    @property
    def ordered(self) -> bool:
        """Say whether pods come and go one by one (OrderedReady)."""
        return bool(dig(self.raw, ("spec", "podManagementPolicy"), "OrderedReady") != "Parallel")

    @property
    def rolling(self) -> bool:
        """Say whether pods are replaced by the controller, not only by whoever deletes them (OnDelete)."""
        return bool(dig(self.raw, ("spec", "updateStrategy", "type"), "RollingUpdate") == "RollingUpdate")

    @property
    def partition(self) -> int:
        """Give how many pods, from the first ordinal on, are not updated."""
        return int(dig(self.raw, ("spec", "updateStrategy", "rollingUpdate", "partition"), 0))

    @property
    def kept(self) -> int:
        """Give how many ordinals get new pods of the current revision: those of the partition.

        Where the strategy names no rolling update at all, as many as have that revision by the status.
        """
        if not self.rolling:
            return 0
        if dig(self.raw, ("spec", "updateStrategy", "rollingUpdate")) is None:
            return int(self.status.get("currentReplicas") or 0)
        return self.partition

    @property
    def min_ready(self) -> int:
        """Give the seconds that a pod has to be ready before it counts as available."""
        return int(dig(self.raw, ("spec", "minReadySeconds"), 0))

    @property
    def history_limit(self) -> int:
        return int(dig(self.raw, ("spec", "revisionHistoryLimit"), UNLIMITED_HISTORY))

    @property
    def service(self) -> str:
        return str(dig(self.raw, ("spec", "serviceName"), ""))

    @property
    def template(self) -> Raw:
        template: Raw = dig(self.raw, ("spec", "template"), {})
        return template

    @property
    def claim_templates(self) -> Sequence[Raw]:
        templates: list[Raw] = dig(self.raw, ("spec", "volumeClaimTemplates"), [])
        return templates

    @property
    def when_scaled(self) -> str:
        """Give what becomes of the claims of pods that scaling takes away: Retain or Delete."""
        return self._retention("whenScaled")

    @property
    def when_deleted(self) -> str:
        """Give what becomes of all claims with the set: Retain or Delete."""
        return self._retention("whenDeleted")

    @property
    def status(self) -> Raw:
        status: Raw = dig(self.raw, ("status",), {})
        return status

    @cached_property
    def selector(self) -> Selector:
        return selector_of(dig(self.raw, ("spec", "selector")))

    def _retention(self, event: str) -> str:
        return str(dig(self.raw, ("spec", "persistentVolumeClaimRetentionPolicy", event), RETAIN))

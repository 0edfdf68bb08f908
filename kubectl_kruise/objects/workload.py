"""Read-only view of a workload: its switches wherever the API version keeps them, its counters, its template.

Absent fields read as the controllers read them (rollout-operations.md §1 rule 4, cloneset.md §6).
"""

from typing import Any

from kubectl_kruise.errors import ServerError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, NATIVE_STATEFULSET, STATEFULSET, Kind, Layout
from kubectl_kruise.facts.kinds import Path as FieldPath
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.notation.number import IntOrPercent
from kubectl_kruise.objects.raw import (
    Raw,
    api_version,
    deleting,
    dig,
    metadata,
    name_of,
    namespace_of,
    uid_of,
)

DEPLOYMENT_SHARE = "25%"
ROLLING: FieldPath = ("spec", "updateStrategy", "rollingUpdate")


class Workload:
    """One object of a workload kind."""

    __slots__ = ("kind", "raw")

    def __init__(self, raw: Raw, kind: Kind) -> None:
        self.raw = raw
        self.kind = kind

    @property
    def name(self) -> str:
        return name_of(self.raw)

    @property
    def namespace(self) -> str:
        return namespace_of(self.raw)

    @property
    def title(self) -> str:
        """`cloneset "web"`, for sentences."""
        return f'{self.kind.word} "{self.name}"'

    @property
    def reference(self) -> str:
        """`cloneset/web`, as typed."""
        return f"{self.kind.word}/{self.name}"

    @property
    def arguments(self) -> str:
        """`cloneset/web -n shop`: what a command line needs to mean this object, whatever the context's namespace."""
        return f"{self.reference} -n {self.namespace}"

    @property
    def selector(self) -> str:
        """The label selector as a query; raises ServerError where it cannot be read, which only a webhook prevents."""
        from kubectl_kruise.objects.selector import selector_of

        try:
            return str(selector_of(dig(self.raw, ("spec", "selector"))))
        except ValueError as error:
            raise ServerError(f"the selector of {self.title} cannot be read", cause=str(error)) from None

    @property
    def uid(self) -> str:
        return uid_of(self.raw)

    @property
    def version(self) -> str:
        return api_version(self.raw)

    @property
    def layout(self) -> Layout:
        return self.kind.layout(self.version)

    @property
    def generation(self) -> int:
        return int(metadata(self.raw).get("generation") or 0)

    @property
    def observed_generation(self) -> int:
        return self.counter("observedGeneration") or 0

    @property
    def observed(self) -> bool:
        """Whether a controller has seen the spec as it stands."""
        return 0 < self.generation <= self.observed_generation

    @property
    def deleting(self) -> bool:
        return deleting(self.raw)

    @property
    def replicas(self) -> int:
        return int(dig(self.raw, ("spec", "replicas"), 1))

    @property
    def paused(self) -> bool:
        return bool(self._switch(self.layout.paused))

    @property
    def partition_value(self) -> IntOrPercent | None:
        value: IntOrPercent | None = self._switch(self.layout.partition)
        return value

    @property
    def partition(self) -> int:
        """Pods to keep on the old revision; 0 where the value cannot be read.

        OnDelete of a set knows none, even where one was left behind (advanced-statefulset.md §12.2).
        """
        if self.on_delete and self.kind is STATEFULSET:
            return 0
        try:
            return number.partition(self.partition_value, self.replicas)
        except ValueError:
            return 0

    @property
    def max_surge_value(self) -> IntOrPercent | None:
        value: IntOrPercent | None = self._switch(self.layout.max_surge)
        if value is None and self.kind is DEPLOYMENT and self.update_type != "Recreate":
            return DEPLOYMENT_SHARE
        return value

    @property
    def max_surge(self) -> int:
        return number.surge(
            self.max_surge_value, self.replicas, paused=self.paused and self.kind is not DEPLOYMENT
        )

    @property
    def max_unavailable_value(self) -> IntOrPercent | None:
        if self.kind is NATIVE_STATEFULSET:
            return 1
        value: IntOrPercent | None = self._switch(self.layout.max_unavailable)
        if value is None and self.kind is STATEFULSET:
            return 1
        if value is None:
            return DEPLOYMENT_SHARE if self.kind is DEPLOYMENT else number.DEFAULT_MAX_UNAVAILABLE
        return value

    @property
    def max_unavailable(self) -> int:
        """Pods that may be unavailable at a time; a Deployment that recreates takes all of them down.

        OnDelete without anything beside it rounds down (cloneset.md §6.4). Native StatefulSets update one pod at a time
        (advanced-statefulset.md §19.3), those of Kruise never none (§12.6 [P-54]).
        """
        if self.kind is NATIVE_STATEFULSET:
            return 1
        if self.kind is STATEFULSET:
            return max(1, number.legacy(self.max_unavailable_value, self.replicas, up=False))
        if self.on_delete and self.kind is CLONESET and not self._switch(ROLLING):
            return number.legacy(number.DEFAULT_MAX_UNAVAILABLE, self.replicas, up=False)
        if self.kind is not DEPLOYMENT:
            return number.unavailable(self.max_unavailable_value, self.replicas, surge=self.max_surge)
        if self.update_type == "Recreate":
            return self.replicas
        allowed = number.legacy(self.max_unavailable_value, self.replicas, up=False)
        return 1 if allowed == 0 and self.max_surge == 0 else allowed

    @property
    def update_type(self) -> str:
        """`ReCreate`, `InPlaceIfPossible`, `InPlaceOnly`, `OnDelete`; of Deployments `RollingUpdate`, `Recreate`."""
        if self.on_delete:
            return "OnDelete"
        return str(
            self._switch(self.layout.update_type) or ("RollingUpdate" if self.kind.native else "ReCreate")
        )

    @property
    def on_delete(self) -> bool:
        return bool(dig(self.raw, ("spec", "updateStrategy", "type")) == "OnDelete")

    @property
    def awaits_deletion(self) -> bool:
        """Whether only deletion gives a pod a new template; a surge beside OnDelete replaces old pods (cloneset.md Q26)."""
        if not self.on_delete or self.kind is not CLONESET:
            return self.on_delete
        return not number.surge(self.max_surge_value, self.replicas)

    @property
    def ordered(self) -> bool:
        """Whether the partition keeps the pods of the lowest ordinals: those it lets go are then the updated ones."""
        unordered = dig(self.raw, (*ROLLING, "unorderedUpdate")) is not None
        return self.kind is NATIVE_STATEFULSET or (self.kind is STATEFULSET and not unordered)

    @property
    def one_by_one(self) -> bool:
        """Whether the pods of a set are made, removed and updated one after the other (OrderedReady)."""
        policy = dig(self.raw, ("spec", "podManagementPolicy"), "OrderedReady")
        return self.kind in (STATEFULSET, NATIVE_STATEFULSET) and policy != "Parallel"

    @property
    def in_place(self) -> bool:
        return self.update_type.startswith("InPlace")

    @property
    def grace_seconds(self) -> int:
        path = self.layout.in_place
        return int(dig(self.raw, (*path, "gracePeriodSeconds"), 0)) if path else 0

    @property
    def min_ready_seconds(self) -> int:
        return int(dig(self.raw, self.layout.min_ready, 0))

    @property
    def update_revision(self) -> str:
        return str(self.status("updateRevision") or "")

    @property
    def current_revision(self) -> str:
        return str(self.status("currentRevision") or "")

    def hook(self, name: str) -> Raw | None:
        """Give a lifecycle hook (`preNormal`, `inPlaceUpdate`, `preDelete`), None where it is not set."""
        found: Raw | None = dig(self.raw, ("spec", "lifecycle", name))
        return found

    def status(self, key: str) -> object:
        return dig(self.raw, ("status", key))

    def counter(self, key: str) -> int | None:
        """Give a number of the status, None where the key is absent (servers leave zeros out)."""
        value = dig(self.raw, ("status", key))
        return value if isinstance(value, int) else None

    def condition(self, kind: str) -> Raw | None:
        return condition(self.raw, kind)

    @property
    def images(self) -> dict[str, str]:
        """Image per container of the template, in order."""
        containers = dig(self.raw, ("spec", "template", "spec", "containers"), [])
        return {str(each.get("name")): str(each.get("image") or "") for each in containers}

    def _switch(self, path: FieldPath) -> Any:
        return dig(self.raw, path) if path else None

"""The types of the native kinds, put together from structure, defaults and checks."""

from collections.abc import Callable
from functools import cache
from typing import Final

from kubectl_kruise.objects.notation.field_errors import FieldError
from kubectl_kruise.objects.raw import Raw, name_of
from kubectl_kruise.sandbox.native import decoding, defaults
from kubectl_kruise.sandbox.native.checks import (
    apps,
    batch,
    configuration,
    definitions,
    policies,
    services,
    stateful_sets,
)
from kubectl_kruise.sandbox.native.checks.pod import pods
from kubectl_kruise.sandbox.native.checks.pod.resize import check_resize
from kubectl_kruise.sandbox.native.checks.statuses import check_status
from kubectl_kruise.sandbox.native.limit_range import check_limit_range
from kubectl_kruise.sandbox.native.pod_warnings import template_warnings
from kubectl_kruise.sandbox.native.quota import check_quota
from kubectl_kruise.sandbox.native.structure import definition_of, node_of
from kubectl_kruise.sandbox.schema.metadata import (
    NameCheck,
    label_name,
    metadata_errors,
    path_segment_name,
    subdomain_name,
    unite_owners,
)
from kubectl_kruise.sandbox.schema.model import Decoded
from kubectl_kruise.sandbox.schema.node import Node

Check = Callable[[Raw, Raw | None], list[FieldError]]

_NAMES: Final[dict[str, NameCheck]] = {
    "Namespace": label_name, "Service": label_name, "StatefulSet": label_name, "Role": path_segment_name,
    "RoleBinding": path_segment_name, "ClusterRole": path_segment_name, "ClusterRoleBinding": path_segment_name,
}  # fmt: skip
_CHECKS: Final[dict[str, Check]] = {
    "Pod": pods.check_pod, "PodTemplate": pods.check_pod_template, "Deployment": apps.check_deployment,
    "ReplicaSet": apps.check_replica_set, "StatefulSet": stateful_sets.check_stateful_set, "DaemonSet": apps.check_daemon_set,
    "ControllerRevision": apps.check_controller_revision, "ConfigMap": configuration.check_config_map,
    "Secret": configuration.check_secret,
    "Event": configuration.check_event, "Service": services.check_service, "Endpoints": services.check_endpoints,
    "PersistentVolumeClaim": configuration.check_claim, "HorizontalPodAutoscaler": policies.check_autoscaler,
    "Job": batch.check_job, "CronJob": batch.check_cron_job, "PodDisruptionBudget": policies.check_budget, "LimitRange": check_limit_range, "ResourceQuota": check_quota, "CustomResourceDefinition": definitions.check_definition,
}  # fmt: skip
_WARNINGS: Final[dict[str, Callable[[Raw], list[str]]]] = {
    "Service": services.service_warnings,
    "StatefulSet": stateful_sets.stateful_set_warnings,
}
_DOT_WARNINGS: Final = {
    "Pod": "this is used in the Pod's hostname",
    "Deployment": "this is used in Pod names and hostnames",
    "ReplicaSet": "this is used in Pod names and hostnames",
    "Job": "this is used in Pod names and hostnames",
}


@cache
def model(api_version: str, kind: str) -> "NativeType":
    """Give the type of a native kind. Raises KeyError for an unknown one."""
    return NativeType(api_version, kind)


def _content(obj: Raw) -> Raw:
    """Give what the checks of a kind look at; where it did not change, it was checked before."""
    return {key: value for key, value in obj.items() if key not in {"metadata", "status"}}


class NativeType:
    """One native kind in one version, as schema.model.TypeModel."""

    def __init__(self, api_version: str, kind: str) -> None:
        self._api_version, self._kind = api_version, kind
        self._root: Final = node_of(definition_of(api_version, kind))
        self._first, self._fill = defaults.fillers(kind)
        self._check = _CHECKS.get(kind)
        self._name = _NAMES.get(kind, subdomain_name)

    @property
    def patch_schema(self) -> Node:
        return self._root

    def decode(self, obj: Raw, *, nulls: bool = False) -> Decoded:  # noqa: ARG002 - to Go a null is no value
        found = decoding.decode(self._root, obj)
        return found._replace(warnings=unite_owners(found.object.get("metadata") or {}))

    def default(self, obj: Raw) -> Raw:
        """Fill what every object of the kind has (N1), zero values that are always printed included."""
        obj.setdefault("apiVersion", self._api_version)
        obj.setdefault("kind", self._kind)
        if "status" not in obj and self._first is not None:
            self._first(obj)
        decoding.complete(self._root, obj)
        if self._fill is not None:
            self._fill(obj)
        return obj

    def validate(self, new: Raw, old: Raw | None = None, *, subresource: str = "") -> list[FieldError]:
        errors = metadata_errors(new, old, name=self._name)
        if self._check is not None and not subresource and not (old and _content(new) == _content(old)):
            errors += self._check(new, old)
        if subresource == "resize" and old is not None:
            errors += check_resize(new, old)
        if subresource == "status" and old is not None:
            errors += check_status(self._kind, new, old)
        return errors

    def warnings(self, new: Raw, old: Raw | None = None) -> list[str]:
        """Warn about pod specs that hardly mean what they say, and on create about dots in host names (M6)."""
        found = self._name_warnings(new) if old is None else []
        found += _WARNINGS[self._kind](new) if self._kind in _WARNINGS else []
        return found + template_warnings(self._kind, new, old)

    def _name_warnings(self, new: Raw) -> list[str]:
        name = name_of(new)
        use = _DOT_WARNINGS.get(self._kind)
        if use is None or "." not in name:
            return []
        words = "which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"
        return [f"metadata.name: {use}, {words}"]

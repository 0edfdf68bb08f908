"""Checks on native StatefulSets."""

from typing import Final

from kubectl_kruise.objects.notation.field_errors import FieldError, forbidden, invalid
from kubectl_kruise.objects.raw import Raw, name_of
from kubectl_kruise.sandbox.native.checks.apps import check_selected
from kubectl_kruise.sandbox.native.checks.configuration import check_claim_spec
from kubectl_kruise.sandbox.native.checks.numbers import not_negative, one_of, share
from kubectl_kruise.sandbox.native.checks.pod.spec import check_template_metadata
from kubectl_kruise.sandbox.schema.metadata import label_name

_CHANGES: Final = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy',"
    " 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)
_FREE: Final = frozenset({
    "replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
})  # fmt: skip
_POLICIES: Final = ("OrderedReady", "Parallel")
_NEGATIVE_HISTORY: Final = "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"


def check_stateful_set(new: Raw, old: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    policy, errors = spec.get("podManagementPolicy"), []
    if policy not in _POLICIES:
        errors.append(invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'"))
    errors += _check_strategy(spec.get("updateStrategy") or {})
    retention = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    for name in ("whenDeleted", "whenScaled"):
        errors += one_of(retention, name, ("Retain", "Delete"), "spec.persistentVolumeClaimRetentionPolicy")
    if old is None:
        for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
            errors += check_claim_spec(claim.get("spec") or {}, f"spec.volumeClaimTemplates[{index}].spec")
    errors += not_negative(spec, ("replicas", "minReadySeconds"), "spec")
    errors += not_negative(spec.get("ordinals") or {}, ("start",), "spec.ordinals")
    service = spec.get("serviceName") or ""
    if old is None and service:
        errors += [invalid("spec.serviceName", service, text) for text in label_name(service)]
    template = _as_in_pods(spec)
    errors += check_selected({**spec, "template": template}, "statefulset", kind="StatefulSet", unreadable="")
    errors += check_template_metadata(template, "spec.template")  # once more, as the real server does
    before = (old or {}).get("spec")
    if before is not None and _held(spec) != _held(before):
        errors.append(forbidden("spec", _CHANGES))
    return errors


def stateful_set_warnings(new: Raw) -> list[str]:
    """Warn about a negative number of revisions to keep, which keeps them all."""
    limit = (new.get("spec") or {}).get("revisionHistoryLimit")
    return [_NEGATIVE_HISTORY] if limit is not None and limit < 0 else []


def _as_in_pods(spec: Raw) -> Raw:
    """Give the template as pods will have it: a volume for each claim, and no names of its own making."""
    template = spec.get("template") or {}
    pod = {
        key: value
        for key, value in (template.get("spec") or {}).items()
        if key not in {"hostname", "subdomain"}
    }
    claims = [name_of(claim) for claim in spec.get("volumeClaimTemplates") or ()]
    volumes = [volume for volume in pod.get("volumes") or () if volume.get("name") not in claims]
    volumes += [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims]
    return {**template, "spec": {**pod, "volumes": volumes}}


def _check_strategy(strategy: Raw) -> list[FieldError]:
    kind, rolling, at = strategy.get("type"), strategy.get("rollingUpdate"), "spec.updateStrategy"
    if kind == "RollingUpdate":
        rolling = rolling or {}
        errors = not_negative(rolling, ("partition",), f"{at}.rollingUpdate")
        return errors + share(rolling.get("maxUnavailable"), f"{at}.rollingUpdate.maxUnavailable")
    shown = None
    if rolling is not None:
        shown = {"Partition": rolling.get("partition", 0), "MaxUnavailable": rolling.get("maxUnavailable")}
    if kind != "OnDelete":
        return [invalid(at, {"Type": kind, "RollingUpdate": shown}, "must be 'RollingUpdate' or 'OnDelete'")]
    if shown is None:
        return []
    return [invalid(f"{at}.rollingUpdate", shown, "only allowed for updateStrategy 'RollingUpdate'")]


def _held(spec: Raw) -> Raw:
    return {key: value for key, value in spec.items() if key not in _FREE}

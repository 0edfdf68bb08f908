"""Validation of Advanced StatefulSets as the validating webhook does it, with its texts (advanced-statefulset.md §7)."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from kubectl_kruise.engine.admission.complaint import Refusal, invalid, quoted, refusal, refused
from kubectl_kruise.engine.admission.go_syntax import go_syntax
from kubectl_kruise.engine.admission.selector_validation import (
    label_problems,
    selector_problems,
    selector_readable,
)
from kubectl_kruise.engine.admission.statefulset_claims import StorageClasses, claim_update_problem
from kubectl_kruise.engine.admission.statefulset_defaults import typed_statefulset
from kubectl_kruise.engine.admission.statefulset_strategy import (
    PARALLEL,
    non_negative,
    scale_problems,
    strategy_problems,
)
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.inplace.difference import difference
from kubectl_kruise.facts.policies import IN_PLACE_ONLY
from kubectl_kruise.objects.notation.field_errors import FieldError, forbidden, not_supported, required
from kubectl_kruise.objects.notation.number import atoi
from kubectl_kruise.objects.notation.pointer import pointer
from kubectl_kruise.objects.raw import Raw, dig, metadata

CheckLabels = Callable[[Raw, str], Iterable[FieldError]]
"""Validates labels and annotations of a pod template as Kubernetes does; takes the template and its path."""

WEBHOOK: Final = "vstatefulset.kb.io"
_LONGEST_NAME: Final = 63
_POLICIES: Final = ("OrderedReady", PARALLEL)
_RETENTION: Final = ("Retain", "Delete")
_FIXED: Final = ("selector", "serviceName", "podManagementPolicy")
_MUTABLE: Final = (
    "'replicas', 'ordinals', 'template', 'reserveOrdinals', 'lifecycle', 'revisionHistoryLimit', "
    "'persistentVolumeClaimRetentionPolicy', `volumeClaimTemplates`, `VolumeClaimUpdateStrategy` and 'updateStrategy'"
)
"""What may change, as the webhook lists it; scaleStrategy may as well."""
_RANGE: Final = re.compile("[0-9]+-[0-9]+")
_IMAGE: Final = re.compile("/containers/[0-9]+/image")


def validate_statefulset(
    obj: Raw,
    old: Raw | None = None,
    *,
    gates: Gates | None = None,
    classes: StorageClasses = tuple,
    check_labels: CheckLabels | None = None,
) -> Refusal | None:
    """Judge a defaulted object; `old` is the stored one in the same version on an update. None where it may be stored.

    What the API server itself refuses first is left out (W-0). Raises ValueError where a value does not fit its type.
    """
    spec: Raw = typed_statefulset(obj)["spec"]
    found = [*_name_problems(obj), *_spec_problems(spec, check_labels)]
    known = _known(obj, old, spec)
    if known is not None:
        found += _update_problems(spec, known)
    if found or known is None:
        return refusal(WEBHOOK, found)
    if dig(spec, ("updateStrategy", "rollingUpdate", "podUpdatePolicy")) == IN_PLACE_ONLY and (
        change := _beyond_images(known["template"]["spec"], spec["template"]["spec"])
    ):
        why = f"invalid template modified with {IN_PLACE_ONLY} strategy: {change}"
        return refused(WEBHOOK, f"{why}, currently only image update is allowed for {IN_PLACE_ONLY}")
    problem = claim_update_problem(spec, known, classes) if gates and gates.resize_claims else None
    return refusal(WEBHOOK, [problem] if problem else [])


def _known(obj: Raw, old: Raw | None, spec: Raw) -> Raw | None:
    """Give the typed spec before an update; where nothing of it changes that is `spec`, the one after it."""
    if old is None:
        return None
    if obj.get("spec") == old.get("spec"):
        return spec
    before: Raw = typed_statefulset(old)["spec"]
    return before


def _name_problems(obj: Raw) -> Iterator[FieldError]:
    """Complain about what of a subdomain is no label (W-1); a generated name begins with its base."""
    for field in ("generateName", "name"):
        name = str(metadata(obj).get(field) or "")
        if len(name) > _LONGEST_NAME:
            text = f"must be no more than {_LONGEST_NAME} characters"
            yield invalid(f"metadata.{field}", quoted(name), text)
        if "." in name:
            yield invalid(f"metadata.{field}", quoted(name), "must not contain dots")


def _spec_problems(spec: Raw, check_labels: CheckLabels | None) -> Iterator[FieldError]:
    yield from _policy_problems(spec.get("podManagementPolicy") or "")
    yield from _ordinal_problems(spec.get("reserveOrdinals") or [])
    yield from scale_problems(spec)
    yield from strategy_problems(spec)
    yield from _retention_problems(spec.get("persistentVolumeClaimRetentionPolicy"))
    yield from non_negative(spec["replicas"], "spec.replicas")
    yield from selector_problems(spec, "statefulset")
    if selector_readable(spec):
        yield from label_problems(spec)
        if check_labels is not None:
            yield from check_labels(spec["template"], "spec.template")
    yield from _pod_problems(spec["template"]["spec"])


def _policy_problems(policy: str) -> Iterator[FieldError]:
    field = "spec.podManagementPolicy"
    if not policy:
        yield required(field)
    elif policy not in _POLICIES:
        yield invalid(field, quoted(policy), f"must be '{_POLICIES[0]}' or '{_POLICIES[1]}'")


def _ordinal_problems(items: list[int | str]) -> Iterator[FieldError]:
    shown = go_syntax(items, "[]intOrString")
    for index, item in enumerate(items):
        which = f"{index} th reserve ordinal is"
        if isinstance(item, int):
            if item < 0:
                yield invalid("spec", shown, f"{which} negative: {item}")
            continue
        if not _RANGE.fullmatch(item):
            yield invalid("spec", shown, f"{which} not a valid range: {item}")
        if why := _range_problem(item):
            yield invalid("spec", shown, f"{which} invalid: {item}, err = {why}")


def _range_problem(text: str) -> str:
    parts = text.split("-")
    if len(parts) != 2:
        return f"invalid range {text}"
    try:
        first, last = map(atoi, parts)
    except ValueError as error:
        return str(error)
    return f"invalid range {text}" if first > last else ""


def _retention_problems(policy: Raw | None) -> Iterator[FieldError]:
    for field in ("whenDeleted", "whenScaled") if policy is not None else ():
        chosen = (policy or {}).get(field) or ""
        if chosen not in _RETENTION:
            yield not_supported(f"spec.persistentVolumeClaimRetentionPolicy.{field}", chosen, _RETENTION)


def _pod_problems(pod: Raw) -> Iterator[FieldError]:
    if pod.get("restartPolicy", "Always") != "Always":
        yield not_supported("spec.template.spec.restartPolicy", pod["restartPolicy"], ["Always"])
    if pod.get("activeDeadlineSeconds") is not None:
        text = "activeDeadlineSeconds in StatefulSet is not Supported"
        yield forbidden("spec.template.spec.activeDeadlineSeconds", text)


def _update_problems(spec: Raw, known: Raw) -> Iterator[FieldError]:
    if any(spec.get(field) != known.get(field) for field in _FIXED):
        yield forbidden("spec", f"updates to statefulset spec for fields other than {_MUTABLE} are forbidden")


def _beyond_images(before: Raw, after: Raw) -> str:
    """Name the first change of a pod spec that is none of an image, by its operation and path; "" without one."""
    for found in difference(before, after):
        path = pointer(found.path)
        if found.op != "replace" or not _IMAGE.search(path):
            return f"{found.op} {path}"
    return ""

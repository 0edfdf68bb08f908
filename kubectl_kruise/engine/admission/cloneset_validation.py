"""Validation of CloneSets as the validating webhook does it, with its texts (cloneset.md §5)."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from kubectl_kruise.engine.admission.cloneset_defaults import typed_cloneset
from kubectl_kruise.engine.admission.complaint import invalid, quoted
from kubectl_kruise.engine.admission.go_syntax import go_syntax
from kubectl_kruise.engine.admission.selector_validation import (
    label_problems,
    selector_problems,
    selector_readable,
)
from kubectl_kruise.engine.admission.strategy_validation import strategy_problems
from kubectl_kruise.engine.inplace.difference import difference
from kubectl_kruise.objects.notation.field_errors import FieldError, forbidden, not_supported
from kubectl_kruise.objects.notation.number import UNLIMITED
from kubectl_kruise.objects.raw import Raw, api_version, deleting, dig, name_of, owner_of, uid_of

LookupPod = Callable[[str], Raw | None]
"""Gives the pod of a name in the CloneSet's namespace, None where there is none."""
CheckTemplate = Callable[[Raw, str], Iterable[FieldError]]
"""Validates a pod template as Kubernetes does; takes the template and the path it stands at."""

_TEMPLATE: Final = "spec.template"
_MUTABLE: Final = (
    "replicas", "template", "lifecycle", "scaleStrategy", "updateStrategy", "minReadySeconds",
    "progressDeadlineSeconds", "volumeClaimTemplates", "revisionHistoryLimit",
)  # fmt: skip


def validate_cloneset(
    obj: Raw, old: Raw | None, lookup_pod: LookupPod, *, check_template: CheckTemplate | None = None
) -> list[FieldError]:
    """Judge a defaulted object by the rules of its version; `old` is the stored one in the same version on an update.

    What the API server itself refuses first is left out: names, negative replicas, an absent selector. Raises
    ValueError where a value does not fit its type.
    """
    version = api_version(obj)
    newer = version == "v1beta1"
    spec: Raw = typed_cloneset(obj)["spec"]
    known = _known(obj, old, spec)
    found: list[FieldError] = [*selector_problems(spec, "cloneset")]
    if not found or selector_readable(spec):
        found += _template_problems(spec, check_template)
    found += _restart_problems(spec)
    found += _deletion_problems(obj, spec, known, None if newer else lookup_pod)
    found += strategy_problems(spec, version)
    found += [] if newer else _deadline_problems(spec)
    if known is not None:
        found += _update_problems(spec, known)
        if not newer and dig(spec, ("updateStrategy", "type")) == "InPlaceOnly":
            found += _image_only_problems(known["template"]["spec"], spec["template"]["spec"])
    return found


def _known(obj: Raw, old: Raw | None, spec: Raw) -> Raw | None:
    """Give the typed spec before an update; where nothing of it changes that is `spec`, the one after it."""
    if old is None:
        return None
    if obj.get("spec") == old.get("spec"):
        return spec
    before: Raw = typed_cloneset(old)["spec"]
    return before


def _template_problems(spec: Raw, check_template: CheckTemplate | None) -> Iterator[FieldError]:
    yield from label_problems(spec)
    if check_template is not None:
        yield from check_template(_with_claims(spec), _TEMPLATE)


def _with_claims(spec: Raw) -> Raw:
    """Pretend that each claim template is a volume, so that mounts may name it."""
    template: Raw = spec["template"]
    claimed = [
        {"name": name_of(claim), "persistentVolumeClaim": {"claimName": name_of(claim)}}
        for claim in spec.get("volumeClaimTemplates") or []
    ]
    volumes = [*(template["spec"].get("volumes") or []), *claimed]
    return {**template, "spec": {**template["spec"], "volumes": volumes}} if claimed else template


def _restart_problems(spec: Raw) -> Iterator[FieldError]:
    pod: Raw = spec["template"]["spec"]
    if pod.get("restartPolicy", "Always") != "Always":
        yield not_supported(f"{_TEMPLATE}.spec.restartPolicy", pod["restartPolicy"], ["Always"])
    if pod.get("activeDeadlineSeconds") is not None:
        detail = "activeDeadlineSeconds in cloneset is not Supported"
        yield forbidden(f"{_TEMPLATE}.spec.activeDeadlineSeconds", detail)


def _deletion_problems(
    obj: Raw, spec: Raw, known: Raw | None, lookup_pod: LookupPod | None
) -> Iterator[FieldError]:
    """Judge podsToDelete; without `lookup_pod` whatever is named may be named (Q3)."""
    field = "spec.scaleStrategy.podsToDelete"
    names: list[str] = dig(spec, ("scaleStrategy", "podsToDelete"), [])
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        yield invalid(field, go_syntax(names, "[]string"), f"duplicated items [{' '.join(twice)}]")
        return
    if lookup_pod is None:
        return
    before = dig(known, ("scaleStrategy", "podsToDelete"), [])
    for name in names:
        if name not in before and (complaint := _deletion_problem(obj, name, lookup_pod)):
            yield invalid(field, quoted(name), f"find pod {name} {complaint}")


def _deletion_problem(obj: Raw, name: str, lookup_pod: LookupPod) -> str:
    pod = lookup_pod(name)
    if pod is None:
        return f"failed: Pod {quoted(name)} not found"
    if deleting(pod):
        return "already terminating"
    owner = owner_of(pod)
    return "" if owner and owner.get("uid") == uid_of(obj) else "owner is not this CloneSet"


def _deadline_problems(spec: Raw) -> Iterator[FieldError]:
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is None:
        return
    field = "spec.progressDeadlineSeconds"
    if deadline < 0:
        yield invalid(field, str(deadline), "must be greater than or equal to 0")
    if deadline != UNLIMITED and deadline <= spec.get("minReadySeconds", 0):
        yield invalid(field, str(deadline), "must be greater than minReadySeconds")


def _update_problems(spec: Raw, known: Raw) -> Iterator[FieldError]:
    fixed = [{key: value for key, value in each.items() if key not in _MUTABLE} for each in (spec, known)]
    if fixed[0] != fixed[1]:
        listed = "', '".join(_MUTABLE[:-1])
        yield forbidden(
            "spec",
            f"updates to cloneset spec for fields other than '{listed}' and '{_MUTABLE[-1]}' are forbidden",
        )


def _image_only_problems(before: Raw, after: Raw) -> Iterator[FieldError]:
    for found in difference(before, after):
        image = found.path[:1] == ("containers",) and found.path[2:] == ("image",)
        if found.op != "replace" or not image:
            where = "/".join(("", *found.path))
            yield forbidden(
                "spec", f"only allowed to update images in spec for InPlaceOnly, but found {found.op} {where}"
            )
            return

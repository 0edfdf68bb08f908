"""Validation of a workload's selector, and of the template's labels it must match (cloneset.md §5.1)."""

from collections.abc import Iterator

from kubectl_kruise.engine.admission.complaint import invalid, quoted
from kubectl_kruise.engine.admission.go_syntax import go_syntax
from kubectl_kruise.objects.notation.field_errors import FieldError
from kubectl_kruise.objects.notation.selector_errors import expression_errors
from kubectl_kruise.objects.notation.syntax import label_key_problems, label_value_problems
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.objects.selector import selector_of

_FIELD = "spec.selector"


def selector_problems(spec: Raw, kind: str) -> Iterator[FieldError]:
    """Judge the selector of a typed spec; `kind` is the word for the workload in the complaint about an empty one."""
    selector: Raw = spec.get("selector") or {}
    shown = go_syntax(selector, "LabelSelector")
    for key, value in sorted((selector.get("matchLabels") or {}).items()):
        for complaint in label_key_problems(key):
            yield invalid(f"{_FIELD}.matchLabels", quoted(key), complaint)
        for complaint in label_value_problems(value):
            yield invalid(f"{_FIELD}.matchLabels", quoted(value), complaint)
    for index, expression in enumerate(selector.get("matchExpressions") or []):
        yield from expression_errors(expression, f"{_FIELD}.matchExpressions[{index}]")
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        yield invalid(_FIELD, shown, f"empty selector is invalid for {kind}")
    if not selector_readable(spec):
        yield invalid(_FIELD, shown)


def selector_readable(spec: Raw) -> bool:
    try:
        selector_of(spec.get("selector") or {})
    except ValueError:
        return False
    return True


def label_problems(spec: Raw) -> Iterator[FieldError]:
    """Complain where the selector, which can be read, does not match the template's labels."""
    labels = dig(spec, ("template", "metadata", "labels"))
    if not selector_of(spec.get("selector") or {}).matches(labels or {}):
        text = "`selector` does not match template `labels`"
        yield invalid("spec.template.metadata.labels", go_syntax(labels, "{}string"), text)

"""What is wrong with a label selector, field by field; apart from `selector`, which the quickest verbs load."""

from kubectl_kruise.objects.notation.field_errors import FieldError, forbidden, invalid, required
from kubectl_kruise.objects.notation.syntax import label_key_problems
from kubectl_kruise.objects.raw import Raw

_WITH_VALUES = frozenset({"In", "NotIn"})
_WITHOUT_VALUES = frozenset({"Exists", "DoesNotExist"})


def expression_errors(expression: Raw, at: str) -> list[FieldError]:
    """Complain about one of `matchExpressions`, in the words of the API server."""
    operator, values, errors = expression.get("operator") or "", expression.get("values"), []
    if operator in _WITH_VALUES and not values:
        text = "must be specified when `operator` is 'In' or 'NotIn'"
        errors.append(required(f"{at}.values", text))
    elif operator in _WITHOUT_VALUES and values:
        text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        errors.append(forbidden(f"{at}.values", text))
    elif operator not in _WITH_VALUES | _WITHOUT_VALUES:
        errors.append(invalid(f"{at}.operator", operator, "not a valid selector operator"))
    key = expression.get("key") or ""
    return errors + [invalid(f"{at}.key", key, text) for text in label_key_problems(key)]

"""Complaints of a webhook about fields, worded as Go's field errors, and the answer they add up to."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from kubectl_kruise.objects.notation.field_errors import FieldError, summary


class Refusal(NamedTuple):
    """The API server's answer when a webhook refuses: HTTP code and message; there is no reason in it."""

    code: int
    message: str


def invalid(field: str, shown: str, detail: str = "") -> FieldError:
    """Complain about a value; `shown` is the value as Go prints it (`quoted`, `go_value`)."""
    text = f"Invalid value: {shown}: {detail}" if detail else f"Invalid value: {shown}"
    return FieldError("FieldValueInvalid", field, text)


def undecodable(webhook: str, error: ValueError) -> Refusal:
    """Answer, as the webhook of this name, an object that does not fit its Go type (cloneset.md §5)."""
    return Refusal(400, f'admission webhook "{webhook}" denied the request: {error}')


def refusal(webhook: str, complaints: Sequence[FieldError]) -> Refusal | None:
    """Add up the complaints of the webhook of this name, None without any."""
    if not complaints:
        return None
    return Refusal(422, f'admission webhook "{webhook}" denied the request: {summary(complaints)}')


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def go_value(value: Any, kind: str) -> str:
    """Print a value of a Go type in Go syntax; `kind` is that type (`[]string`, `map[string]string`, …)."""
    match value:
        case None:
            return f"{kind}(nil)"
        case dict():
            pairs = ", ".join(f"{quoted(key)}:{quoted(value[key])}" for key in sorted(value))
            return f"{kind}{{{pairs}}}"
        case list():
            return f"{kind}{{{', '.join(map(quoted, value))}}}"
        case _:
            return quoted(value) if isinstance(value, str) else str(value)


def go_share(value: int | str | None) -> str:
    """Print an int-or-percent in Go syntax; an absent one is "null"."""
    if value is None:
        return '"null"'
    kind, number, text = (1, 0, value) if isinstance(value, str) else (0, value, "")
    return f"intstr.IntOrString{{Type:{kind}, IntVal:{number}, StrVal:{quoted(text)}}}"


def go_selector(selector: dict[str, Any]) -> str:
    """Print a label selector in Go syntax."""
    labels = go_value(selector.get("matchLabels"), "map[string]string")
    kind = "v1.LabelSelectorRequirement"
    expressions = selector.get("matchExpressions")
    if expressions is None:
        shown = f"[]{kind}(nil)"
    else:
        rows = [
            f"{kind}{{Key:{quoted(each.get('key') or '')}, Operator:{quoted(each.get('operator') or '')},"
            f" Values:{go_value(each.get('values'), '[]string')}}}"
            for each in expressions
        ]
        shown = f"[]{kind}{{{', '.join(rows)}}}"
    return f"v1.LabelSelector{{MatchLabels:{labels}, MatchExpressions:{shown}}}"

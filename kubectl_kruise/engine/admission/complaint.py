"""Complaints of a webhook about fields, worded as Go's field errors, and the answer they add up to."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from kubectl_kruise.engine.admission.go_syntax import go_syntax
from kubectl_kruise.objects.notation.field_errors import FieldError, summary


class Refusal(NamedTuple):
    """The API server's answer when a webhook refuses: HTTP code and message; there is no reason in it."""

    code: int
    message: str


def invalid(field: str, shown: str, detail: str = "") -> FieldError:
    """Complain about a value; `shown` is the value as Go prints it (`quoted`, `go_syntax`)."""
    text = f"Invalid value: {shown}: {detail}" if detail else f"Invalid value: {shown}"
    return FieldError("FieldValueInvalid", field, text)


def undecodable(webhook: str, error: ValueError) -> Refusal:
    """Answer, as the webhook of this name, an object that does not fit its Go type (cloneset.md §5)."""
    return Refusal(400, _denied(webhook, str(error)))


def refusal(webhook: str, complaints: Sequence[FieldError]) -> Refusal | None:
    """Add up the complaints of the webhook of this name, None without any."""
    return refused(webhook, summary(complaints)) if complaints else None


def refused(webhook: str, why: str) -> Refusal:
    """Answer, as the webhook of this name, an object that may not be stored."""
    return Refusal(422, _denied(webhook, why))


def _denied(webhook: str, why: str) -> str:
    return f'admission webhook "{webhook}" denied the request: {why}'


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def go_share(value: int | str | None) -> str:
    """Print an int-or-percent in Go syntax; an absent one is "null"."""
    return '"null"' if value is None else go_syntax(value, "intOrString")

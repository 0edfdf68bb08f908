"""What a revision records: the template in its typed form, and the exact bytes that are hashed (cloneset.md §9.1)."""

import json
from typing import Any, Final

from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.objects.typed import typed

TEMPLATE_STRUCT: Final = "PodTemplateSpec"
PATCH_KEY: Final = "$patch"

_EXACT_FLOAT: Final = 2**53
_ESCAPES: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def typed_template(template: Raw | None) -> Raw:
    """Give the pod template as its Go type prints it. Raises ValueError where a value does not fit its type."""
    return typed(template, TEMPLATE_STRUCT)


def revision_data(template: Raw | None) -> Raw:
    """Give the `data` of the revision that records `template`, keys sorted at every level."""
    return recording_data(typed_template(template))


def recording_data(template: Raw) -> Raw:
    """Give the `data` of the revision that records a template just as it is, keys sorted at every level."""
    data: Raw = {"spec": {"template": _sorted({PATCH_KEY: "replace", **template})}}
    return data


def data_bytes(data: Raw) -> bytes:
    """Give revision data as compact JSON, keys in the order they have, escaped as Go does."""
    return go_json(data).encode()


def recorded_template(data: Raw) -> Raw:
    """Give the template that revision data holds, without the patch directive (cloneset.md §9.5)."""
    template: Raw = dig(data, ("spec", "template"), {})
    return {key: value for key, value in template.items() if key != PATCH_KEY}


def go_json(value: Any) -> str:
    """Print JSON as Go's encoder: compact, not ASCII only, HTML characters and line separators escaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)


def _sorted(value: Any) -> Any:
    """Sort keys bytewise. Numbers went through a float on this way, so those beyond 2⁵³ lose digits."""
    match value:
        case dict():
            return {key: _sorted(value[key]) for key in sorted(value, key=str.encode)}
        case list():
            return [_sorted(item) for item in value]
        case bool():
            return value
        case int() if abs(value) > _EXACT_FLOAT:
            return _shortest(float(value))
        case _:
            return value


def _shortest(value: float) -> int:
    """Give the integer that the shortest text of a float stands for, which is not the float's own value."""
    from decimal import Decimal  # rare, and costly to load

    return int(Decimal(repr(value)))

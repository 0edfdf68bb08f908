"""Pod templates as Go dumps their structs for hashes: all fields, set or not, with their types.

The dump is that of a template read from the API server's store, in which empty lists and maps are absent.
"""

import json
from typing import Any, Final

from kubectl_kruise.facts.template_layout import ROOT, Layout, template_layout
from kubectl_kruise.objects.notation.quantity import Notation, parse_quantity
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.raw import Raw

_NANO: Final = 9
_WORD: Final = (1 << 64) - 1
_FORMATS: Final = {
    Notation.DECIMAL: "DecimalSI",
    Notation.BINARY: "BinarySI",
    Notation.EXPONENT: "DecimalExponent",
}
_YEAR_ONE: Final = -62135596800
"""Seconds from the Unix epoch back to Go's zero time."""
_ZONE: Final = (
    "(*time.Location){name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> extend:(string) "
    "cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}"
)
"""The local zone of a process in a container without zone files."""


def dump_template(template: Raw, *, release: int) -> str:
    """Give the dump of a PodTemplateSpec as a library of Kubernetes 1.`release` makes it.

    Raises ValueError for a quantity or time that cannot be read.
    """
    return _Dump(template_layout(release)).value(template, ROOT)


class _Dump:
    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def value(self, value: Any, kind: str, *, shown: bool = True) -> str:
        """Print one value; `shown` says whether its type stands before it, which it does but inside lists and maps."""
        mark = f"({kind})" if shown else ""
        if kind.startswith("*"):
            return (
                f"({kind})<nil>" if value is None else f"({kind}){self.value(value, kind[1:], shown=False)}"
            )
        made_of = self._layout.types.get(kind, kind)
        if made_of.startswith("[]"):
            return mark + self._list(value, made_of[2:])
        if made_of.startswith("map["):
            return mark + self._map(value, made_of.partition("]")[2])
        if leaf := _LEAVES.get(kind):
            return mark + leaf(value)
        if fields := self._layout.structs.get(kind):
            printed = (
                f"{field.name}:{self.value((value or {}).get(field.key) if field.key else value, field.type)}"
                for field in fields
            )
            return f"{mark}{{{' '.join(printed)}}}"
        return mark + _scalar(value, made_of)

    def _list(self, value: Any, element: str) -> str:
        if not value:
            return "<nil>"
        return f"[{' '.join(self.value(item, element, shown=False) for item in value)}]"

    def _map(self, value: Any, element: str) -> str:
        if not value:
            return "<nil>"
        keys = sorted(value, key=str.encode)
        return f"map[{' '.join(f'{key}:{self.value(value[key], element, shown=False)}' for key in keys)}]"


def _scalar(value: Any, kind: str) -> str:
    match kind:
        case "string":
            return value or ""
        case "bool":
            return "true" if value else "false"
        case _:
            return str(int(value or 0))


def _quantity(value: Any) -> str:
    quantity = parse_quantity(str(parse_quantity(0 if value is None else value)))
    amount, scale, exact = 0, 0, "(*inf.Dec)<nil>"
    if quantity.nanos and quantity.scale is None:
        words = _words(abs(quantity.nanos))
        negative = "true" if quantity.nanos < 0 else "false"
        whole = f"(big.Int){{neg:(bool){negative} abs:(big.nat)[{words}]}}"
        exact = f"(*inf.Dec){{unscaled:{whole} scale:(inf.Scale){_NANO}}}"
    elif quantity.nanos:
        scale = quantity.scale or 0
        shift = scale + _NANO
        amount = quantity.nanos // 10**shift
    return (
        f"{{i:(resource.int64Amount){{value:(int64){amount} scale:(resource.Scale){scale}}} "
        f"d:(resource.infDecAmount){{Dec:{exact}}} s:(string){quantity.kept if quantity.nanos else '0'} "
        f"Format:(resource.Format){_FORMATS[quantity.notation]}}}"
    )


def _words(number: int) -> str:
    """Write a number as Go keeps it: words of 64 bits, the lowest first."""
    words = []
    while number:
        words.append(str(number & _WORD))
        number >>= 64
    return " ".join(words)


def _int_or_string(value: Any) -> str:
    text = value if isinstance(value, str) else ""
    number = 0 if isinstance(value, str) else int(value or 0)
    kind = 1 if isinstance(value, str) else 0
    return f"{{Type:(intstr.Type){kind} IntVal:(int32){number} StrVal:(string){text}}}"


def _time(value: Any) -> str:
    seconds, zone = 0, "(*time.Location)<nil>"
    if value is not None:
        moment = parse_rfc3339(value)
        if moment is None:
            raise ValueError(f"{value!r} is not a time")
        seconds, zone = int(moment) - _YEAR_ONE, _ZONE
    return f"{{Time:(time.Time){{wall:(uint64)0 ext:(int64){seconds} loc:{zone}}}}}"


def _raw_bytes(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return f"{{Raw:([]uint8)[{' '.join(map(str, text))}]}}"


_LEAVES: Final = {
    "resource.Quantity": _quantity,
    "intstr.IntOrString": _int_or_string,
    "v1.Time": _time,
    "v1.FieldsV1": _raw_bytes,
}

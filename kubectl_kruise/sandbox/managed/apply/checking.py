"""Whether an applied configuration fits the type of its object, in the words of the real server (sandbox-apiserver.md F4)."""

from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import compact
from kubectl_kruise.objects.notation.go_words import go_text
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.managed.fields import element_text
from kubectl_kruise.sandbox.managed.items import Unidentified, element_of
from kubectl_kruise.sandbox.managed.shape import DEDUCED, Shape, kind_of

_TWICE: Final = ": duplicate entries for key "


def misfit(obj: Raw, shape: Shape, *, duplicates: bool = False) -> str:
    """Say what does not fit; "" where all does. With `duplicates` lists may hold items that nothing tells apart."""
    errors = _errors(obj, shape)
    if duplicates:
        errors = [error for error in errors if _TWICE not in error]
    if len(errors) < 2:
        return "".join(errors)
    return "\n".join(["errors:", *(f"  {error}" for error in errors)])


def _errors(value: Any, shape: Shape) -> list[str]:
    kind = kind_of(shape, value)
    if kind == "map":
        return _map_errors(value, shape)
    if kind == "list":
        return _list_errors(value, shape)
    problem = "" if value is None else _scalar_problem(value, shape)
    return [f": {problem}"] if problem else []


def _map_errors(raw: Raw, shape: Shape) -> list[str]:
    errors: list[str] = []
    for name, value in sorted(raw.items()):
        field = shape.field(name)
        if field is None:
            # The real server looks no further into this map.
            return [*errors, f".{name}: field not declared in schema"]
        errors += [f".{name}{error}" for error in _errors(value, field)]
    return errors


def _list_errors(items: list[Any], shape: Shape) -> list[str]:
    errors: list[str] = []
    seen: set[str] = set()
    for index, item in enumerate(items):
        place = f"[{index}]"
        if not shape.atomic_list:
            try:
                element = element_of(shape, item)
            except Unidentified as problem:
                return [*errors, f": element {index}: {problem}"]
            place = element_text(element)
            if element in seen:
                errors.append(f"{_TWICE}{place}")
            seen.add(element)
        errors += [f"{place}{error}" for error in _errors(item, shape.items or DEDUCED)]
    return errors


def _scalar_problem(value: Any, shape: Shape) -> str:
    """Say what is wrong with a value that is no map or list for its type."""
    if not shape.scalar:
        return f"expected {'map' if shape.mapping else 'list'}, got &{{{_go_printed(value)}}}"
    scalar = isinstance(value, str | int | float)
    if shape.scalar == "numeric" and (isinstance(value, bool) or not isinstance(value, int | float)):
        return f"expected numeric (int or float), got {_go_type(value)}"
    if shape.scalar == "string" and not isinstance(value, str):
        return f"expected string, got &value.valueUnstructured{{Value:{_go_syntax(value)}}}"
    if shape.scalar == "boolean" and not isinstance(value, bool):
        return f"expected boolean, got &{{{_go_printed(value)}}}"
    return "" if scalar else f"expected any scalar, got {_go_printed(value)}"


def _go_type(value: Any) -> str:
    if isinstance(value, dict):
        return "map[string]interface {}"
    if isinstance(value, list):
        return "[]interface {}"
    return "bool" if isinstance(value, bool) else "string"


def _go_printed(value: Any) -> str:
    return value if isinstance(value, str) else go_text(value)


def _go_syntax(value: Any) -> str:
    """Write a value as Go source has it."""
    if isinstance(value, dict):
        inner = ", ".join(f"{compact(key)}:{_go_syntax(value[key])}" for key in sorted(value))
        return f"map[string]interface {{}}{{{inner}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(map(_go_syntax, value))}}}"
    return "interface {}(nil)" if value is None else compact(value)

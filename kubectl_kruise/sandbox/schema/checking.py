"""Validation of custom objects by their schema, with ratcheting (sandbox-apiserver.md CR7 to CR9)."""

import re
from functools import cache
from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import (
    FieldError,
    duplicate,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
    type_invalid,
)
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.schema.formats import fits as fits_format
from kubectl_kruise.sandbox.schema.node import NOTHING, Node

_PLAIN: Final = {"string": str, "boolean": bool, "object": dict, "array": list}
_EXACT_FLOAT: Final = 2**53
_INT64: Final = 2**63
_INTEGER_LIMITS: Final = {"int32": 2**31, "int64": _INT64}


def check(node: Node, value: Any, *, old: Any = NOTHING, path: str = "") -> list[FieldError]:
    """Give the complaints about a value; what did not change since `old` is not complained about."""
    if old is not NOTHING and value == old:
        return []
    errors: list[FieldError] = []
    if value is None and (node.nullable or (not node.kind and not node.int_or_string)):
        return errors
    _check_type(node, value, path, errors)
    rules = node.rules
    if "enum" in rules and not any(value == known and type(value) is type(known) for known in rules["enum"]):
        errors.append(not_supported(path, value, rules["enum"]))
    if rules and value is not None:
        _check_rules(rules, value, path, errors)
    if isinstance(value, dict):
        _check_members(node, value, old, path, errors)
    elif isinstance(value, list) and node.kind in {"array", ""}:
        _check_items(node, value, old, path, errors)
    return errors


def _check_type(node: Node, value: Any, path: str, errors: list[FieldError]) -> None:
    if type(value) is _PLAIN.get(node.kind) and not node.format:
        return
    found, form = json_type(value), _number_format(value)
    if node.int_or_string:
        if found not in {"integer", "string"} and not _whole(value):
            errors.append(_mistyped(path, "integer,string", found))
        return
    kind = node.kind
    fits = (
        kind in {"", found}
        or (found == "integer" and kind == "number")
        or (kind == "integer" and _whole(value))
    )
    if kind == "integer" and node.format and form and not (fits and _in_range(value, node.format)):
        errors.append(_out_of_format(node, path))
    if fits:
        if found == "string" and node.format and not fits_format(value, node.format):
            errors.append(
                type_invalid(path, value, f'{_body(path)} must be of type {node.format}: "{value}"')
            )
    elif node.format and not isinstance(value, str | list):
        errors.append(_mistyped(path, node.format, form))
    else:
        errors.append(_mistyped(path, kind, found))


def _number_format(value: Any) -> str:
    """Name a number the way Go holds it; whole numbers beyond 64 bits become floats there."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return "int64" if json_type(value) == "integer" else "float64"


def _whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_FLOAT


def _in_range(value: Any, form: str) -> bool:
    limit = _INTEGER_LIMITS.get(form)
    return limit is None or -limit <= value < limit


def _mistyped(path: str, wanted: str, found: str) -> FieldError:
    return type_invalid(path, found, f'{_body(path)} must be of type {wanted}: "{found}"')


def _out_of_format(node: Node, path: str) -> FieldError:
    return invalid(
        "<nil>", "", f"Checked value must be of type {node.kind} with format {node.format} in {path}"
    )


def _check_members(node: Node, value: Raw, old: Any, path: str, errors: list[FieldError]) -> None:
    before = old if isinstance(old, dict) else {}
    if node.embedded:
        errors += [required(_join(path, name)) for name in ("apiVersion", "kind") if not value.get(name)]
        version = value.get("apiVersion")
        if isinstance(version, str) and version.count("/") > 1:
            errors.append(
                invalid(_join(path, "apiVersion"), version, f"unexpected GroupVersion string: {version}")
            )
    if node.values is not None:
        members = [(key, node.values, inner) for key, inner in value.items()]
    else:
        properties = node.properties or {}
        members = [(key, properties[key], inner) for key, inner in value.items() if key in properties]
    for key, below, inner in members:
        if below.kind == "string" and type(inner) is str and not below.rules and not below.format:
            continue
        errors += check(below, inner, old=before.get(key, NOTHING), path=_join(path, key))


def _check_items(node: Node, value: list[Any], old: Any, path: str, errors: list[FieldError]) -> None:
    before = _correlated(node, old)
    seen: set[str] = set()
    reported: set[str] = set()
    for index, item in enumerate(value):
        if node.items is not None:
            former = before.get(_key(node, item), NOTHING) if before else NOTHING
            errors += check(node.items, item, old=former, path=f"{path}[{index}]")
        if node.list_type not in {"map", "set"} or (node.list_type == "map" and not isinstance(item, dict)):
            continue
        key = _key(node, item)
        if key in seen and key not in reported:
            reported.add(key)
            shown = (
                {name: item[name] for name in node.keys if item.get(name) is not None}
                if node.list_type == "map"
                else item
            )
            errors.append(duplicate(f"{path}[{index}]", shown))
        seen.add(key)


def _correlated(node: Node, old: Any) -> dict[str, Any]:
    """Index the former items of a keyed list; items of other lists have no identity."""
    return (
        {_key(node, item): item for item in old} if node.list_type == "map" and isinstance(old, list) else {}
    )


def _key(node: Node, item: Any) -> str:
    if node.list_type == "map" and isinstance(item, dict):
        return repr([item.get(name) for name in node.keys])
    return repr(item)


def _check_rules(rules: Raw, value: Any, path: str, errors: list[FieldError]) -> None:
    if isinstance(value, str):
        _check_text(rules, value, path, errors)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _check_number(rules, value, path, errors)
    elif isinstance(value, list):
        if len(value) < rules.get("minItems", 0):
            errors.append(
                invalid(path, len(value), f"{_body(path)} should have at least {rules['minItems']} items")
            )
        if "maxItems" in rules and len(value) > rules["maxItems"]:
            errors.append(too_many(path, len(value), rules["maxItems"]))
        if rules.get("uniqueItems") and len({repr(item) for item in value}) < len(value):
            errors.append(invalid(path, value, f"{_body(path)} shouldn't contain duplicates"))
    elif isinstance(value, dict):
        errors += [required(_join(path, name)) for name in rules.get("required", ()) if name not in value]
        if len(value) < rules.get("minProperties", 0):
            least = rules["minProperties"]
            errors.append(invalid(path, len(value), f"{_body(path)} should have at least {least} properties"))
        if "maxProperties" in rules and len(value) > rules["maxProperties"]:
            errors.append(too_many(path, len(value), rules["maxProperties"]))
    if not rules.keys().isdisjoint(("allOf", "anyOf", "oneOf", "not")):
        _check_logic(rules, value, path, errors)


def _check_text(rules: Raw, value: str, path: str, errors: list[FieldError]) -> None:
    """Check a string; the first complaint is the only one."""
    if "maxLength" in rules and len(value) > rules["maxLength"]:
        errors.append(too_long(path, rules["maxLength"]))
    elif len(value) < rules.get("minLength", 0):
        errors.append(
            invalid(path, value, f"{_body(path)} should be at least {rules['minLength']} chars long")
        )
    elif "pattern" in rules and not _pattern(rules["pattern"]).search(value):
        errors.append(invalid(path, value, f"{_body(path)} should match '{rules['pattern']}'"))


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compile an RE2 pattern: `$` there means the very end, and classes know ASCII only."""
    exact = text[:-1] + r"\Z" if text.endswith("$") and not text.endswith(r"\$") else text
    return re.compile(exact, re.ASCII)


def _check_number(rules: Raw, value: float, path: str, errors: list[FieldError]) -> None:
    most, least, step = rules.get("maximum"), rules.get("minimum"), rules.get("multipleOf")
    if most is not None and (value > most or (rules.get("exclusiveMaximum") and value == most)):
        equal = "" if rules.get("exclusiveMaximum") else "or equal to "
        errors.append(invalid(path, value, f"{_body(path)} should be less than {equal}{most}"))
    if least is not None and (value < least or (rules.get("exclusiveMinimum") and value == least)):
        equal = "" if rules.get("exclusiveMinimum") else "or equal to "
        errors.append(invalid(path, value, f"{_body(path)} should be greater than {equal}{least}"))
    if step and value % step:
        errors.append(invalid(path, value, f"{_body(path)} should be a multiple of {step}"))


def _check_logic(rules: Raw, value: Any, path: str, errors: list[FieldError]) -> None:
    """Check allOf, anyOf, oneOf and not; a failed choice shows the complaints of its best alternative."""

    def tried(keyword: str) -> list[list[FieldError]]:
        return [check(rule, value, path=path) for rule in rules.get(keyword, ())]

    if any(found := tried("allOf")):
        errors += [error for complaints in found for error in complaints]
        errors.append(invalid("<nil>", "", f'"{path}" must validate all the schemas (allOf)'))
    found = tried("anyOf")
    if found and all(found):
        errors += [
            invalid("<nil>", "", f'"{path}" must validate at least one schema (anyOf)'),
            *_best(found),
        ]
    found = tried("oneOf")
    fitting = sum(not complaints for complaints in found)
    if found and fitting != 1:
        how = f"Found {fitting} valid alternatives" if fitting else "Found none valid"
        errors.append(invalid("<nil>", "", f'"{path}" must validate one and only one schema (oneOf). {how}'))
        errors += [] if fitting else _best(found)
    if "not" in rules and not check(rules["not"], value, path=path):
        errors.append(invalid("<nil>", "", f'"{path}" must not validate the schema (not)'))


def _best(tried: list[list[FieldError]]) -> list[FieldError]:
    return min(tried, key=len)


def json_type(value: Any) -> str:
    """Name a value's JSON type the way messages do."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer" if -_INT64 <= value < _INT64 else "number"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _body(path: str) -> str:
    return f"{path} in body"

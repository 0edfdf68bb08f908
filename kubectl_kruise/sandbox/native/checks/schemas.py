"""Whether the schema of a CRD is structural (sandbox-apiserver.md CR1)."""

from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import (
    FieldError,
    forbidden,
    invalid,
    not_supported,
    required,
)
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.schema.checking import check
from kubectl_kruise.sandbox.schema.compiling import compile_schema

_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"


def check_schema(schema: Raw, at: str) -> list[FieldError]:
    """Check the schema of a whole object."""
    errors = []
    kind = schema.get("type") or ""
    if not kind:
        errors.append(required(f"{at}.type", "must not be empty at the root"))
    elif kind != "object":
        errors.append(invalid(f"{at}.type", kind, "must be object at the root"))
    meta = (schema.get("properties") or {}).get("metadata") or {}
    if (meta.get("properties") or {}).keys() - {"name", "generateName"}:
        text = (
            "must not specify anything other than name and generateName, but metadata is implicitly specified"
        )
        errors.append(forbidden(f"{at}.properties[metadata]", text))
    return errors + _check_below(schema, at)


def _check_below(schema: Raw, at: str) -> list[FieldError]:
    errors: list[FieldError] = []
    properties, values, items = (
        schema.get("properties") or {},
        schema.get("additionalProperties"),
        schema.get("items"),
    )
    if properties and values:
        text = "additionalProperties and properties are mutual exclusive"
        errors.append(forbidden(f"{at}.additionalProperties", text))
    for name, field in properties.items():
        errors += _check_node(
            field, f"{at}.properties[{name}]", "must not be empty for specified object fields"
        )
    if isinstance(values, dict):
        errors += _check_node(
            values, f"{at}.additionalProperties", "must not be empty for additionalProperties"
        )
    if isinstance(items, dict):
        errors += _check_node(items, f"{at}.items", "must not be empty for specified array items")
    elif items:
        errors.append(forbidden(f"{at}.items", "items must be a schema object and not an array"))
    elif schema.get("type") == "array":
        errors.append(required(f"{at}.items", "must be specified"))
    return errors + _check_list(schema, at)


def _check_node(schema: Raw, at: str, missing: str) -> list[FieldError]:
    kind = schema.get("type") or ""
    errors = []
    if not kind and not schema.get(_PRESERVE) and not schema.get(_INT_OR_STRING):
        errors.append(required(f"{at}.type", missing))
    elif kind and kind not in _TYPES:
        errors.append(not_supported(f"{at}.type", kind, _TYPES))
    if "default" in schema and schema["default"] is not None:
        errors += check(compile_schema(schema), schema["default"], path=f"{at}.default")
    return errors + _check_below(schema, at)


def _check_list(schema: Raw, at: str) -> list[FieldError]:
    """Check that the keys of a keyed list are always there."""
    if schema.get("x-kubernetes-list-type") != "map":
        return []
    keys: list[Any] = schema.get("x-kubernetes-list-map-keys") or []
    if not keys:
        return [
            required(f"{at}.x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map")
        ]
    items = schema.get("items")
    if not isinstance(items, dict):
        return []  # told already
    needed, errors = items.get("required") or [], []
    for key in keys:
        field = (items.get("properties") or {}).get(key)
        if field is None:
            text = "entries must all be names of item properties"
            errors.append(invalid(f"{at}.x-kubernetes-list-map-keys", keys, text))
        elif key not in needed and "default" not in field:
            text = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
            errors.append(required(f"{at}.items.properties[{key}].default", text))
    return errors

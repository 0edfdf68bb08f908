"""Checks on CustomResourceDefinitions (sandbox-apiserver.md CR1)."""

import re
from collections.abc import Sequence
from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import (
    FieldError,
    forbidden,
    invalid,
    not_supported,
    required,
)
from kubectl_kruise.objects.notation.syntax import label_problems, subdomain_problems
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.checks.schemas import check_schema

_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_APPROVAL: Final = "api-approved.kubernetes.io"
_PROTECTED: Final = re.compile(r"(.*\.)?(k8s|kubernetes)\.io")
_SCALE_PATHS: Final = {
    "specReplicasPath": (".spec",),
    "statusReplicasPath": (".status",),
    "labelSelectorPath": (".spec", ".status"),
}


def check_definition(new: Raw, old: Raw | None) -> list[FieldError]:
    spec, meta = new.get("spec") or {}, new.get("metadata") or {}
    errors = _check_names(spec, meta, named=old is None)
    group = spec.get("group") or ""
    if not group:
        errors.append(required("spec.group"))
    elif "." not in group:
        errors.append(invalid("spec.group", group, "should be a domain with at least one dot"))
    else:
        errors += [invalid("spec.group", group, text) for text in subdomain_problems(group)]
    if _PROTECTED.fullmatch(group) and _APPROVAL not in (meta.get("annotations") or {}):
        text = (
            f'protected groups must have approval annotation "{_APPROVAL}", see'
            " https://github.com/kubernetes/enhancements/pull/1111"
        )
        errors.append(required(f"metadata.annotations[{_APPROVAL}]", text))
    if spec.get("scope") not in {"Cluster", "Namespaced"}:
        scope = spec.get("scope") or ""
        errors.append(
            not_supported("spec.scope", scope, ("Cluster", "Namespaced")) if scope else required("spec.scope")
        )
    if spec.get("preserveUnknownFields"):
        text = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        errors.append(invalid("spec.preserveUnknownFields", True, text))
    errors += _check_versions(spec.get("versions") or [])
    errors += _check_conversion(spec)
    return errors + (_check_change(new, old) if old is not None else [])


def _check_names(spec: Raw, meta: Raw, *, named: bool) -> list[FieldError]:
    names = spec.get("names") or {}
    wanted = f"{names.get('plural') or ''}.{spec.get('group') or ''}"
    errors = []
    if named and meta.get("name") != wanted:
        errors.append(
            invalid("metadata.name", meta.get("name") or "", 'must be spec.names.plural+"."+spec.group')
        )
    for name in ("plural", "singular", "kind", "listKind"):
        value = names.get(name) or ""
        if not value:
            errors.append(required(f"spec.names.{name}"))
        else:
            errors += [invalid(f"spec.names.{name}", value, text) for text in label_problems(value.lower())]
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        errors.append(
            invalid("spec.names.listKind", names["listKind"], "kind and listKind may not be the same")
        )
    for field in ("shortNames", "categories"):
        for index, value in enumerate(names.get(field) or ()):
            errors += [invalid(f"spec.names.{field}[{index}]", value, text) for text in label_problems(value)]
    return errors


def _check_versions(versions: Sequence[Raw]) -> list[FieldError]:
    errors = []
    storing = [version.get("name") for version in versions if version.get("storage")]
    if len(storing) != 1:
        errors.append(
            invalid(
                "spec.versions",
                [_shown(v) for v in versions],
                "must have exactly one version marked as storage version",
            )
        )
    errors += [
        invalid("status.storedVersions", storing[:1], f"must have the storage version {name}")
        for name in storing[1:]
    ]
    single = len(versions) == 1
    for index, version in enumerate(versions):
        at = f"spec.versions[{index}]"
        errors += [
            invalid(f"{at}.name", version.get("name") or "", text)
            for text in label_problems(version.get("name") or "")
        ]
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        if schema is None:
            errors.append(required(f"{at}.schema.openAPIV3Schema"))
        else:
            errors += check_schema(
                schema, "spec.validation.openAPIV3Schema" if single else f"{at}.schema.openAPIV3Schema"
            )
        errors += _check_subresources(version.get("subresources") or {}, "spec" if single else at)
        errors += _check_columns(version.get("additionalPrinterColumns") or [], "spec" if single else at)
    return errors


def _check_subresources(subresources: Raw, at: str) -> list[FieldError]:
    scale = subresources.get("scale")
    errors = []
    for name, roots in _SCALE_PATHS.items() if scale is not None else ():
        path = (scale or {}).get(name) or ""
        field = f"{at}.subresources.scale.{name}"
        if not path:
            errors += [] if name == "labelSelectorPath" else [required(field)]
        elif not path.startswith(tuple(f"{root}." for root in roots)):
            errors.append(invalid(field, path, f"should be a json path under {' or '.join(roots)}"))
    return errors


def _check_columns(columns: Sequence[Raw], at: str) -> list[FieldError]:
    errors = []
    for index, column in enumerate(columns):
        here = f"{at}.additionalPrinterColumns[{index}]"
        errors += [
            required(f"{here}.{name}") for name in ("name", "type", "jsonPath") if not column.get(name)
        ]
        if column.get("type") and column["type"] not in _COLUMN_TYPES:
            errors.append(
                invalid(f"{here}.type", column["type"], f"must be one of {','.join(_COLUMN_TYPES)}")
            )
    return errors


def _check_conversion(spec: Raw) -> list[FieldError]:
    conversion = spec.get("conversion") or {}
    strategy, at = conversion.get("strategy"), "spec.conversion"
    if strategy not in {None, "None", "Webhook"}:
        return [not_supported(f"{at}.strategy", strategy, ("None", "Webhook"))]
    if strategy == "Webhook" and not (conversion.get("webhook") or {}).get("clientConfig"):
        return [required(f"{at}.webhook.clientConfig", "required when strategy is set to Webhook")]
    if strategy == "None" and conversion.get("webhook"):
        return [forbidden(f"{at}.webhook", "should not be set when strategy is not set to Webhook")]
    return []


def _check_change(new: Raw, old: Raw) -> list[FieldError]:
    """Hold what stored objects depend on."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    errors = []
    fields: tuple[tuple[str, Any, Any], ...] = tuple(
        (f"spec.{name}", spec.get(name), before.get(name)) for name in ("group", "scope")
    ) + tuple(
        (f"spec.names.{name}", (spec.get("names") or {}).get(name), (before.get("names") or {}).get(name))
        for name in ("kind", "plural")
    )
    errors += [
        invalid(field, value, "field is immutable") for field, value, former in fields if value != former
    ]
    names = [version.get("name") for version in spec.get("versions") or ()]
    for index, stored in enumerate((old.get("status") or {}).get("storedVersions") or ()):
        if stored not in names:
            text = (
                f"missing from spec.versions; {stored} was previously a storage version, and must remain in"
                f" spec.versions until a storage migration ensures no data remains persisted in {stored} and removes"
                f" {stored} from status.storedVersions"
            )
            errors.append(invalid(f"status.storedVersions[{index}]", stored, text))
    return errors


def _shown(version: Raw) -> Raw:
    """Show a version the way the server prints its inner form."""
    return {
        "Name": version.get("name"), "Served": bool(version.get("served")), "Storage": bool(version.get("storage")),
        "Deprecated": bool(version.get("deprecated")), "DeprecationWarning": version.get("deprecationWarning"),
        "Schema": None, "Subresources": None, "AdditionalPrinterColumns": None, "SelectableFields": None,
    }  # fmt: skip

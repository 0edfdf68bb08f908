"""What a patch made, read as an object of the kind: what a PUT answers with 400 is 422 here (sandbox-apiserver.md P6)."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from kubectl_kruise.objects.notation import field_errors
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry import identity
from kubectl_kruise.sandbox.registry.call import Body, Call, decode
from kubectl_kruise.sandbox.registry.kinds.catalog import Catalog
from kubectl_kruise.sandbox.registry.patching.edits import Edit
from kubectl_kruise.sandbox.registry.patching.text import patched_text

Refuse = Callable[[str], status.Refused]


def read_result(call: Call, catalog: Catalog, edit: Edit, shown: Raw) -> Raw:
    """Apply a patch to an object as it is shown, and read the outcome. Raises Refused."""
    result = edit(shown)

    def refuse(why: str) -> status.Refused:
        return unreadable(edit, result, shown, why)

    if not isinstance(result, dict):
        raise refuse("json: cannot unmarshal into the object")
    if not edit.strategic and (problem := identity.type_problem(result)):
        raise refuse(f"couldn't get version/kind; json parse error: {problem}")
    if call.resource.custom:
        _check_custom_type(call, result, shown, refuse)
    elif not edit.strategic:
        _check_native_type(call, catalog, result, refuse)
    else:
        # A strategic patch is applied to the typed object, whose kind and version are no fields to patch.
        result |= {name: shown[name] for name in ("apiVersion", "kind")}
    if isinstance(result.get("metadata"), dict | None):
        identity.check_name(call, result)
    owners = dig(result, ("metadata", "managedFields"))
    if owners is None or owners is not shown["metadata"].get("managedFields"):
        return decode(call, catalog.model(call.resource), Body(result, told=edit.told), refuse)
    # Not to be read once more: they make up half of many an object, and few patches are about them.
    bare = result | {
        "metadata": {key: value for key, value in result["metadata"].items() if key != "managedFields"}
    }
    new = decode(call, catalog.model(call.resource), Body(bare, told=edit.told), refuse)
    new["metadata"]["managedFields"] = owners
    return new


def unreadable(edit: Edit, result: Any, shown: Raw, why: str) -> status.Refused:
    return status.invalid("", "", "", [field_errors.invalid("patch", edit.shown(result, shown), why)])


def _check_native_type(call: Call, catalog: Catalog, result: Raw, refuse: Refuse) -> None:
    """Hold kind and version of a native object, in the words of the decoder that would read another one."""
    resource = call.resource
    kind, api_version = result.get("kind") or resource.kind, result.get("apiVersion")
    if not api_version and result.get("kind"):
        # Go reads it as a kind of no group, which has none of the fields.
        if call.validation == "Warn":
            call.warnings += [
                f'unknown field "{key}"' for key in sorted(result) if key not in ("apiVersion", "kind")
            ]
        result.clear()
        return
    if (api_version or resource.api_version, kind) == (resource.api_version, resource.kind):
        return
    other = next((r for r in catalog.native if (r.api_version, r.kind) == (api_version, kind)), None)
    if other is None:
        unknown = f'no kind "{kind}" is registered for version "{api_version}"'
        raise refuse(f'{unknown} in scheme "{identity.SCHEME}"')
    if problem := catalog.model(other).decode(result).problem:
        raise refuse(problem)
    raise refuse(identity.no_conversion(call, other.version, other.kind))


def _check_custom_type(call: Call, result: Raw, shown: Raw, refuse: Refuse) -> None:
    """Hold kind and version of a custom object; as one of another type it has no fields but metadata."""
    kind, api_version = result.get("kind") or "", result.get("apiVersion") or ""
    if (api_version, kind) == (shown["apiVersion"], shown["kind"]):
        return
    if not api_version:
        why = "Object 'apiVersion' is missing in 'object has no apiVersion field'"
        causes = {"causes": [{"message": why}]}
        message = f"Internal error occurred: {why}"
        raise status.failure(HTTPStatus.INTERNAL_SERVER_ERROR, "InternalError", message, causes)
    if not kind:
        raise refuse(f"Object 'Kind' is missing in '{patched_text(result, shown, custom=True)}'")
    known = ("apiVersion", "kind", "metadata")
    lost = (
        [f'unknown field "{key}"' for key in sorted(result) if key not in known]
        if kind == shown["kind"]
        else []
    )
    if lost and call.validation == "Strict":
        raise refuse("strict decoding error: " + ", ".join([*lost]))
    if call.validation == "Warn":
        call.warnings += lost
    wrong = (("kind", kind, shown["kind"]), ("apiVersion", api_version, shown["apiVersion"]))
    errors = [
        field_errors.invalid(name, sent, f"must be {held}") for name, sent, held in wrong if sent != held
    ]
    raise status.invalid(api_version.rpartition("/")[0], kind, call.name, errors)

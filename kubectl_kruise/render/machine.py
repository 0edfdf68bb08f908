"""Objects for programs: json, yaml, name and jsonpath, as kubectl prints them."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.raw import Raw, name_of

FORMATS: Final = ("json", "yaml", "name", "jsonpath=TEMPLATE")

_AMBIGUOUS: Final = r"(?i)[-+]?(?:0[xXoObB])?[0-9._][0-9a-fA-F._]*(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|nan)|y|n|yes|no|on|off|true|false|null|~|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ].*)?|"
"""Text that a YAML reader takes for a number, a boolean, a time or nothing, and that kubectl therefore quotes."""


def check_format(output: str, *, extra: Sequence[str] = ()) -> str:
    """Give the format back; UsageError with the list of those there are."""
    if not output or output in ("json", "yaml", "name", *extra) or output.partition("=")[0] == "jsonpath":
        return output
    known = ", ".join([*FORMATS, *extra])
    raise UsageError(f'unknown output format "{output}"', hint=f"one of {known}")


def render_object(raw: Raw, output: str, *, name: str) -> str:
    """Give one object in the format asked for; `name` is its `kind.group/name`. Ends with a newline.

    managedFields are left out, as kubectl does.
    """
    if output == "name":
        return f"{name}\n"
    shown = without_managed_fields(raw)
    if output == "json":
        return to_json(shown, sort=True)
    if output == "yaml":
        return to_yaml(shown)
    from kubectl_kruise.render.jsonpath import render_jsonpath

    return render_jsonpath(output.partition("=")[2], shown)


def render_documents(objects: Sequence[Raw], output: str, *, prefix: str, sort: bool = True) -> str:
    """Give several objects as manifests that `kubectl apply -f` takes: YAML documents, or a JSON List.

    `prefix` is what stands before the name with `-o name` (`kind.group/`). Without `sort` the keys of YAML keep their order.
    """
    if output == "yaml":
        return "---\n".join(to_yaml(without_managed_fields(raw), sort=sort) for raw in objects)
    if output == "json" and len(objects) != 1:
        items = [without_managed_fields(raw) for raw in objects]
        return to_json({"apiVersion": "v1", "kind": "List", "metadata": {}, "items": items}, sort=True)
    return "".join(render_object(raw, output, name=prefix + name_of(raw)) for raw in objects)


def to_json(document: Any, *, sort: bool = False) -> str:
    """Give indented JSON; `sort` orders the keys, as kubectl does with objects of the server."""
    return json.dumps(document, indent=4, ensure_ascii=False, sort_keys=sort) + "\n"


def to_yaml(document: Any, *, sort: bool = True) -> str:
    """Give YAML as kubectl writes it: block style, text of several lines as it reads, nothing by reference.

    `sort` orders the keys, as kubectl does with objects of the server.
    """
    import yaml

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        def ignore_aliases(self, data: object) -> bool:
            del data
            return True

    def represent_text(dumper: Any, text: str) -> Any:
        style = "|" if "\n" in text else '"' if re.fullmatch(_AMBIGUOUS, text) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, represent_text)
    text: str = yaml.dump(
        document, Dumper=Dumper, default_flow_style=False, allow_unicode=True, width=10_000, sort_keys=sort
    )
    return text


def without_managed_fields(raw: Raw) -> Raw:
    if "managedFields" not in (raw.get("metadata") or {}):
        return raw
    return {
        **raw,
        "metadata": {key: value for key, value in raw["metadata"].items() if key != "managedFields"},
    }

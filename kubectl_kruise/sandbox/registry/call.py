"""One request to the registry: what it is about and how it wants to be carried out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.kinds.resources import Resource
from kubectl_kruise.sandbox.schema.model import Decoded, TypeModel

LONGEST_MANAGER: Final = 128
"""The longest name of a field manager in bytes."""


class Body(NamedTuple):
    """A parsed request body: `duplicates` are keys that stood twice, `text` the bytes for messages.

    `yaml_lines` tell of keys that stood twice in YAML, `told` of what was odd about a patch.
    """

    object: Raw
    duplicates: tuple[str, ...] = ()
    text: bytes = b""
    yaml_lines: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


@dataclass(slots=True)
class Call:
    """`validation` is Ignore, Warn or Strict; `warnings` collects the texts of Warning headers.

    `applying` marks a server-side apply, `force` one that takes fields from their owners; `created` says afterwards that
    it made the object.
    """

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    dry_run: bool = False
    validation: str = "Warn"
    field_manager: str = ""
    user_agent: str = ""
    force: bool = False
    applying: bool = False
    created: bool = False
    warnings: list[str] = field(default_factory=list)

    @property
    def manager(self) -> str:
        """Give the name under which the client owns fields; "" for one that says nothing of itself (T13)."""
        return self.field_manager or manager_of(self.user_agent)

    @property
    def missing(self) -> status.Refused:
        return status.not_found(self.resource.group, self.resource.plural, self.name)

    def conflict(self, why: str = status.RETRY_TEXT) -> status.Refused:
        return status.conflict(self.resource.group, self.resource.plural, self.name, why)

    def cannot_handle(self, problem: str) -> status.Refused:
        kind = self.resource.kind
        return status.bad_request(
            f'{kind} in version "{self.resource.version}" cannot be handled as a {kind}: {problem}'
        )


def manager_of(user_agent: str) -> str:
    """Give the name of a program: what stands before the first slash, without what cannot be printed (T13)."""
    name = "".join(filter(str.isprintable, user_agent.partition("/")[0]))
    return name.encode()[:LONGEST_MANAGER].decode(errors="ignore")


def decode(
    call: Call, model: TypeModel, body: Body, refuse: Callable[[str], status.Refused] | None = None
) -> Raw:
    """Read an object of the kind: type errors are 400 unless `refuse` says otherwise, unknown fields are judged (N2, N3)."""
    refuse = refuse or call.cannot_handle
    decoded = model.decode(body.object, nulls=call.applying)
    if decoded.problem:
        raise refuse(decoded.problem)
    if not call.applying:  # an apply has been held against the type before, more strictly
        judge_fields(call, decoded, body, refuse)
    if (body.object.get("metadata") or {}).get("managedFields") == []:
        # Reading drops empty lists, and this one says something: nobody owns anything any more (F8).
        decoded.object["metadata"]["managedFields"] = []
    return decoded.object


def judge_fields(call: Call, decoded: Decoded, body: Body, refuse: Callable[[str], status.Refused]) -> None:
    """Refuse or tell fields that are unknown or stand twice, as the request wants it (N3)."""
    call.warnings += decoded.warnings
    complaints = [*body.told, *_field_complaints(call, decoded, body.duplicates)]
    if call.validation == "Strict" and (complaints or body.yaml_lines):
        lines = "\n  ".join(("yaml: unmarshal errors:", *body.yaml_lines))
        raise refuse("strict decoding error: " + ", ".join([lines] * bool(body.yaml_lines) + complaints))
    if call.validation == "Warn":
        call.warnings += [*body.yaml_lines, *complaints]


def _field_complaints(call: Call, decoded: Decoded, duplicates: tuple[str, ...]) -> list[str]:
    """Give the complaints about fields in the order of the real server, which differs for custom resources."""
    paths = decoded.unknown
    if call.resource.custom:
        paths = tuple(sorted(paths, key=lambda path: (not path.startswith("metadata."), path)))
    unknown = [f'unknown field "{path}"' for path in paths]
    twice = [f'duplicate field "{path}"' for path in duplicates]
    return twice + unknown if call.resource.custom else unknown + twice

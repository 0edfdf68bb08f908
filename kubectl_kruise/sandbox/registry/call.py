"""One request to the registry: what it is about and how it wants to be carried out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.resources import Resource
from kubectl_kruise.sandbox.schema.model import Decoded, TypeModel


class Body(NamedTuple):
    """A parsed request body: `duplicates` are keys that stood twice, `text` the bytes for messages."""

    object: Raw
    duplicates: tuple[str, ...] = ()
    text: bytes = b""


@dataclass(slots=True)
class Call:
    """`validation` is Ignore, Warn or Strict; `warnings` collects the texts of Warning headers."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    dry_run: bool = False
    validation: str = "Warn"
    user_agent: str = ""
    warnings: list[str] = field(default_factory=list)

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


def decode(
    call: Call, model: TypeModel, body: Body, refuse: Callable[[str], status.Refused] | None = None
) -> Raw:
    """Read an object of the kind: type errors are 400 unless `refuse` says otherwise, unknown fields are judged (N2, N3)."""
    refuse = refuse or call.cannot_handle
    decoded = model.decode(body.object)
    if decoded.problem:
        raise refuse(decoded.problem)
    call.warnings += decoded.warnings
    complaints = _field_complaints(call, decoded, body.duplicates)
    if complaints and call.validation == "Strict":
        raise refuse("strict decoding error: " + ", ".join(complaints))
    if call.validation == "Warn":
        call.warnings += complaints
    return decoded.object


def _field_complaints(call: Call, decoded: Decoded, duplicates: tuple[str, ...]) -> list[str]:
    """Give the complaints about fields in the order of the real server, which differs for custom resources."""
    paths = decoded.unknown
    if call.resource.custom:
        paths = tuple(sorted(paths, key=lambda path: (not path.startswith("metadata."), path)))
    unknown = [f'unknown field "{path}"' for path in paths]
    twice = [f'duplicate field "{path}"' for path in duplicates]
    return twice + unknown if call.resource.custom else unknown + twice

"""What the registry may ask about a type, native or custom alike."""

from typing import NamedTuple, Protocol

from kubectl_kruise.objects.notation.field_errors import FieldError
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.schema.node import Node


class Decoded(NamedTuple):
    """An object as the server keeps it, made of fresh containers.

    `unknown` are the paths of dropped fields (N3). `problem` is "" or why the object cannot be read, to stand
    behind `… cannot be handled as a Kind: ` (N2). `warnings` are texts for the client about what was put right.
    """

    object: Raw
    unknown: tuple[str, ...]
    problem: str = ""
    warnings: tuple[str, ...] = ()


class TypeModel(Protocol):
    """One kind in one version: create is decode, default, validate; an update gives `old` to validate."""

    @property
    def patch_schema(self) -> Node | None:
        """Give the schema for strategic merge patches, None where the kind takes none."""

    def decode(self, obj: Raw, *, nulls: bool = False) -> Decoded:
        """Copy what the type knows, normalised; `obj` stays untouched.

        With `nulls`, those of a custom kind stay where no default takes their place, for validation to judge (CR6).
        """

    def default(self, obj: Raw) -> Raw:
        """Fill defaults in place into an object that `decode` made, and give it back."""

    def validate(self, new: Raw, old: Raw | None = None, *, subresource: str = "") -> list[FieldError]:
        """Check an object, against `old` on update; with subresource `status` only what such a write can break."""

    def warnings(self, new: Raw, old: Raw | None = None) -> list[str]:
        """Give the texts of Warning headers for a valid object."""

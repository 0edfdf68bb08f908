"""A patch that was read and waits for its object (sandbox-apiserver.md §9)."""

import re
from typing import Any, Final

from kubectl_kruise.cluster.port import PatchType
from kubectl_kruise.objects.notation.go_words import go_text
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.notation.repeated_keys import repeated_keys
from kubectl_kruise.sandbox.patches import PatchError, json_patch, merge_patch, parse_patch, strategic_patch
from kubectl_kruise.sandbox.registry.patching.text import patched_text
from kubectl_kruise.sandbox.schema.node import Node

_IN_VALUE: Final = re.compile(r"\[(\d+)\]\.value(\..+)")
_OPERATION: Final = ("op", "path", "from", "value")


class Edit:
    """A patch of some type. Raises PatchError where its bytes cannot be read."""

    def __init__(self, kind: PatchType, body: bytes, schema: Node | None) -> None:
        self._kind, self._content, self._schema = kind, parse_patch(body), schema
        self._repeated = repeated_keys(self._content, body)

    @property
    def strategic(self) -> bool:
        return self._kind is PatchType.STRATEGIC

    @property
    def told(self) -> tuple[str, ...]:
        """Tell what is odd about the patch itself: keys that stand twice, fields that no operation has (N3)."""
        if self._kind is not PatchType.JSON:
            return tuple(f'duplicate field "{path}"' for path in self._repeated)
        twice = [f'json patch duplicate field "{path}"' for path in self._repeated]
        unknown = [
            f'json patch unknown field "[{index}].{key}"'
            for index, operation in enumerate(self._content)
            for key in operation
            if key not in _OPERATION
        ]
        return (*twice, *unknown, *self._repeated_values())

    def _repeated_values(self) -> list[str]:
        """Tell of keys that stand twice in a value where they come to stand in the object."""
        found = (_IN_VALUE.fullmatch(path) for path in self._repeated)
        places = [(self._content[int(match[1])].get("path", ""), match[2]) for match in found if match]
        return [f'duplicate field "{place.lstrip("/").replace("/", ".")}{rest}"' for place, rest in places]

    def shown(self, result: Any, before: Raw) -> str:
        """Give what a complaint about the result shows: the patch itself where it is a strategic one (P6)."""
        if self.strategic:
            return go_text(self._content)
        return patched_text(result, before, custom=self._schema is None)

    def __call__(self, document: Raw) -> Any:
        """Give the patched document; Refused where the patch does not fit."""
        try:
            if self._kind is PatchType.JSON:
                return json_patch(document, self._content)
            if self._kind is PatchType.MERGE or self._schema is None:
                return merge_patch(document, self._content)
            return strategic_patch(document, self._content, self._schema)
        except PatchError as error:
            raise refused(error) from error


def refused(error: PatchError) -> status.Refused:
    return status.failure(error.code, error.reason, error.message, error.details)

"""Pod templates with random fields set to random values, as JSON: nothing a server would take, all that Go can read."""

import random
from typing import Any, Final

from kubectl_kruise.facts.template_layout import ROOT, Layout

WORDS: Final = ("", "web", "nginx:1.25", "a b", "ä%d%v{}[]", "0", "true", "<nil>", "x" * 40, "zürich", "€")
QUANTITIES: Final = (
    "0", "1", "100m", "0.1", "1500m", "250u", "3n", "1k", "1000", "12e3", "1E3", "1Ki", "128Mi", "1.5Gi", "10Ei", "8Gi", "1000Ki",
    "-5", "+7", "123456789012345678", "9223372036854775807", "99999999999999999999", "0.0000000001", 7, "1024", "2048Mi", "100000",
)  # fmt: skip
DEEPEST: Final = 9


def random_template(draw: random.Random, layout: Layout, *, density: float) -> dict[str, Any]:
    """Give a template in which about `density` of the possible fields are there."""
    return _Maker(draw, layout, density).struct(ROOT, 0)


class _Maker:
    def __init__(self, draw: random.Random, layout: Layout, density: float) -> None:
        self._draw, self._layout, self._density = draw, layout, density

    def struct(self, name: str, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for field in self._layout.structs[name]:
            if not field.key:
                found |= self.struct(field.type, depth)
            elif depth < 2 or self._draw.random() < self._density * (depth < DEEPEST):
                found[field.key] = self.value(field.type, depth + 1)
        return found

    def value(self, kind: str, depth: int) -> Any:
        kind = kind.removeprefix("*")
        made_of = self._layout.types.get(kind, kind)
        few = range(self._draw.choice((0, 1, 1, 2, 3)))
        if made_of.startswith("[]"):
            return [self.value(made_of[2:], depth) for _ in few]
        if made_of.startswith("map["):
            return {self._draw.choice(WORDS): self.value(made_of.partition("]")[2], depth) for _ in few}
        match kind:
            case "resource.Quantity":
                return self._draw.choice(QUANTITIES)
            case "intstr.IntOrString":
                return self._draw.choice((0, 80, "http", "", "50%"))
            case "v1.Time":
                return None
            case "v1.FieldsV1":
                return {"f:metadata": {}}
            case _ if kind in self._layout.structs:
                return self.struct(kind, depth)
        match made_of:
            case "string":
                return self._draw.choice(WORDS)
            case "bool":
                return self._draw.choice((True, False))
            case _:
                return self._draw.choice((0, 1, -1, 30, 2147483647))

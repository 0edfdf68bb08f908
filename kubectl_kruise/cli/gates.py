"""The option --feature-gates, as the Kruise manager has it."""

from collections.abc import Sequence
from typing import Annotated

import typer

from kubectl_kruise.engine.gates import KNOWN, parse_gates
from kubectl_kruise.errors import UsageError

FeatureGatesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--feature-gates",
        metavar="GATE=BOOL",
        help="Feature gates as the Kruise manager takes them: A=true,B=false; repeatable.",
        show_default=False,
    ),
]


def read_gates(texts: Sequence[str] | None) -> dict[str, bool]:
    """Read the values of the option; UsageError for a gate that nobody knows, or one without a value."""
    try:
        chosen = parse_gates(",".join(texts or ()))
    except ValueError as error:
        raise UsageError(f"--feature-gates: {error}") from None
    for name in chosen:
        if name not in KNOWN:
            raise UsageError(f'unknown feature gate "{name}"', hint=_hint(name))
    return chosen


def _hint(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, KNOWN, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else "names are those of the Kruise manager"

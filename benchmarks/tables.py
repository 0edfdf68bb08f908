"""Plain tables and number formats."""

from collections.abc import Sequence


def table(
    title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], *, notes: Sequence[str] = ()
) -> str:
    """Set the first column left and the others right, notes below."""
    lines = [headers, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(headers))]
    text = "\n".join(
        "  ".join(
            f"{cell:<{width}}" if at == 0 else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
    return "\n".join(["", title, text, *notes])


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f}"


def ratio(value: float, base: float) -> str:
    return f"{value / base:.2f}"

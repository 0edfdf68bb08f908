"""Small texts that several screens share: ages, images, problems, symbols with their ASCII twins."""

from typing import NamedTuple

from kubectl_kruise.engine.problems import Problem


class Symbols(NamedTuple):
    good: str
    bad: str
    warn: str
    arrow: str
    more: str
    full: str
    empty: str
    branch: str
    last: str
    pipe: str
    dash: str


UNICODE = Symbols("✓", "✗", "!", "→", "…", "█", "░", "├─ ", "└─ ", "│  ", "–")
ASCII = Symbols("+", "x", "!", "->", "...", "#", "-", "|- ", "`- ", "|  ", "-")


def symbols(*, unicode: bool) -> Symbols:
    return UNICODE if unicode else ASCII


def clock_span(seconds: float) -> str:
    """Write how long something has been going on: `22s`, `1m05s`, `2h05m`, `41d`.

    Two digits behind the first unit: what is redrawn every second must not jump.
    """
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    if whole < 86400:
        return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
    return f"{whole // 86400}d"


def image_tag(image: str) -> str:
    """Give what tells versions of one image apart: the tag, or the digest's beginning; "" where there is neither."""
    name, at, digest = image.partition("@")
    if at:
        return digest.removeprefix("sha256:")[:12]
    _, colon, tag = name.rpartition("/")[2].partition(":")
    return tag if colon else ""


def image_change(before: str, after: str, arrow: str) -> str:
    """Write a change of image, only the tags where the rest is the same: `1.8.2→1.9.0`."""
    old_name, new_name = (
        before.removesuffix(f":{image_tag(before)}"),
        after.removesuffix(f":{image_tag(after)}"),
    )
    if old_name == new_name and image_tag(before) and image_tag(after):
        return f"{image_tag(before)}{arrow}{image_tag(after)}"
    return f"{short_image(before)}{arrow}{short_image(after)}"


def short_image(image: str) -> str:
    """Leave out registry and folders: `shop/web:1.9.0` is `web:1.9.0`."""
    name, at, digest = image.partition("@")
    return name.rpartition("/")[2] + (f"@{digest.removeprefix('sha256:')[:12]}" if at else "")


def brief_problem(problem: Problem) -> str:
    """Write a trouble in a line: `app CrashLoopBackOff (3 restarts), exit 137, out of memory`."""
    head = " ".join(part for part in (problem.container, problem.reason) if part)
    if problem.crashes:
        head += f" ({problem.crashes})"
    code = f"exit {problem.exit_code}" if problem.exit_code is not None else ""
    message = " ".join(problem.message.split())
    return ", ".join(part for part in (head, code, problem.exit_reason, message) if part)


def clip(text: str, width: int, more: str) -> str:
    """Cut a text to a width, with a mark where something is missing."""
    return text if len(text) <= width else text[: max(0, width - len(more))] + more

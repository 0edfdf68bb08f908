"""Writes the tour: the chapters as Markdown, with what the commands printed when it was made."""

from demo.chapters import CHAPTERS
from demo.stage import Played, typed

HEAD = """# A tour in a minute and a half

`make demo` plays this page. Names of pods, addresses and times differ from run to run.
"""


def tour(played: list[list[Played]]) -> str:
    """Give the whole page; `played` holds the steps of each chapter in order."""
    pages = [HEAD]
    for chapter, steps in zip(CHAPTERS, played, strict=True):
        blocks = "".join(_block(done) for done in steps)
        pages.append(f"\n## {chapter.title}\n\n{chapter.text}\n\n```console\n{blocks}```\n")
    return "".join(pages)


def commands(page: str) -> list[str]:
    """Give the command lines of a page, in order."""
    return [line for line in page.splitlines() if line.startswith(("$ ", "## ", "(exit code"))]


def expected_commands() -> list[str]:
    """Give what `commands` must find in a page that was made from today's chapters."""
    lines = []
    for chapter in CHAPTERS:
        lines.append(f"## {chapter.title}")
        for step in chapter.steps:
            lines.append(f"$ {typed(step)}")
            lines += [f"(exit code {step.exit_code})"] if step.exit_code else []
    return lines


def _block(done: Played) -> str:
    code = f"(exit code {done.step.exit_code})\n" if done.step.exit_code else ""
    return f"$ {typed(done.step)}\n{done.output}{code}"

"""One seeded fault as data, and how it gets into a copy of the package."""

from pathlib import Path
from typing import NamedTuple

from tests.places import DATA

PACKAGE = "kubectl_kruise"
FOLDERS = {"cs": "cloneset", "as": "statefulset"}


class Fault(NamedTuple):
    """`file` is relative to the package; `text` stands in it exactly once; the replay of `recordings` has to notice."""

    about: str
    file: str
    text: str
    replacement: str
    recordings: tuple[str, ...]


def seed(fault: Fault, root: Path) -> None:
    """Put the fault into the package below `root`; raises ValueError where its text is not there exactly once."""
    path = root / PACKAGE / fault.file
    source = path.read_text("utf-8")
    if (count := source.count(fault.text)) != 1:
        raise ValueError(f"{fault.about}: the text stands {count} times in {fault.file}")
    path.write_text(source.replace(fault.text, fault.replacement), "utf-8")


def recording(name: str) -> Path:
    """Give the file of a recording: its name begins with what stands for its folder."""
    return DATA / "recordings" / FOLDERS[name.partition("-")[0]] / f"{name}.json"

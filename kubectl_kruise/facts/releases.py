"""The releases of Kruise that this tool can stand in for."""

from enum import StrEnum


class Release(StrEnum):
    """Oldest first; `main` is the development line after 1.9.0, where CloneSet has a second version."""

    V1_9_0 = "1.9.0"
    MAIN = "main"

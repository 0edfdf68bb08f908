"""What an image's name says about how its container fares (docs/images.md)."""

import hashlib
import re
from enum import Enum, auto

from kubectl_kruise.sandbox.simulation.profile import Profile

SLOW_SECONDS = 10.0
_SLOW = re.compile(r"(?<![a-z0-9])slow(?:-(\d+)s)?(?![a-z0-9])")


class Fate(Enum):
    RUNS = auto()
    UNREADY = auto()
    CRASHES = auto()
    NOT_PULLED = auto()


def fate(image: str) -> Fate:
    """Say how a container of this image fares (KB4)."""
    if _says(image, "bad"):
        return Fate.NOT_PULLED
    if _says(image, "crash"):
        return Fate.CRASHES
    return Fate.UNREADY if _says(image, "unready") else Fate.RUNS


def pull_seconds(image: str) -> float:
    """Give the extra time to the first run: `slow` or `slow-30s` as a word of the name."""
    found = _SLOW.search(image)
    return 0.0 if found is None else float(found[1] or SLOW_SECONDS)


def exit_code(image: str, profile: Profile) -> int | None:
    """Give the code with which a container of a pod that is meant to end does so, None for one that never ends (KB7)."""
    if _says(image, "exit1") or _says(image, "fail"):
        return 1
    return 0 if profile.jobs_end or _says(image, "complete") else None


def image_id(image: str, profile: Profile) -> str:
    """Give a stable imageID: equal names give equal ids."""
    return profile.image_id.format(
        image=image.partition("@")[0], digest=hashlib.sha256(image.encode()).hexdigest()
    )


def _says(image: str, word: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){word}(?![a-z0-9])", image) is not None

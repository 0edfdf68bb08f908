"""What a server would make of an object that it was asked about by a dry run (migration.md §7)."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from kubectl_kruise.engine.migration.checks.check import Check, some
from kubectl_kruise.objects.raw import Raw, dig

_LOOKED_AT: Final = (("metadata", "labels"), ("metadata", "annotations"), ("spec",))
_SELECTOR: Final = "spec.selector"
_TEMPLATE: Final = "spec.template"


class Difference(NamedTuple):
    """A value at `path` (`spec.template.spec.hostNetwork`) as it was sent and as it would be kept, None where absent."""

    path: str
    sent: Any
    kept: Any


def differences(sent: Raw, kept: Raw) -> list[Difference]:
    """Give every value that the server would keep otherwise; nulls, zeros, empty values and creation times do not count."""
    found: list[Difference] = []
    for path in _LOOKED_AT:
        found += _differing(dig(sent, path), dig(kept, path), ".".join(path))
    return found


def changes_template(found: Sequence[Difference]) -> bool:
    """Say whether pods made of what is kept would be other ones."""
    return any(each.path.startswith(_TEMPLATE) for each in found)


def check_kept(found: Sequence[Difference]) -> Iterator[Check]:
    """Check what a webhook would change: another selector loses the pods, another template is not what they are of."""
    if selector := [each.path for each in found if each.path.startswith(_SELECTOR)]:
        yield Check(
            "P-DRYRUN",
            f"the server would change {some(selector)}: the pods would not be selected any more",
            "keep that webhook away from it",
        )
    if template := [each.path for each in found if each.path.startswith(_TEMPLATE)]:
        yield Check(
            "P-CHANGED",
            f"the server would change {some(template)}: pods that are handed over stay without it until they are updated",
            "look whether it matters",
        )


def _differing(sent: Any, kept: Any, path: str) -> Iterator[Difference]:
    if isinstance(sent, dict) or isinstance(kept, dict):
        mine = sent if isinstance(sent, dict) else {}
        theirs = kept if isinstance(kept, dict) else {}
        for key in {**mine, **theirs}:
            if key != "creationTimestamp" or not path.endswith("metadata"):
                yield from _differing(mine.get(key), theirs.get(key), f"{path}.{key}")
    elif isinstance(sent, list) or isinstance(kept, list):
        mine_listed = sent if isinstance(sent, list) else []
        theirs_listed = kept if isinstance(kept, list) else []
        for at in range(max(len(mine_listed), len(theirs_listed))):
            one, other = (listed[at] if at < len(listed) else None for listed in (mine_listed, theirs_listed))
            yield from _differing(one, other, f"{path}[{at}]")
    elif sent != kept and not (_unsaid(sent) and _unsaid(kept)):
        yield Difference(path, sent, kept)


def _unsaid(value: Any) -> bool:
    """Say whether a webhook that writes an object anew leaves a value out: zeros and false go, as nulls do."""
    return value is None or (isinstance(value, bool | int) and not value)

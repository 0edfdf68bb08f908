"""Hand a set's ordinals to its twin one at a time: whose each is, and which goes over next (migration.md §6.2).

The native set has the lowest ordinals, the one of Kruise all from its line on. While one ordinal changes hands, nobody has
it: the two lines are one apart.
"""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

from kubectl_kruise.engine.migration.ordinals import first_places
from kubectl_kruise.engine.statefulset.ordinals import parse_reserved
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET
from kubectl_kruise.objects.raw import Raw, dig, put

RESERVED = ("spec", "reserveOrdinals")
_REPLICAS = ("spec", "replicas")


class Window(NamedTuple):
    """The ordinals of the set, the lowest first, and what the set of Kruise reserves when it has all of them."""

    ordinals: Sequence[int]
    reserved: Sequence[Any] = ()

    @property
    def total(self) -> int:
        return len(self.ordinals)

    def reserve(self, line: int) -> list[Any] | None:
        """Give what has to be reserved so that the first `line` ordinals are not made, None for nothing at all."""
        return [*self.reserved, *self.ordinals[:line]] or None

    def patch(self, line: int) -> Raw:
        """Give the merge patch that moves the line of the set of Kruise: both fields at once.

        A shorter list alone would make ordinals that the other set still has, more replicas alone those above the last.
        """
        patch: Raw = {}
        put(patch, _REPLICAS, self.total - line)
        put(patch, RESERVED, self.reserve(line))
        return patch

    def line_of(self, kruise: Raw) -> int | None:
        """Give the line at which a set of Kruise stands, None where its fields are not those of any."""
        line = self.total - int(dig(kruise, _REPLICAS, 1))
        if not 0 <= line <= self.total:
            return None
        if line == self.total:
            return line  # without a replica it makes none of them, whatever it reserves
        live, meant = (parse_reserved(each or ()) for each in (dig(kruise, RESERVED), self.reserve(line)))
        return line if live == meant else None


def window_of(native: Raw, kruise: Raw, total: int) -> Window:
    """Give the window of two manifests of the same set with `total` ordinals."""
    ordinals = first_places(native, NATIVE_STATEFULSET, total)
    return Window(ordinals, copy.deepcopy(dig(kruise, RESERVED) or ()))


class Lines(NamedTuple):
    """Where the native set ends and that of Kruise begins, in ordinals from the first on."""

    native: int
    kruise: int


class MoveNative(NamedTuple):
    """Let the native set have so many replicas."""

    line: int


class MoveKruise(NamedTuple):
    """Let the set of Kruise begin here."""

    line: int


class Free(NamedTuple):
    """Wait until the pod of the ordinal at this line is gone."""

    line: int


class Arrived(NamedTuple):
    """One set has every ordinal."""


def next_passage(
    lines: Lines, total: int, *, to_kruise: bool
) -> MoveNative | MoveKruise | Free | Arrived | None:
    """Give what is due, as far as the pods let it be; None where the lines are not those of a passage.

    MoveNative and MoveKruise that take a pod away, of lines that are equal, have to wait for the pods of both sets; Free
    comes before the one who gets may have the ordinal that is between the lines.
    """
    native, kruise = lines
    if kruise == native + 1:
        return Free(native)
    if kruise != native:
        return None
    if to_kruise:
        return MoveNative(native - 1) if native else Arrived()
    return MoveKruise(kruise + 1) if kruise < total else Arrived()


def take(lines: Lines, *, to_kruise: bool) -> MoveNative | MoveKruise:
    """Give what lets the getting set have the ordinal between the lines, when its pod is gone."""
    return MoveKruise(lines.native) if to_kruise else MoveNative(lines.kruise)


def may_take(available: int, total: int, *, loses: bool, excused: int) -> bool:
    """Say whether the next pod may go: all others but the `excused` are available. `loses` says that it is available itself."""
    return available - loses >= total - 1 - excused

"""Move pods from a Deployment to a CloneSet a few at a time: how many each may have next (migration.md §6.1).

At every write the two want at most `total + surge` pods, and at least `total - unavailable` are available.
"""

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.notation.number import IntOrPercent
from kubectl_kruise.objects.raw import Raw, dig


class Limits(NamedTuple):
    """Of `total` pods all but `left` are moved; `surge` more may exist meanwhile, `unavailable` fewer may serve."""

    total: int
    surge: int
    unavailable: int
    left: int = 0

    @property
    def moving(self) -> int:
        return max(0, self.total - self.left)


class Levels(NamedTuple):
    """Pods wanted and available of the two: who gives, and who gets."""

    giving: int
    giving_available: int
    getting: int
    getting_available: int


class Grow(NamedTuple):
    """Let the one who gets have so many pods."""

    replicas: int


class Shrink(NamedTuple):
    """Let the one who gives keep so many pods."""

    replicas: int


class Wait(NamedTuple):
    """Nothing may be written before more pods are available."""


class Moved(NamedTuple):
    """All pods are with the one who gets, and available."""


def next_surge(levels: Levels, limits: Limits) -> Grow | Shrink | Wait | Moved:
    """Give the next write. Whoever gives is taken to lose its available pods first."""
    total, surge, unavailable, left = limits
    if (
        levels.giving <= left
        and levels.getting >= limits.moving
        and levels.getting_available >= limits.moving
    ):
        return Moved()
    grown = min(limits.moving, total + surge - levels.giving)
    if grown > levels.getting:
        return Grow(grown)
    spare = levels.giving_available + levels.getting_available - (total - unavailable)
    kept = 0 if levels.giving_available <= spare else levels.giving - max(spare, 0)
    kept = max(kept, left)
    return Shrink(kept) if kept < levels.giving else Wait()


def surge_limits(
    total: int, surge: IntOrPercent, unavailable: IntOrPercent, budgets: Iterable[Raw] = ()
) -> Limits:
    """Resolve what was asked for; budgets lower what may be unavailable.

    Raises ValueError, with a sentence for the user, where a value cannot be read or nothing could ever move.
    """
    more = number.strict(surge, total)
    fewer = number.strict(unavailable, total, up=False)
    if min(more, fewer) < 0:
        raise ValueError("neither --max-surge nor --max-unavailable can be negative")
    allowed = min((budget_allows(budget, total) for budget in budgets), default=total)
    if total and not more and not min(fewer, allowed):
        why = "a PodDisruptionBudget lets none be unavailable" if fewer else f"{unavailable} unavailable"
        raise ValueError(f"no pod could move: --max-surge is {surge}, and {why}")
    return Limits(total, more, min(fewer, allowed))


def budget_allows(budget: Raw, total: int) -> int:
    """Give how many of `total` pods a PodDisruptionBudget lets be unavailable; percentages round up, as it does."""
    spec = budget.get("spec") or {}
    if (most := dig(spec, ("maxUnavailable",))) is not None:
        return max(0, min(total, number.strict(most, total)))
    if (least := dig(spec, ("minAvailable",))) is not None:
        return max(0, total - number.strict(least, total))
    return total

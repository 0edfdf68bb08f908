"""Move pods from a Deployment to a CloneSet a few at a time: how many each may have next (migration.md §6.1).

At every write the two want at most `total + surge` pods, and at least `total - unavailable` are available.
"""

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.notation.number import IntOrPercent
from kubectl_kruise.objects.raw import Raw, dig


class Limits(NamedTuple):
    """`total` pods are moved, `surge` more may exist meanwhile, `unavailable` fewer may serve."""

    total: int
    surge: int
    unavailable: int


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
    """Give the next write. An unavailable pod is never counted on to be the one that goes first."""
    total, surge, unavailable = limits
    if levels.giving == 0 and levels.getting >= total and levels.getting_available >= total:
        return Moved()
    grown = min(total, total + surge - levels.giving)
    if grown > levels.getting:
        return Grow(grown)
    spare = levels.giving_available + levels.getting_available - (total - unavailable)
    wanted = max(0, total - unavailable - levels.getting_available)
    kept = max(wanted, levels.giving - max(spare, 0))
    return Shrink(kept) if kept < levels.giving else Wait()


def surge_limits(
    total: int, surge: IntOrPercent, unavailable: IntOrPercent, budgets: Iterable[Raw] = ()
) -> Limits:
    """Resolve what was asked for; budgets lower what may be unavailable. A surge of nothing and nothing is one pod.

    Raises ValueError where a value cannot be read.
    """
    more = max(0, number.strict(surge, total))
    fewer = max(0, number.strict(unavailable, total, up=False))
    fewer = min([fewer, *(budget_allows(budget, total) for budget in budgets)])
    return Limits(total, more if more or fewer else 1, fewer)


def budget_allows(budget: Raw, total: int) -> int:
    """Give how many of `total` pods a PodDisruptionBudget lets be unavailable; percentages round up, as it does."""
    spec = budget.get("spec") or {}
    if (most := dig(spec, ("maxUnavailable",))) is not None:
        return max(0, min(total, number.strict(most, total)))
    if (least := dig(spec, ("minAvailable",))) is not None:
        return max(0, total - number.strict(least, total))
    return total

"""Every kind that migrates as its twin, from a server or from a file: one place that knows which conversion is whose (migration.md §3)."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from kubectl_kruise.convert import advancedstatefulset, cloneset, deployment, statefulset
from kubectl_kruise.convert.advancedstatefulset import NativeTarget, asts_to_statefulset
from kubectl_kruise.convert.cloneset import cloneset_to_deployment
from kubectl_kruise.convert.defaults import (
    fill_asts,
    fill_cloneset,
    fill_deployment,
    fill_statefulset,
    filled_in,
)
from kubectl_kruise.convert.deployment import Target, deployment_to_cloneset
from kubectl_kruise.convert.older_statefulset import Found, upgrade_document, why_dropped
from kubectl_kruise.convert.report import Conversion, Fate
from kubectl_kruise.convert.selection import check_selector, refused
from kubectl_kruise.convert.statefulset import SetTarget, objections, statefulset_to_asts
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, NATIVE_STATEFULSET, STATEFULSET, Kind
from kubectl_kruise.facts.policies import RECREATE
from kubectl_kruise.objects.raw import Raw

Wanted = Target | SetTarget | NativeTarget
"""What a server has for the twin: by default the newest release of everything. A Deployment leaves no choice."""

_FILL: Final[dict[Kind, Callable[[Raw], Raw]]] = {
    DEPLOYMENT: fill_deployment,
    CLONESET: fill_cloneset,
    NATIVE_STATEFULSET: fill_statefulset,
    STATEFULSET: fill_asts,
}
_SAID_ELSEWHERE: Final = ("spec.strategy.type", "spec.updateStrategy.type")
"""The type of a strategy has no place of its own in the twin."""


class Wishes(NamedTuple):
    """What the user asked for: a name, "" for that of the source, the update policy, and whether limits may clamp."""

    name: str = ""
    policy: str = RECREATE
    clamp: bool = False


def usual(kind: Kind) -> Wanted:
    """Give what the twin of a kind can have where nobody can be asked."""
    if kind is NATIVE_STATEFULSET:
        return SetTarget()
    return NativeTarget() if kind is STATEFULSET else Target()


def convert_stored(source: Raw, kind: Kind, wanted: Wanted, wishes: Wishes) -> Conversion:
    """Convert a workload as a server holds it. Raises RefusedError where it has no twin, or not such a one."""
    check_selector(source)
    if kind is CLONESET:
        cloneset.check_convertible(source)
        return cloneset_to_deployment(source, wishes.name, keep_helm=True)
    if isinstance(wanted, NativeTarget):
        advancedstatefulset.check_convertible(source, wanted)
        return asts_to_statefulset(source, wanted._replace(keep_helm=True))
    if isinstance(wanted, SetTarget):
        wanted = wanted._replace(policy=wishes.policy, keep_helm=True, clamp=wishes.clamp)
        if found := list(objections(source, wanted)):
            raise refused(source, "; ".join(f"{each.text} ({each.code})" for each in found), found[0].fix)
        return statefulset_to_asts(source, wanted)
    return deployment_to_cloneset(
        source, wanted._replace(name=wishes.name, policy=wishes.policy, keep_helm=True)
    )


def convert_manifest(source: Raw, kind: Kind, wishes: Wishes) -> Conversion:
    """Convert a workload that no server has stored yet: its defaults are written down first, and reported.

    A set of v1alpha1 is taken as `convert` rewrites it: what that version does not have is left out, and reported.
    """
    found: list[Found] = []
    source = upgrade_document(source, found) if kind is STATEFULSET else source
    unknown = tuple(Fate(path, why_dropped(one.version)) for one in found for path in one.dropped)
    filled = _FILL[kind](source)
    conversion = convert_stored(filled, kind, usual(kind), wishes)
    meant = tuple(
        fate for fate in filled_in(source.get("spec"), filled["spec"]) if fate.path not in _SAID_ELSEWHERE
    )
    return conversion._replace(
        kept=max(0, conversion.kept - len(meant)),
        changed=(*conversion.changed, *meant),
        dropped=(*conversion.dropped, *unknown),
    )


def unknown_fields(source: Raw, kind: Kind) -> Iterator[str]:
    """Name the fields of a native workload's spec that have no twin, because this release does not know them."""
    if kind is DEPLOYMENT:
        yield from deployment.unknown_fields(source)
    elif kind is NATIVE_STATEFULSET:
        yield from statefulset.unknown_fields(source)

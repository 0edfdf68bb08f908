"""Who owns a claim, so that the garbage collector takes it with the set or with the pod (spec.persistentVolumeClaimRetentionPolicy).

A claim that goes with something names it as its controller. What carries the name of the set or the pod but another
uid, or another controller, is not ours: such a claim is left alone.
"""

from typing import Final, NamedTuple

from kubectl_kruise.objects.raw import Raw, controller_reference, metadata, name_of, uid_of
from kubectl_kruise.sandbox.simulation.statefulset.identity import ordinal_of
from kubectl_kruise.sandbox.simulation.statefulset.view import DELETE, RETAIN, NativeSet

_SET: Final = ("apps/v1", "StatefulSet")
_POD: Final = ("v1", "Pod")


class Owners(NamedTuple):
    """Whether a claim is to name the set, and its pod."""

    set: bool
    pod: bool


def wanted_owners(view: NativeSet, pod: Raw) -> Owners:
    """Give the owners that the retention policy asks for; whatever is no Delete counts as Retain."""
    scaled_away = ordinal_of(pod) not in view.ordinals
    with_pod = view.when_scaled == DELETE and scaled_away
    return Owners(set=view.when_deleted == DELETE and not with_pod, pod=with_pod)


def up_to_date(view: NativeSet, pod: Raw, claim: Raw) -> bool:
    """Say whether nothing is to be done about the owners of a claim."""
    if _stale(claim, _SET, view.raw) or _stale(claim, _POD, pod):
        return True
    held = Owners(_holds(claim, view.uid), _holds(claim, uid_of(pod)))
    if contested(view, pod, claim):
        return not any(held)
    return not _holds_loosely(claim, view, pod) and held == wanted_owners(view, pod)


def with_owners(view: NativeSet, pod: Raw, claim: Raw) -> Raw:
    """Give the claim with the owners that the policy asks for; a contested one only loses ours."""
    meta = metadata(claim)
    kept = [
        each
        for each in _references(claim)
        if not _names(each, _SET, view.raw) and not _names(each, _POD, pod)
    ]
    if not contested(view, pod, claim):
        wanted = wanted_owners(view, pod)
        if wanted.set:
            kept.append(controller_reference(*_SET, view.name, view.uid))
        if wanted.pod:
            kept.append(controller_reference(*_POD, name_of(pod), uid_of(pod)))
    return {**claim, "metadata": {**meta, "ownerReferences": kept}}


def contested(view: NativeSet, pod: Raw, claim: Raw) -> bool:
    """Say whether somebody else controls a claim that is to go with set or pod."""
    if view.when_scaled == RETAIN and view.when_deleted == RETAIN:
        return False
    for reference in _references(claim):
        for kind, owner in ((_SET, view.raw), (_POD, pod)):
            if _names(reference, kind, owner):
                if reference.get("uid") != uid_of(owner):
                    return True
                break
        else:
            if reference.get("controller"):
                return True
    return False


def left_by_namesake(view: NativeSet, pod: Raw, claim: Raw) -> bool:
    """Say whether a claim still goes with an earlier pod of this name: its successor has to wait until it is gone."""
    return view.when_scaled != RETAIN and _stale(claim, _POD, pod)


def _stale(claim: Raw, kind: tuple[str, str], owner: Raw) -> bool:
    """Say whether the claim names an owner of this name that is not this object."""
    named = next((each for each in _references(claim) if _names(each, kind, owner)), None)
    return named is not None and named.get("uid") != uid_of(owner)


def _holds(claim: Raw, uid: str) -> bool:
    return any(each.get("uid") == uid for each in _references(claim))


def _holds_loosely(claim: Raw, view: NativeSet, pod: Raw) -> bool:
    """Say whether one of ours is named as an owner that is no controller, as older controllers did."""
    ours = (view.uid, uid_of(pod))
    return any(each.get("uid") in ours and not each.get("controller") for each in _references(claim))


def _names(reference: Raw, kind: tuple[str, str], owner: Raw) -> bool:
    named = (reference.get("apiVersion"), reference.get("kind"), reference.get("name"))
    return named == (*kind, name_of(owner))


def _references(claim: Raw) -> list[Raw]:
    return metadata(claim).get("ownerReferences") or []

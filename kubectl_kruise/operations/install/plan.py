"""Decides what installing or removing one definition takes: never what Helm or a live manager owns, never a step back."""

from enum import StrEnum
from typing import NamedTuple

from kubectl_kruise.facts.crds.definitions import CONVERTER_ANNOTATION, RELEASE_ANNOTATION
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.objects.raw import Raw, annotations_of, deleting, dig, labels_of

HELM_RELEASE = "meta.helm.sh/release-name"
HELM_NAMESPACE = "meta.helm.sh/release-namespace"


class Action(StrEnum):
    """What is done with one definition; the text is what the success line says."""

    CREATE = "created"
    UPDATE = "configured"
    DELETE = "deleted"
    UNCHANGED = "unchanged"
    KEPT = "kept"
    ABSENT = "not installed"


class Step(NamedTuple):
    """One definition: `wanted` is what would be written, `why` the reason where it is kept or changed."""

    kind: Kind
    action: Action
    wanted: Raw
    live: Raw | None = None
    why: str = ""


def plan_install(kind: Kind, wanted: Raw, live: Raw | None, manager: str, *, stranded: str = "") -> Step:
    """Decide what installing `wanted` over `live` takes; `manager` is the holder of the manager's live lease or "".

    `stranded` names the versions of `stranded_versions` in which objects exist. Kept as they are: definitions that
    Helm or a live manager owns, those being deleted, those that know a version or a release that `wanted` does not,
    those whose objects nobody could read any more, and those that the sandbox converts (install.md §2, faults B158 to
    B160).
    """
    if live is None:
        return Step(kind, Action.CREATE, wanted)
    if _covers(live["spec"], wanted["spec"]) and _release(live) == _release(wanted):
        return Step(kind, Action.UNCHANGED, wanted, live)
    why = f"its objects are stored as {stranded}, and only a conversion webhook can read them in another version"
    elsewhere = _owned_elsewhere(live, manager) or _converter(live)
    if kept := elsewhere or _step_back(live, wanted) or (why if stranded else ""):
        return Step(kind, Action.KEPT, wanted, live, kept)
    metadata = live["metadata"] | {"annotations": annotations_of(live) | annotations_of(wanted)}
    why = "its conversion webhook is switched off: no manager answers it" if _converts(live) else ""
    return Step(kind, Action.UPDATE, {**live, "metadata": metadata, "spec": wanted["spec"]}, live, why)


def stranded_versions(live: Raw | None, wanted: Raw) -> str:
    """Give the stored versions that `wanted` knows but does not serve: conversion None would garble what is in them."""
    closed = {version["name"] for version in wanted["spec"]["versions"] if not version["served"]}
    return ", ".join(sorted(closed & set(dig(live, ("status", "storedVersions"), []))))


def plan_uninstall(kind: Kind, live: Raw | None, manager: str) -> Step:
    """Decide what removing a definition takes; that no objects are left is the caller's to check."""
    if live is None:
        return Step(kind, Action.ABSENT, {})
    if kept := _owned_elsewhere(live, manager):
        return Step(kind, Action.KEPT, {}, live, kept)
    return Step(kind, Action.DELETE, {}, live)


def _owned_elsewhere(live: Raw, manager: str) -> str:
    if deleting(live):
        return "it is being deleted"
    annotations = annotations_of(live)
    if release := annotations.get(HELM_RELEASE):
        return f"Helm release {annotations.get(HELM_NAMESPACE, '')}/{release} owns it"
    if labels_of(live).get("app.kubernetes.io/managed-by") == "Helm":
        return "Helm owns it"
    return f"the Kruise manager {manager} is running and owns it" if manager else ""


def _step_back(live: Raw, wanted: Raw) -> str:
    known = {version["name"] for version in wanted["spec"]["versions"]}
    held = [version["name"] for version in dig(live, ("spec", "versions"), [])]
    held += dig(live, ("status", "storedVersions"), [])
    if newer := sorted(set(held) - known):
        return f"it has {', '.join(newer)}, which release {_release(wanted)} does not know"
    if _age(_release(live)) > _age(_release(wanted)):
        return f"it is of release {_release(live)}, newer than {_release(wanted)}"
    return ""


def _converts(live: Raw) -> bool:
    return bool(dig(live, ("spec", "conversion", "strategy")) == "Webhook")


def _converter(live: Raw) -> str:
    """Say who converts in the place of a manager, as long as the definition asks for it; "" for nobody."""
    who = annotations_of(live).get(CONVERTER_ANNOTATION) if _converts(live) else ""
    return f"the {who} converts its objects between its versions" if who else ""


def _release(definition: Raw) -> str:
    return annotations_of(definition).get(RELEASE_ANNOTATION, "")


def _age(release: str) -> tuple[bool, tuple[int, ...]]:
    """Sort key of releases, the development line behind all numbers."""
    return release == Release.MAIN, tuple(int(part) for part in release.split(".") if part.isdecimal())


def _covers(live: object, wanted: object, *, exact: bool = False) -> bool:
    """Say whether `live` has all that `wanted` says; the server adds defaults, but nothing inside a schema."""
    match wanted, live:
        case dict(), dict():
            if exact and live.keys() != wanted.keys():
                return False
            return all(
                key in live and _covers(live[key], value, exact=exact or key == "openAPIV3Schema")
                for key, value in wanted.items()
            )
        case list(), list():
            return len(live) == len(wanted) and all(map(_covers, live, wanted))
        case _:
            return bool(live == wanted)

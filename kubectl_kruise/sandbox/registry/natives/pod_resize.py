"""Subresource `resize` of pods: what of a request it takes (sandbox-apiserver.md B5)."""

from typing import Final

from kubectl_kruise.objects.raw import Raw

GROUPS: Final = ("containers", "initContainers")
TAKEN: Final = ("resources", "resizePolicy")


def resize_update(new: Raw, old: Raw) -> Raw:
    """Give the stored pod with the resources of `new`; whatever else a request changes is dropped without a word.

    Containers that came, went, moved or changed their policy are kept in the result, for the checks to find.
    """
    sent = new.get("spec") or {}
    spec = dict(old["spec"])
    for group in (*GROUPS, "resources"):
        if group not in sent:
            spec.pop(group, None)
        elif group == "resources":
            spec[group] = sent[group]
        else:
            spec[group] = _resized(sent[group], spec.get(group) or [])
    return {**old, "metadata": dict(old["metadata"]), "spec": spec}


def _resized(sent: list[Raw], stored: list[Raw]) -> list[Raw]:
    known = {container["name"]: container for container in stored}
    return [_container(container, known.get(container.get("name"))) for container in sent]


def _container(sent: Raw, stored: Raw | None) -> Raw:
    if stored is None:
        return sent
    kept = {key: value for key, value in stored.items() if key not in TAKEN}
    return kept | {key: sent[key] for key in TAKEN if key in sent}

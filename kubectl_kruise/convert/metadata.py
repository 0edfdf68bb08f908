"""Which labels and annotations follow an object to its new kind (migration.md §3.4)."""

from collections.abc import Mapping
from typing import Final

from kubectl_kruise.convert.report import Fates
from kubectl_kruise.facts.names import LAST_APPLIED, MIGRATE_PREFIX
from kubectl_kruise.objects.raw import Raw, annotations_of, labels_of, namespace_of

_HELM: Final = "the new object is not part of the release (--keep-helm keeps it)"
_FLUX: Final = "Flux puts it on what it applies itself"
_CONTROLLER: Final = "written by the controller of the old kind"
_STALE: Final[Mapping[str, str]] = {
    "deployment.kubernetes.io/": _CONTROLLER,
    "deprecated.deployment.rollback.to": _CONTROLLER,
    LAST_APPLIED: "holds the old manifest",
    "field.cattle.io/publicEndpoints": "written by Rancher for the old kind",
    "autoscaling.alpha.kubernetes.io/": "written by the server",
    "argocd.argoproj.io/tracking-id": "names the old kind",
    MIGRATE_PREFIX: "book-keeping of a migration",
}
"""Annotations, prefixes of them where they end in a slash, that speak of the source alone."""
_HELM_ANNOTATIONS: Final = ("meta.helm.sh/release-name", "meta.helm.sh/release-namespace")
_FLUX_LABELS: Final = ("kustomize.toolkit.fluxcd.io/", "helm.toolkit.fluxcd.io/")
_MANAGED_BY: Final = "app.kubernetes.io/managed-by"


def convert_metadata(source: Raw, name: str, fates: Fates, *, keep_helm: bool) -> Raw:
    """Give the metadata of the new object: name, namespace, and the labels and annotations that still hold true.

    Owner references and finalizers never follow: they belong to the source.
    """
    made: Raw = {"name": name}
    if namespace := namespace_of(source):
        made["namespace"] = namespace
    for part, held, why in (
        ("labels", labels_of(source), _label_stays_behind),
        ("annotations", annotations_of(source), _annotation_stays_behind),
    ):
        kept = {}
        for key, value in held.items():
            if reason := why(key, str(value), keep_helm):
                fates.drop(f"metadata.{part}[{key}]", reason)
            else:
                kept[key] = fates.keep(value)
        if kept:
            made[part] = kept
    for part, why_not in (
        ("finalizers", "belong to the source"),
        ("ownerReferences", "belong to the source"),
    ):
        if source.get("metadata", {}).get(part):
            fates.drop(f"metadata.{part}", why_not)
    return made


def _label_stays_behind(key: str, value: str, keep_helm: bool) -> str:
    if key == _MANAGED_BY and value == "Helm" and not keep_helm:
        return _HELM
    return _FLUX if key.startswith(_FLUX_LABELS) else ""


def _annotation_stays_behind(key: str, _value: str, keep_helm: bool) -> str:
    if key in _HELM_ANNOTATIONS and not keep_helm:
        return _HELM
    return next(
        (
            why
            for known, why in _STALE.items()
            if key == known or (known.endswith("/") and key.startswith(known))
        ),
        "",
    )

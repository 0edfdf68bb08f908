"""Who else looks after an object and may revert an edit: an owner, GitOps, Helm (rollout-operations.md §1 rule 7)."""

from typing import Final

from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, NATIVE_STATEFULSET, STATEFULSET
from kubectl_kruise.facts.names import MIGRATE_ID, MIGRATE_SOURCE
from kubectl_kruise.objects.raw import Raw, annotations_of, labels_of, metadata, namespace_of, owner_of

_ARGO_ANNOTATION: Final = "argocd.argoproj.io/tracking-id"
_ARGO_LABEL: Final = "argocd.argoproj.io/instance"
_FLUX: Final = {
    "kustomize.toolkit.fluxcd.io/name": "Flux Kustomization",
    "helm.toolkit.fluxcd.io/name": "Flux HelmRelease",
}
_HELM_LABEL: Final = "app.kubernetes.io/managed-by"
_HELM_RELEASE: Final = "meta.helm.sh/release-name"
_PEOPLE: Final = ("kubectl", "kubectl-kruise", "before-first-apply")
"""Field managers behind which sits a person, who will not revert anything by himself."""
_SOURCES: Final = {CLONESET.kind: DEPLOYMENT, STATEFULSET.kind: NATIVE_STATEFULSET}
"""What the workloads are made from that bear the book-keeping of a migration: those of Kruise, by their kind."""


def stewards_of(raw: Raw) -> tuple[str, ...]:
    """Name everybody who reconciles this object from somewhere else, each once; () where it stands alone.

    `kubectl apply` is none: it acts only when somebody calls it.
    """
    found: list[str] = []
    owner, labels, annotations = owner_of(raw), labels_of(raw), annotations_of(raw)
    if owner:
        found.append(f"{owner.get('kind')} {owner.get('name')}")
    tracking = annotations.get(_ARGO_ANNOTATION, "").partition(":")[0] or labels.get(_ARGO_LABEL, "")
    if tracking:
        found.append(f"Argo CD application {tracking}")
    flux = [f"{title} {labels[label]}" for label, title in _FLUX.items() if label in labels]
    found += flux
    if not flux and labels.get(_HELM_LABEL) == "Helm" and _HELM_RELEASE in annotations:
        found.append(f"Helm release {annotations[_HELM_RELEASE]}")
    if not found:
        found += [f"field manager {name}" for name in _appliers(raw)]
    return tuple(found)


def migration_of(raw: Raw) -> str:
    """Name the unfinished migration that made this object and still holds it; "" where none does (migration.md §4)."""
    annotations = annotations_of(raw)
    if MIGRATE_ID not in annotations:
        return ""
    kind, _, rest = annotations.get(MIGRATE_SOURCE, "").partition("/")
    name = rest.partition("/")[0]
    return f"the unfinished migration of {kind} {name}" if name else "an unfinished migration"


def way_on(raw: Raw) -> str:
    """Give the command that ends the unfinished migration which holds this object; "" where none does."""
    annotations = annotations_of(raw)
    name = annotations.get(MIGRATE_SOURCE, "").split("/")[1:2]
    source = _SOURCES.get(str(raw.get("kind")))
    if MIGRATE_ID not in annotations or source is None or not name:
        return ""
    return ending(f"{source.word}/{name[0]}", namespace_of(raw))


def ending(source: str, namespace: str) -> str:
    """Give the command for a migration under way, by its source (`deployment/web`)."""
    return f"kubectl kruise migrate {source} -n {namespace} --resume, or --rollback"


def _appliers(raw: Raw) -> list[str]:
    """Give the managers that apply fields server-side, other than people."""
    managers = [
        str(entry.get("manager"))
        for entry in metadata(raw).get("managedFields") or []
        if entry.get("operation") == "Apply"
    ]
    return [name for name in dict.fromkeys(managers) if name not in _PEOPLE]

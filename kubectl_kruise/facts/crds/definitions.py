"""Builds the CustomResourceDefinition of each Kruise kind, for a cluster with or without a conversion webhook."""

from copy import deepcopy
from functools import cache
from importlib.resources import files
from typing import Final

from kubectl_kruise.facts import kinds
from kubectl_kruise.facts.crds.columns import COLUMNS, MESSAGE, Column
from kubectl_kruise.facts.crds.notation import Schema, parse_schemas
from kubectl_kruise.facts.kinds import CRD, Kind
from kubectl_kruise.facts.names import MANAGER_NAMESPACE
from kubectl_kruise.facts.releases import Release

RELEASE_ANNOTATION = "kubectl-kruise.io/release"
"""Marks a definition as written by this tool, with the release whose schema it holds."""

CONVERTER_ANNOTATION: Final = "kubectl-kruise.io/converter"
"""Marks a definition whose objects somebody converts although no manager runs, with who does."""

CRD_KINDS: tuple[Kind, ...] = (
    kinds.ADVANCED_CRON_JOB, kinds.BROADCAST_JOB, kinds.CLONESET, kinds.CONTAINER_RECREATE_REQUEST, kinds.DAEMONSET,
    kinds.EPHEMERAL_JOB, kinds.IMAGE_LIST_PULL_JOB, kinds.IMAGE_PULL_JOB, kinds.NODE_IMAGE, kinds.NODE_POD_PROBE,
    kinds.PERSISTENT_POD_STATE, kinds.POD_PROBE_MARKER, kinds.POD_UNAVAILABLE_BUDGET, kinds.RESOURCE_DISTRIBUTION,
    kinds.SIDECAR_SET, kinds.STATEFULSET, kinds.UNITED_DEPLOYMENT, kinds.WORKLOAD_SPREAD,
)  # fmt: skip

_SHORT_NAMES = {"CloneSet": ["clone"], "StatefulSet": ["sts", "asts"], "DaemonSet": ["daemon", "ads"]}
"""Where the short names in the CRD are not those this tool resolves: `sts` means the native kind here."""

_WITH_SCALE = {kinds.CLONESET, kinds.STATEFULSET, kinds.UNITED_DEPLOYMENT}
_SCALE = {
    "specReplicasPath": ".spec.replicas",
    "statusReplicasPath": ".status.replicas",
    "labelSelectorPath": ".status.labelSelector",
}
_CONVERSION_WEBHOOK: Final = {
    "strategy": "Webhook",
    "webhook": {
        "clientConfig": {
            "service": {
                "namespace": MANAGER_NAMESPACE,
                "name": "kruise-webhook-service",
                "path": "/convert",
                "port": 443,
            }
        },
        "conversionReviewVersions": ["v1", "v1beta1"],
    },
}
_RESHAPED: Final = {(kinds.CLONESET, Release.MAIN)}
"""Kinds whose versions differ in shape, not only in fields: without a converter one version is all that can be served."""
_WITH_CONVERTER: Final = {*_RESHAPED, *((kinds.STATEFULSET, release) for release in Release)}
"""Kinds for which Kruise's webhook converts (kinds.md §1)."""


def definition(
    kind: Kind, release: Release = Release.V1_9_0, *, converted: bool = False
) -> dict[str, object]:
    """Give the CRD of a Kruise kind in a release: versions oldest first, the newest stored.

    Conversion is None, for clusters where no webhook answers; a version that None would garble is then not served.
    With `converted` somebody converts: every version is served, by a conversion webhook where the release has one
    (kinds.md §1, cloneset.md §1.1).
    """
    versions = sorted(version for owner, version in _schemas(release) if owner == kind.kind)
    reshaped = (kind, release) in _RESHAPED
    webhook = converted and (kind, release) in _WITH_CONVERTER
    names = {
        "kind": kind.kind,
        "listKind": f"{kind.kind}List",
        "plural": kind.plural,
        "singular": kind.singular,
    }
    if short := _SHORT_NAMES.get(kind.kind, list(kind.short_names)):
        names["shortNames"] = short  # type: ignore[assignment]
    return {
        "apiVersion": f"{CRD.group}/{CRD.versions[0]}",
        "kind": CRD.kind,
        "metadata": {"name": kind.resource, "annotations": {RELEASE_ANNOTATION: release.value}},
        "spec": {
            "group": kind.group,
            "names": names,
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "conversion": deepcopy(_CONVERSION_WEBHOOK) if webhook else {"strategy": "None"},
            "versions": [
                _version(
                    kind,
                    version,
                    release,
                    served=version == versions[-1] or converted or not reshaped,
                    stored=version == versions[-1],
                )
                for version in versions
            ],
        },
    }


def _version(kind: Kind, version: str, release: Release, *, served: bool, stored: bool) -> dict[str, object]:
    schema = {
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            **deepcopy(_schemas(release)[kind.kind, version]),
        },
    }
    texts = _descriptions(release)
    for path, text in [*texts.get(kind.kind, {}).items(), *texts.get(f"{kind.kind}.{version}", {}).items()]:
        _describe(schema, path, text)
    entry: dict[str, object] = {
        "name": version,
        "served": served,
        "storage": stored,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}} | ({"scale": _SCALE} if kind in _WITH_SCALE else {}),
    }
    if columns := _columns(kind, version):
        entry["additionalPrinterColumns"] = columns
    return entry


def _columns(kind: Kind, version: str) -> list[Column]:
    columns = COLUMNS.get(kind.kind, [])
    return [*columns, MESSAGE] if (kind, version) == (kinds.IMAGE_PULL_JOB, "v1alpha1") else columns


def _describe(schema: Schema, path: str, text: str) -> None:
    """Put a description where `path` leads; an older version may lack the field."""
    for step in filter(None, path.split(".")):
        if step not in schema.get("properties", {}):
            return
        schema = schema["properties"][step]
    schema["description"] = text


@cache
def _descriptions(release: Release) -> dict[str, dict[str, str]]:
    """Give kind, or kind and version, → path → text; the path "" is the kind itself."""
    found: dict[str, dict[str, str]] = {}
    for line in _read("descriptions", release).splitlines():
        head, colon, text = line.partition(": ")
        if colon and not line.startswith("#"):
            kind, _, path = head.partition(" ")
            found.setdefault(kind, {})[path] = text
    return found


@cache
def _schemas(release: Release) -> dict[tuple[str, str], Schema]:
    """Read the schemas of 1.9.0; those of `main` stand behind them and take the place of the same kind and version."""
    return parse_schemas(_read("schemas", release))


def _read(name: str, release: Release) -> str:
    """Read the data of 1.9.0, and behind it that of `main` where this is the release."""
    names = (f"{name}.txt", f"{name}_main.txt") if release is Release.MAIN else (f"{name}.txt",)
    return "\n".join(files(__package__).joinpath(file).read_text("utf-8") for file in names)

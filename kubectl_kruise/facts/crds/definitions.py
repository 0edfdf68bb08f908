"""Builds the CustomResourceDefinition of each Kruise kind as `install crds` writes it."""

from copy import deepcopy
from functools import cache
from importlib.resources import files

from kubectl_kruise.facts import kinds
from kubectl_kruise.facts.crds.columns import COLUMNS, MESSAGE, Column
from kubectl_kruise.facts.crds.notation import Schema, parse_schemas
from kubectl_kruise.facts.kinds import CRD, Kind

RELEASE = "1.9.0"
RELEASE_ANNOTATION = "kubectl-kruise.io/release"
"""Marks a definition as written by this tool, with the release whose schema it holds."""

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


def definition(kind: Kind) -> dict[str, object]:
    """Give the CRD of a Kruise kind: versions oldest first, the newest stored, conversion None."""
    served = sorted(version for owner, version in _schemas() if owner == kind.kind)
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
        "metadata": {"name": kind.resource, "annotations": {RELEASE_ANNOTATION: RELEASE}},
        "spec": {
            "group": kind.group,
            "names": names,
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "conversion": {"strategy": "None"},
            "versions": [_version(kind, version, stored=version == served[-1]) for version in served],
        },
    }


def _version(kind: Kind, version: str, *, stored: bool) -> dict[str, object]:
    schema = {
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            **deepcopy(_schemas()[kind.kind, version]),
        },
    }
    for path, text in _descriptions().get(kind.kind, {}).items():
        _describe(schema, path, text)
    entry: dict[str, object] = {
        "name": version,
        "served": True,
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
def _descriptions() -> dict[str, dict[str, str]]:
    """Give kind → path → text; the path "" is the kind itself."""
    found: dict[str, dict[str, str]] = {}
    for line in files(__package__).joinpath("descriptions.txt").read_text("utf-8").splitlines():
        head, colon, text = line.partition(": ")
        if colon and not line.startswith("#"):
            kind, _, path = head.partition(" ")
            found.setdefault(kind, {})[path] = text
    return found


@cache
def _schemas() -> dict[tuple[str, str], Schema]:
    return parse_schemas(files(__package__).joinpath("schemas.txt").read_text("utf-8"))

"""Write the structural table of the native kinds from a running API server and the Go types behind it.

    python scripts/native_schema/build.py [--kubeconfig FILE]

The server's OpenAPI v3 documents give structure, list types and patch strategies; `main.go` (same version of the
Go types) gives what encoding prints for zero values, which no document says. Texts meant for people are left out.
The table is checked in as package data; run this again to follow a newer Kubernetes.
"""

import argparse
import gzip
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "kubectl_kruise" / "sandbox" / "native" / "data" / "structure.json.gz"
REF = "#/components/schemas/"

SERVED = {
    "api/v1": "pods services configmaps secrets serviceaccounts namespaces nodes events endpoints"
    " persistentvolumeclaims persistentvolumes podtemplates replicationcontrollers limitranges resourcequotas",
    "apis/apps/v1": "deployments replicasets statefulsets daemonsets controllerrevisions",
    "apis/batch/v1": "jobs cronjobs",
    "apis/autoscaling/v2": "horizontalpodautoscalers",
    "apis/autoscaling/v1": "horizontalpodautoscalers",
    "apis/policy/v1": "poddisruptionbudgets",
    "apis/coordination.k8s.io/v1": "leases",
    "apis/discovery.k8s.io/v1": "endpointslices",
    "apis/events.k8s.io/v1": "events",
    "apis/networking.k8s.io/v1": "ingresses ingressclasses networkpolicies",
    "apis/rbac.authorization.k8s.io/v1": "roles rolebindings clusterroles clusterrolebindings",
    "apis/scheduling.k8s.io/v1": "priorityclasses",
    "apis/storage.k8s.io/v1": "storageclasses",
    "apis/admissionregistration.k8s.io/v1": "mutatingwebhookconfigurations validatingwebhookconfigurations",
    "apis/apiextensions.k8s.io/v1": "customresourcedefinitions",
}
EXTRA = ("io.k8s.api.autoscaling.v1.Scale", "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions")


def fetch(key: str, kubeconfig: str) -> dict[str, Any]:
    done = subprocess.run(
        ["kubectl", "get", "--raw", f"/openapi/v3/{key}"],
        env={**os.environ, "KUBECONFIG": kubeconfig}, capture_output=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def zero_values() -> dict[str, Any]:
    """Run the Go program in a folder of its own, so that its sums and caches stay out of the tree."""
    with tempfile.TemporaryDirectory() as work:
        for name in ("main.go", "go.mod"):
            (Path(work) / name).write_bytes((HERE / name).read_bytes())
        environment = {**os.environ, "GOFLAGS": "-mod=mod"}
        done = subprocess.run(["go", "run", "."], cwd=work, env=environment, capture_output=True, check=True)
    return json.loads(done.stdout)


def stripped(schema: Any) -> Any:
    """Drop texts; `allOf` with one reference becomes the plain reference."""
    if isinstance(schema, list):
        return [stripped(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: stripped(value) for key, value in schema.items() if not _is_text(key, value)}
    if isinstance(kept.get("allOf"), list) and len(kept["allOf"]) == 1:
        kept.update(kept.pop("allOf")[0])
    return kept


def _is_text(key: str, value: Any) -> bool:
    return (key == "description" and isinstance(value, str)) or key == "externalDocs"


def references(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return set().union(*map(references, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    own = {schema["$ref"].removeprefix(REF)} if isinstance(schema.get("$ref"), str) else set()
    return own.union(*map(references, schema.values())) if schema else own


def kinds_of(key: str, document: dict[str, Any]) -> dict[str, str]:
    """Give the definition of each served kind of a group version, by `apiVersion Kind`."""
    found = {}
    for plural in SERVED[key].split():
        cluster, spaced = f"/{key}/{plural}/{{name}}", f"/{key}/namespaces/{{namespace}}/{plural}/{{name}}"
        operation = document["paths"].get(spaced, document["paths"].get(cluster))["get"]
        schema = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        kind = operation["x-kubernetes-group-version-kind"]["kind"]
        found[f"{key.partition('/')[2]} {kind}"] = schema.removeprefix(REF)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kubeconfig", default=os.environ.get("KUBECONFIG", ""))
    kubeconfig = parser.parse_args().kubeconfig
    schemas: dict[str, Any] = {}
    kinds: dict[str, str] = {}
    for key in SERVED:
        document = fetch(key, kubeconfig)
        schemas.update(document["components"]["schemas"])
        kinds |= kinds_of(key, document)
    schemas = {name: stripped(schema) for name, schema in schemas.items()}
    wanted, queue = set(), [*EXTRA, *kinds.values()]
    while queue:
        name = queue.pop()
        if name not in wanted:
            wanted.add(name)
            queue += references(schemas[name])
    zero = zero_values()
    for name in wanted:
        schemas[name].pop("x-kubernetes-group-version-kind", None)  # written anew per document
    table = {
        "kinds": kinds,
        "schemas": {name: schemas[name] for name in sorted(wanted)},
        "zero": {name: zero[name] for name in sorted(wanted) if zero.get(name)},
    }
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    raw = json.dumps(table, separators=(",", ":"), sort_keys=True).encode()
    TARGET.write_bytes(gzip.compress(raw, 9, mtime=0))
    print(f"{TARGET}: {len(kinds)} kinds, {len(wanted)} definitions, {len(raw)} bytes plain")


if __name__ == "__main__":
    main()

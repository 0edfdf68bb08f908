"""Advanced StatefulSets named in v1alpha1: read and written in v1beta1, with a warning (advanced-statefulset.md K-2; fault B170)."""

import json
from typing import Any

import pytest

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.facts.kinds import CRD, STATEFULSET
from tests.verbs.conftest import Shell

SAID = (
    "Warning: {} is named in v1alpha1, which hides some of its fields: it is read and written in v1beta1 "
    "(kubectl kruise convert rewrites manifests)\n"
)
ONE, ALL = "statefulset.apps.kruise.io/web", "statefulsets.apps.kruise.io"
RESERVED = "-o jsonpath={.spec.reserveOrdinals}"


def manifest(version: str) -> dict[str, Any]:
    return {
        "apiVersion": f"apps.kruise.io/{version}",
        "kind": "StatefulSet",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "app", "image": "shop/web:1"}]},
            },
        },
    }


@pytest.fixture
def reserved(shell: Shell) -> Shell:
    obj = manifest("v1beta1")
    obj["spec"]["reserveOrdinals"] = [1]
    shell.admin.create(STATEFULSET.path("shop"), obj)
    return shell


@pytest.mark.parametrize(
    ("words", "named", "piped"),
    [
        ("statefulset.v1alpha1.apps.kruise.io/web", ONE, ""),
        ("-f -", ONE, json.dumps(manifest("v1alpha1"))),
        ("statefulsets.v1alpha1.apps.kruise.io", ALL, ""),
    ],
    ids=["a name", "a manifest", "all of them"],
)
def test_it_is_read_in_the_newer_version(reserved: Shell, words: str, named: str, piped: str) -> None:
    path = "{.items[*].spec.reserveOrdinals}" if named == ALL else "{.spec.reserveOrdinals}"

    reserved.check(f"get {words} -o jsonpath={path}", 0, "[1]", SAID.format(named), piped=piped)


def test_the_newer_version_needs_no_warning(reserved: Shell) -> None:
    reserved.check(f"get -f - {RESERVED}", 0, "[1]", "", piped=json.dumps(manifest("v1beta1")))


def test_a_server_that_has_the_older_one_only(shell: Shell) -> None:
    path = CRD.path("", STATEFULSET.resource)
    crd = shell.admin.get(path)
    crd["spec"]["versions"] = [{**crd["spec"]["versions"][0], "storage": True}]
    shell.admin.delete(path)
    shell.admin.create(CRD.path(), {**crd, "metadata": {"name": STATEFULSET.resource}})
    shell.admin.create(STATEFULSET.path("shop", version="v1alpha1"), manifest("v1alpha1"))

    said = "Warning: the server has Advanced StatefulSets in v1alpha1 only, without some of their fields\n"
    shell.check("get asts/web -o name", 0, f"{ONE}\n", said)


def test_an_object_that_was_written_last_in_the_older_one(shell: Shell) -> None:
    """K-2: whoever writes so erases; what this tool has written itself is in the newer version."""
    shell.admin.create(STATEFULSET.path("shop", version="v1alpha1"), manifest("v1alpha1"))
    said = (
        "Warning: statefulset.apps.kruise.io/web was written last by kubectl-kruise in v1alpha1, which erases what only "
        "v1beta1 can say (kubectl kruise convert rewrites manifests)\n"
    )
    shell.check("get asts/web -o name", 0, f"{ONE}\n", said)
    shell.check("get asts -o name", 0, f"{ONE}\n", "")

    shell.clock.advance(1)
    patch = Patch(PatchType.MERGE, {"spec": {"replicas": 4}})
    shell.admin.patch(STATEFULSET.path("shop", "web"), patch)
    shell.check("get asts/web -o name", 0, f"{ONE}\n", "")

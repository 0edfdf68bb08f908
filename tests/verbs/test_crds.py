import json
from typing import Any

import pytest
import yaml

from kubectl_kruise.cluster.port import Patch, PatchType, Request
from kubectl_kruise.facts.crds.definitions import CRD_KINDS, RELEASE_ANNOTATION
from kubectl_kruise.facts.kinds import CRD, LEASE
from kubectl_kruise.objects.notation.timestamp import rfc3339
from tests.verbs.conftest import Shell

CLONESETS = "customresourcedefinition.apiextensions.k8s.io/clonesets.apps.kruise.io"


def crd(shell: Shell, name: str = "clonesets.apps.kruise.io") -> dict[str, Any]:
    return shell.admin.get(CRD.path(name=name))


def remove_all(shell: Shell) -> None:
    for kind in CRD_KINDS:
        shell.admin.delete(CRD.path(name=kind.resource))
    names = [item["metadata"]["name"] for item in shell.admin.list(CRD.path())["items"]]
    assert names == []


def annotate(shell: Shell, **annotations: str) -> None:
    body = {
        "metadata": {"annotations": {key.replace("__", "/"): value for key, value in annotations.items()}}
    }
    shell.admin.patch(CRD.path(name="clonesets.apps.kruise.io"), Patch(PatchType.MERGE, body))


def make_older(shell: Shell) -> None:
    patch = {"metadata": {"annotations": {RELEASE_ANNOTATION: "1.8.0"}}}
    shell.admin.patch(CRD.path(name="clonesets.apps.kruise.io"), Patch(PatchType.MERGE, patch))


def start_manager(shell: Shell, *, renewed: float) -> None:
    shell.admin.create("/api/v1/namespaces", {"metadata": {"name": "kruise-system"}})
    spec = {
        "holderIdentity": "manager-0",
        "leaseDurationSeconds": 15,
        "renewTime": rfc3339(shell.clock.time() - renewed).replace("Z", ".000000Z"),
    }
    shell.admin.create(LEASE.path("kruise-system"), {"metadata": {"name": "kruise-manager"}, "spec": spec})


def test_installing_again_changes_nothing(shell: Shell) -> None:
    shell.check("install crds cloneset", 0, f"{CLONESETS} unchanged\n", "")

    assert shell.writes == []


def test_what_is_missing_is_created_and_served_afterwards(shell: Shell) -> None:
    remove_all(shell)

    shell.check("install crds clone asts", 0, stderr="")

    assert {item["metadata"]["name"] for item in shell.admin.list(CRD.path())["items"]} == {
        "clonesets.apps.kruise.io", "statefulsets.apps.kruise.io",
    }  # fmt: skip
    shell.cloneset()


@pytest.mark.parametrize("mode", ["client", "server"])
def test_a_dry_run_installs_nothing(shell: Shell, mode: str) -> None:
    remove_all(shell)

    said = "dry run" if mode == "client" else "server dry run"
    shell.check(f"install crds clonesets --dry-run={mode}", 0, f"{CLONESETS} created ({said})\n", "")

    assert shell.admin.list(CRD.path())["items"] == []


def test_manifests_need_no_cluster(shell: Shell) -> None:
    code, out, _ = shell.run(["install", "crds", "cloneset,crr", "--dry-run=client", "-o", "yaml"])

    assert (code, shell.transport.seen) == (0, [])
    assert [document["metadata"]["name"] for document in yaml.safe_load_all(out)] == [
        "clonesets.apps.kruise.io", "containerrecreaterequests.apps.kruise.io",
    ]  # fmt: skip


def test_ours_of_an_older_release_is_brought_up_to_date(shell: Shell) -> None:
    make_older(shell)

    shell.check("install crds cloneset", 0, f"{CLONESETS} configured\n", "")

    assert crd(shell)["metadata"]["annotations"][RELEASE_ANNOTATION] == "1.9.0"


def test_what_helm_owns_is_left_alone(shell: Shell) -> None:
    make_older(shell)
    annotate(shell, **{"meta.helm.sh__release-name": "kruise", "meta.helm.sh__release-namespace": "ops"})
    before = crd(shell)

    shell.check(
        "install crds cloneset", 0, f"{CLONESETS} kept\n",
        "clonesets.apps.kruise.io kept: Helm release ops/kruise owns it\n",
    )  # fmt: skip

    assert crd(shell) == before


@pytest.mark.parametrize(("renewed", "did"), [(5.0, "kept"), (60.0, "configured")], ids=["alive", "gone"])
def test_a_live_manager_owns_them(shell: Shell, renewed: float, did: str) -> None:
    make_older(shell)
    start_manager(shell, renewed=renewed)

    shell.check("install crds cloneset", 0, f"{CLONESETS} {did}\n")


def test_a_race_is_read_and_decided_again(shell: Shell) -> None:
    make_older(shell)
    raced: list[str] = []

    def meddle(request: Request) -> None:
        if request.method == "PUT" and not raced:
            raced.append(request.target)
            annotate(shell, note="somebody else was here")

    shell.transport.before = meddle

    shell.check("install crds cloneset", 0, f"{CLONESETS} configured\n")

    assert crd(shell)["metadata"]["annotations"] == {
        RELEASE_ANNOTATION: "1.9.0", "note": "somebody else was here",
    }  # fmt: skip


def test_an_unknown_kind_is_a_usage_error(shell: Shell) -> None:
    code, out, err = shell.run(["install", "crds", "widgets"])

    assert (code, out) == (2, "")
    assert err.startswith('error: "widgets" is no kind of Kruise\n')
    assert shell.transport.seen == []


def test_uninstall_is_refused_while_objects_exist(shell: Shell) -> None:
    """fault B158"""
    shell.cloneset("a")
    shell.cloneset("b")

    code, out, err = shell.run(["uninstall", "crds"])

    assert (code, out) == (3, "")
    assert "objects exist (clonesets 2)" in err
    assert shell.writes == []


def test_uninstall_removes_what_nobody_uses(shell: Shell) -> None:
    shell.cloneset()

    shell.check(
        "uninstall crds crr", 0,
        "customresourcedefinition.apiextensions.k8s.io/containerrecreaterequests.apps.kruise.io deleted\n", "",
    )  # fmt: skip

    (request,) = shell.writes
    guard = json.loads(request.body or b"")["preconditions"]
    assert set(guard) == {"uid", "resourceVersion"}


def test_a_dry_run_of_uninstall_removes_nothing(shell: Shell) -> None:
    shell.check("uninstall crds cs --dry-run", 0, f"{CLONESETS} deleted (server dry run)\n", "")

    assert crd(shell)


def test_uninstalling_twice_says_so(shell: Shell) -> None:
    shell.check("uninstall crds cs", 0)

    shell.check("uninstall crds cs", 0, f"{CLONESETS} not installed\n", "")


def test_a_person_is_asked_first(shell: Shell) -> None:
    code, _, err = shell.run(["uninstall", "crds", "cs"], stdin="n\n")

    assert code == 3
    assert "nothing was changed" in err
    assert crd(shell)


def test_a_timeout_that_is_none_is_found_before_anything_is_written(shell: Shell) -> None:
    shell.check(
        "install crds --timeout soon",
        2,
        "",
        'error: --timeout: "soon" is not a duration such as 30s, 5m or 1m30s\n',
    )

    assert not shell.writes


def served(shell: Shell) -> dict[str, bool]:
    return {version["name"]: version["served"] for version in crd(shell)["spec"]["versions"]}


def test_the_main_branch_without_a_converter_serves_the_stored_version_alone(shell: Shell) -> None:
    shell.check("install crds cloneset --kruise-version main", 0, f"{CLONESETS} configured\n", "")
    shell.check("install crds cloneset --kruise-version main", 0, f"{CLONESETS} unchanged\n", "")

    assert served(shell) == {"v1alpha1": False, "v1beta1": True}
    shell.check("get cs", 0)


def test_clonesets_stored_as_v1alpha1_keep_their_definition(shell: Shell) -> None:
    """fault B160"""
    shell.cloneset()

    code, out, err = shell.run(["install", "crds", "cloneset", "--kruise-version", "main"])

    assert (code, out) == (0, f"{CLONESETS} kept\n")
    assert "its objects are stored as v1alpha1" in err
    assert served(shell) == {"v1alpha1": True}


def test_a_definition_whose_objects_the_sandbox_converts_is_kept(shell: Shell) -> None:
    """fault B160: without a converter conversion is None, but here somebody answers."""
    name = "customresourcedefinition.apiextensions.k8s.io/statefulsets.apps.kruise.io"
    said = "statefulsets.apps.kruise.io kept: the sandbox converts its objects between its versions\n"

    shell.check("install crds statefulsets", 0, f"{name} kept\n", said)
    shell.check("uninstall crds statefulsets", 0, f"{name} deleted\n", "")
    shell.check("install crds statefulsets", 0, f"{name} created\n", "")

from pathlib import Path

import pytest
import yaml

from kubectl_kruise.cluster.port import Patch, PatchType, Request
from kubectl_kruise.facts.kinds import CLONESET, CRD, DEPLOYMENT
from tests.verbs.conftest import Shell

WEB = "cloneset.apps.kruise.io/web"
PLAN = """\
Plan: pause cloneset.apps.kruise.io/web                              context sandbox, namespace shop

  ~ CloneSet web
      spec.updateStrategy.paused
        + true

Plan: 1 to change, 0 to create, 0 to delete.
"""


@pytest.mark.parametrize(
    "words",
    ["cloneset/web", "cloneset web", "clonesets.apps.kruise.io/web", "cs/web", "CloneSet/web", "clone web", "web",
     "clonesets.v1alpha1.apps.kruise.io/web", "clonesets -l app=web", "clonesets --all",
     "cs,deploy -l app=web"],
)  # fmt: skip
def test_every_spelling_of_the_object_pauses_it(shell: Shell, words: str) -> None:
    shell.cloneset()

    shell.check(f"rollout pause {words}", 0, f"{WEB} paused\n", "")

    assert shell.get("web")["spec"]["updateStrategy"]["paused"] is True


def test_pause_is_one_read_and_one_small_write(shell: Shell) -> None:
    made = shell.cloneset()

    shell.check("rollout pause cloneset/web", 0)

    assert [request.method for request in shell.transport.seen] == ["GET", "PATCH"]
    assert shell.body() == [
        {"op": "test", "path": "/metadata/uid", "value": made["metadata"]["uid"]},
        {"op": "add", "path": "/spec/updateStrategy/paused", "value": True},
    ]


def test_resume_undoes_it_for_deployments_too(shell: Shell) -> None:
    shell.deployment(paused=True)

    shell.check("rollout resume deploy/web", 0, "deployment.apps/web resumed\n", "")

    assert not shell.get("web", DEPLOYMENT)["spec"].get("paused")


def test_repeating_is_unchanged_and_writes_nothing(shell: Shell) -> None:  # cli.md B14b
    shell.cloneset(updateStrategy={"paused": True})

    shell.check("rollout pause cs/web", 0, f"{WEB} unchanged\n", 'cloneset "web": already paused\n')
    shell.check(
        "rollout pause cs/web --strict", 3, "", 'error: cannot pause cloneset "web": already paused\n'
    )

    assert not shell.writes


def test_a_bare_dry_run_lets_the_server_judge_and_stores_nothing(shell: Shell) -> None:
    shell.cloneset()

    shell.check(
        "rollout pause --dry-run cs/web",
        0,
        f"{WEB} paused (server dry run)\n",
        PLAN + "Server accepted the dry run. Apply without --dry-run.\n",
    )

    assert [request.target.partition("?")[2] for request in shell.writes] == [
        "fieldManager=kubectl-kruise&dryRun=All"
    ]
    assert "paused" not in shell.get("web")["spec"]["updateStrategy"]


def test_a_client_side_dry_run_sends_nothing(shell: Shell) -> None:
    shell.cloneset()

    shell.check(
        "rollout pause cs/web --dry-run=client",
        0,
        f"{WEB} paused (dry run)\n",
        PLAN + "Nothing was sent to the server. Apply without --dry-run.\n",
    )
    assert not shell.writes

    shell.check(
        ["rollout", "pause", "cs/web", "--dry-run=client", "-o", "jsonpath={.spec.updateStrategy.paused}"],
        0,
        "true",
        "",
    )


def test_output_formats_print_the_object_alone(shell: Shell) -> None:
    shell.cloneset()

    shell.check("rollout pause cs/web -o name", 0, f"{WEB}\n", "")
    shell.check("rollout resume cs/web -o=xml", 2, "", 'error: unknown output format "xml"\n'
                "  hint: one of json, yaml, name, jsonpath=TEMPLATE\n")  # fmt: skip
    code, out, _ = shell.run(["rollout", "resume", "cs/web", "-oyaml"])
    assert code == 0
    assert out.startswith("apiVersion: apps.kruise.io/v1alpha1\nkind: CloneSet\n")
    assert "managedFields" not in out


def test_all_objects_are_changed_not_only_the_first(shell: Shell) -> None:  # cli.md B13, B32a
    shell.cloneset("a")
    shell.cloneset("b")

    shell.check(
        "rollout pause cs a b", 0, "cloneset.apps.kruise.io/a paused\ncloneset.apps.kruise.io/b paused\n", ""
    )


def test_several_objects_are_documents_of_their_own(shell: Shell) -> None:
    shell.cloneset("a")
    shell.cloneset("b")

    _, out, _ = shell.run(["rollout", "pause", "cs", "a", "b", "-o", "yaml"])

    assert [document["metadata"]["name"] for document in yaml.safe_load_all(out)] == ["a", "b"]


def test_one_missing_object_stops_all_before_anything_is_written(shell: Shell) -> None:
    shell.cloneset("a")

    shell.check(
        "rollout pause cs/a cs/nope",
        4,
        "",
        'error: no cloneset.apps.kruise.io "nope" in namespace "shop"\n'
        "  hint: kubectl get clonesets.apps.kruise.io -n shop\n",
    )

    assert not shell.writes


def test_a_person_is_asked_before_several_objects_change(shell: Shell) -> None:  # cli.md §3.8
    shell.cloneset("a")
    shell.cloneset("b")
    asked = "pause cloneset.apps.kruise.io/a, cloneset.apps.kruise.io/b\ncontext sandbox, namespace shop. Go on? [y/N] "

    shell.check(
        "rollout pause cs a b", 3, "", f"{asked}error: not confirmed, nothing was changed\n", stdin="n\n"
    )
    assert not shell.writes
    shell.check("rollout pause cs a b --yes", 0, stderr="", stdin="")


def test_preconditions_refuse_before_anything_is_written(shell: Shell) -> None:
    made = shell.cloneset()
    version = made["metadata"]["resourceVersion"]

    shell.check(
        "rollout pause cs/web --resource-version 1",
        3,
        "",
        f'error: cannot pause cloneset "web": it has resourceVersion {version}, not 1\n',
    )
    shell.check(f"rollout pause cs/web --resource-version {version}", 0, f"{WEB} paused\n", "")


def test_an_object_being_deleted_is_left_alone(shell: Shell) -> None:
    made = shell.cloneset()
    path = shell.path("web")
    shell.admin.replace(path, {**made, "metadata": {**made["metadata"], "finalizers": ["example.io/hold"]}})
    shell.admin.delete(path)

    shell.check("rollout pause cs/web", 3, "", 'error: cannot pause cloneset "web": it is being deleted\n')


def test_what_is_no_workload_is_refused(shell: Shell) -> None:
    shell.check(
        "rollout pause pod/x",
        2,
        "",
        "error: this command does not work on pod, only on cloneset.apps.kruise.io, "
        "statefulset.apps.kruise.io, deployment.apps\n",
    )


def test_a_name_that_two_kinds_have_is_a_question_back(shell: Shell) -> None:  # cli.md §3.2
    shell.cloneset()
    shell.deployment()

    shell.check(
        "rollout pause web", 2, "",
        f'error: "web" is ambiguous\n  hint: one of {WEB}, deployment.apps/web\n',
    )  # fmt: skip


def test_a_selector_that_matches_nothing_says_so(shell: Shell) -> None:
    shell.check("rollout pause cs -l app=x", 4, "", 'error: no clonesets with app=x in namespace "shop"\n')
    shell.check(
        "rollout pause cs,deploy -l app=x",
        4,
        "",
        'error: no clonesets with app=x in namespace "shop"; no deployments with app=x in namespace "shop"\n',
    )


def test_a_race_that_never_ends_is_a_conflict(shell: Shell) -> None:
    shell.cloneset()
    patches = []

    def meddle(request: Request) -> None:
        """Let everybody else be faster: the object is another one each time."""
        if request.method == "PATCH":
            patches.append(request)
            live = shell.get("web")
            shell.admin.delete(shell.path("web"))
            del live["metadata"]["uid"], live["metadata"]["resourceVersion"]
            shell.admin.create(CLONESET.path("shop"), live)

    shell.transport.before = meddle

    code, out, err = shell.run(["rollout", "pause", "cs/web"])

    assert (code, out) == (6, "")
    assert err.startswith('error: cannot pause cloneset "web": others kept changing it\n')
    assert len(patches) == 6


def test_manifests_name_the_objects(shell: Shell, tmp_path: Path) -> None:
    shell.cloneset()
    shell.deployment()
    text = """
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: web}
---
apiVersion: v1
kind: Service
metadata: {name: web}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
"""
    file = tmp_path / "all.yaml"
    file.write_text(text)

    shell.check(
        f"rollout pause -f {file}", 0, f"{WEB} paused\ndeployment.apps/web paused\n", "skipped Service web\n"
    )
    shell.check(
        f"rollout pause -f {file} -n other",
        2,
        "",
        'error: deployment "web" is of namespace "shop", but -n says "other"\n  hint: leave -n out, or give -n shop\n',
    )


def test_what_may_be_reverted_is_warned_of_and_refused_when_strict(shell: Shell) -> None:  # cli.md row 35
    made = shell.cloneset()
    labels = {**made["metadata"]["labels"], "argocd.argoproj.io/instance": "shop-prod"}
    shell.admin.replace(shell.path("web"), {**made, "metadata": {**made["metadata"], "labels": labels}})

    shell.check(
        "rollout pause cs/web --strict",
        3,
        "",
        'error: cannot pause cloneset "web": Argo CD application shop-prod manages it and may revert this\n',
    )
    shell.check(
        "rollout pause cs/web",
        0,
        f"{WEB} paused\n",
        f"Warning: Argo CD application shop-prod manages {WEB} and may revert this\n",
    )


def test_a_write_into_a_migration_that_has_not_ended_is_warned_of(shell: Shell) -> None:
    made = shell.cloneset()
    marks = {"kruise-migrate/id": "6e1b", "kruise-migrate/source": "Deployment/web/u1"}
    shell.admin.replace(shell.path("web"), {**made, "metadata": {**made["metadata"], "annotations": marks}})
    manager = "the unfinished migration of Deployment web manages"

    shell.check(
        "rollout pause cs/web --strict",
        3,
        "",
        f'error: cannot pause cloneset "web": {manager} it and may revert this\n',
    )
    shell.check(
        "rollout pause cs/web", 0, f"{WEB} paused\n", f"Warning: {manager} {WEB} and may revert this\n"
    )


def test_a_status_writer_in_between_does_not_matter(shell: Shell) -> None:  # cli.md B21
    made = shell.cloneset()
    shell.transport.before = lambda request: (
        shell.observe(made, generation=1) if request.method == "PATCH" else None
    )

    shell.check("rollout pause cs/web", 0, f"{WEB} paused\n", "")

    assert [request.method for request in shell.transport.seen] == ["GET", "PATCH"]


def test_no_rights_name_the_verb_and_the_object(shell: Shell) -> None:
    shell.cloneset()
    shell.transport.refuse = "PATCH"

    code, out, err = shell.run(["rollout", "pause", "cs/web"])

    assert (code, out) == (5, "")
    assert err.startswith('error: cannot pause cloneset "web": not allowed to patch clonesets.apps.kruise.io')


def test_a_manifest_comes_through_stdin_as_well(shell: Shell) -> None:
    shell.cloneset()
    text = '{"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "metadata": {"name": "web"}}'

    shell.check("rollout pause -f -", 0, f"{WEB} paused\n", "", piped=text)


@pytest.mark.parametrize(
    ("text", "stderr"),
    [
        pytest.param("a: [", "error: stdin is not valid YAML\n", id="broken"),
        pytest.param(
            "spec:\n  replicas: 3\n  replicas: 5\n",
            "error: stdin says spec.replicas twice, again in line 3\n",
            id="B194 twice",
        ),
        pytest.param("just words", "error: stdin holds no Kubernetes object, but a str\n", id="no object"),
        pytest.param("kind: Service\napiVersion: v1\n", "error: no workload in -\n", id="nothing for us"),
        pytest.param(
            "kind: CloneSet\napiVersion: apps.kruise.io/v1alpha1\n",
            "error: a CloneSet in the manifest has no name\n",
            id="without a name",
        ),
    ],
)
def test_manifests_that_name_nothing_are_usage_errors(shell: Shell, text: str, stderr: str) -> None:
    code, out, err = shell.run(["rollout", "pause", "-f", "-"], piped=text)

    assert (code, out, err.splitlines(keepends=True)[0]) == (2, "", stderr)


def test_a_missing_file_is_named(shell: Shell) -> None:
    shell.check(
        "rollout pause -f /nowhere/x.yaml",
        2,
        "",
        "error: cannot read /nowhere/x.yaml\n  cause: No such file or directory\n",
    )


def test_folders_are_read_and_deeper_only_when_asked(shell: Shell, tmp_path: Path) -> None:
    shell.cloneset()
    deep = tmp_path / "deep"
    deep.mkdir()
    (deep / "web.yaml").write_text(
        "{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, metadata: {name: web}}"
    )

    shell.check(
        f"rollout pause -f {tmp_path}",
        2,
        "",
        f"error: no manifest in {tmp_path}\n  hint: -R looks into the folders below\n",
    )
    shell.check(f"rollout pause -R -f {tmp_path}", 0, f"{WEB} paused\n", "")


def test_warnings_of_the_server_can_be_errors(shell: Shell) -> None:  # cli.md B38
    shell.cloneset()
    shell.transport.warning = "apps.kruise.io/v1alpha1 CloneSet is deprecated"

    shell.check(
        "rollout pause cs/web --warnings-as-errors",
        1,
        f"{WEB} paused\n",
        f"Warning: {shell.transport.warning}\nerror: the server sent 1 warning\n",
    )


def test_line_ends_of_windows_empty_documents_and_lists_are_read(shell: Shell) -> None:  # fault B192
    shell.cloneset("a")
    shell.deployment("b")
    text = (
        "---\r\n# only a comment\r\n---\r\nkind: List\r\napiVersion: v1\r\nitems:\r\n"
        "- {kind: CloneSet, apiVersion: apps.kruise.io/v1alpha1, metadata: {name: a}}\r\n"
        "- {kind: Deployment, apiVersion: apps/v1, metadata: {name: b}}\r\n---\r\n"
    )

    shell.check(
        "rollout pause -f -",
        0,
        "cloneset.apps.kruise.io/a paused\ndeployment.apps/b paused\n",
        "",
        piped=text,
    )


def test_a_field_that_the_server_drops_is_no_success(shell: Shell) -> None:  # fault B072
    crd = shell.admin.get(CRD.path(name="clonesets.apps.kruise.io"))
    version = next(each for each in crd["spec"]["versions"] if each["name"] == "v1alpha1")
    strategy = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["updateStrategy"]
    del strategy["properties"]["paused"]
    shell.admin.replace(CRD.path(name="clonesets.apps.kruise.io"), crd)
    shell.cloneset()

    code, out, err = shell.run(["rollout", "pause", "cs/web"])

    assert (code, out) == (1, "")
    assert err.startswith(
        'Warning: unknown field "spec.updateStrategy.paused"\n'
        'error: cannot pause cloneset "web": the server accepted the write and dropped spec.updateStrategy.paused\n'
    )


def test_a_server_without_the_crd_is_told_apart_from_a_missing_object(shell: Shell) -> None:
    shell.admin.delete(CRD.path(name="clonesets.apps.kruise.io"))

    shell.check(
        "rollout pause cs/web",
        4,
        "",
        "error: the server has no resource type clonesets.apps.kruise.io\n  hint: kubectl kruise install crds\n",
    )
    shell.check("rollout pause web", 4, "", 'error: no workload "web" in namespace "shop"\n')
    shell.check(
        "rollout pause clonset",
        4,
        "",
        'error: no workload "clonset" in namespace "shop"\n  hint: did you mean the kind cloneset?\n',
    )


def test_what_another_writer_did_meanwhile_stays(shell: Shell) -> None:  # fault B080
    shell.cloneset()
    path = CLONESET.path("shop", "web")
    image = [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "shop/web:2"}]

    def meddle(request: Request) -> None:
        if request.method == "PATCH":
            shell.transport.before = lambda _: None
            shell.admin.patch(path, Patch(PatchType.JSON, image))

    shell.transport.before = meddle
    shell.check("rollout pause cs/web", 0)

    spec = shell.admin.get(path)["spec"]
    assert spec["updateStrategy"]["paused"] is True
    assert spec["template"]["spec"]["containers"][0]["image"] == "shop/web:2"

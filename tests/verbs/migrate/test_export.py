"""`migrate --dry-run=client`: manifests on stdout, everything else on stderr, nothing on the cluster (migration.md §7)."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_kruise.facts.kinds import CLONESET, CRD, DEPLOYMENT, HPA, SERVICE
from tests.verbs.conftest import Shell

MANIFEST = """\
# what the team wrote
apiVersion: v1
kind: ConfigMap
metadata:
  name: run
data:
  run.sh: |
    #!/bin/sh
    exec app
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: "app:1"}]
"""
CONVERTED = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: run
data:
  run.sh: |
    #!/bin/sh
    exec app
---
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata:
  name: web
  namespace: shop
spec:
  replicas: 1
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: main
        image: app:1
        imagePullPolicy: IfNotPresent
  minReadySeconds: 0
  revisionHistoryLimit: 10
  updateStrategy:
    type: ReCreate
    partition: 0
    maxSurge: 25%
    maxUnavailable: 25%
    paused: false
  progressDeadlineSeconds: 600
"""
REPORT = """\
deployment/web → CloneSet web
  Field report
    kept 4   changed 6   dropped 0
    ~ spec.template.spec.containers[0].imagePullPolicy: IfNotPresent, which was meant and not said
    ~ spec.replicas: 1, which was meant and not said
    ~ spec.revisionHistoryLimit: 10, which was meant and not said
    ~ spec.progressDeadlineSeconds: 600, which was meant and not said
    ~ spec.strategy.rollingUpdate.maxSurge: 25%, which was meant and not said
    ~ spec.strategy.rollingUpdate.maxUnavailable: 25%, which was meant and not said
With GitOps (Argo CD, Flux), without pods being there twice
    1  suspend the sync (Argo CD: automated sync off; Flux: flux suspend kustomization|helmrelease)
    2  kubectl kruise migrate deployment/web -n shop --rewrite-refs=all
    3  commit: the Deployment out, the CloneSet and the rewritten references in
    4  resume the sync; there is nothing left to prune
  Without access to the cluster: commit the CloneSet as well, wait until its pods are ready (twice as many for a
  while), then remove the Deployment; until then it needs argocd.argoproj.io/sync-options: Prune=false
  (kustomize.toolkit.fluxcd.io/prune: disabled). A Deployment left in Git comes back at full size.
"""


def documents(text: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(text))


def test_a_pipe_goes_through_without_any_cluster(shell: Shell) -> None:
    shell.check("migrate -f - --dry-run=client", 0, CONVERTED, REPORT, piped=MANIFEST)
    assert shell.transport.seen == []


def test_and_back_to_the_deployment_it_was(shell: Shell) -> None:
    code, out, err = shell.run(
        ["migrate", "-f", "-", "--dry-run=client", "--to", "deployment"], piped=CONVERTED
    )
    assert code == 0, err
    again = documents(out)
    assert [each["kind"] for each in again] == ["ConfigMap", "Deployment"]
    code, out, err = shell.run(["migrate", "-f", "-", "--dry-run=client"], piped=out)
    assert (code, out) == (0, CONVERTED), err


def test_several_documents_as_json_are_a_list(shell: Shell) -> None:
    code, out, _ = shell.run(["migrate", "-f", "-", "--dry-run=client", "-o", "json"], piped=MANIFEST)
    made = json.loads(out)
    assert (code, made["kind"], [each["kind"] for each in made["items"]]) == (
        0,
        "List",
        ["ConfigMap", "CloneSet"],
    )


def test_a_folder(shell: Shell, tmp_path: Path) -> None:
    for name, text in (("b.yaml", MANIFEST), ("a.yml", MANIFEST.replace("shop", "other")), ("c.txt", "x")):
        (tmp_path / name).write_text(text)
    code, out, _ = shell.run(["migrate", "-f", str(tmp_path), "--dry-run=client"])
    kinds = [(each["kind"], each["metadata"].get("namespace")) for each in documents(out)]
    assert code == 0
    assert kinds == [("ConfigMap", None), ("CloneSet", "other"), ("ConfigMap", None), ("CloneSet", "shop")]


@pytest.mark.parametrize(
    ("text", "line", "code", "said"),
    [
        pytest.param("{kind: [", "", 2, "is not valid YAML", id="not YAML"),
        pytest.param("- 1\n", "", 2, "no Kubernetes object", id="a list"),
        pytest.param("", "", 2, "no deployment and no statefulset in -", id="nothing"),
        pytest.param("kind: Pod\n", "", 2, "no deployment and no statefulset in -", id="nothing to convert"),
        pytest.param(MANIFEST, "--to daemonset", 2, "--to daemonset", id="no such way"),
        pytest.param(MANIFEST, "--to deployment", 2, "no cloneset in -", id="the other way"),
        pytest.param(MANIFEST + "---\n" + MANIFEST, "--to-name x", 2, "there are 2", id="one name for two"),
        pytest.param(
            MANIFEST.replace("labels: {app: web}", "labels: {app: api}"),
            "",
            3,
            "does not match",
            id="P-SELECTOR",
        ),
        pytest.param(
            MANIFEST.replace("spec:\n  sel", "spec:\n  minReadySeconds: 600\n  sel"),
            "",
            3,
            r"spec.progressDeadlineSeconds (600) must be greater than spec.minReadySeconds (600)",
            id="migration.md §11.1 row 8",
        ),
        pytest.param(
            CONVERTED.replace("  replicas", "  volumeClaimTemplates: [{}]\n  replicas"),
            "--to deployment",
            3,
            "volumeClaimTemplates",
            id="migration.md §11.1 row 29",
        ),
    ],
)
def test_what_cannot_be_converted_prints_nothing(
    shell: Shell, text: str, line: str, code: int, said: str
) -> None:
    got, out, err = shell.run(f"migrate -f - --dry-run=client {line}".split(), piped=text)
    assert (got, out) == (code, "")
    assert said in err


SECOND = MANIFEST.partition("---\n")[2].replace("name: web", "name: api")
LONG = "a" * 60


@pytest.mark.parametrize(
    ("text", "code", "kinds"),
    [
        pytest.param(
            MANIFEST.replace("name: web", f"name: {LONG}"), "P-NAME", 2, id="migration.md §11.2 row 32"
        ),
        pytest.param(MANIFEST + "---\n" + SECOND, "P-OVERLAP", 3, id="migration.md §11.2 row 33"),
        pytest.param(
            MANIFEST
            + "---\nkind: Service\napiVersion: v1\nmetadata: {name: s, namespace: shop}\n"
            + "spec: {selector: {app: web, pod-template-hash: abc}}\n",
            "P-HASHREF",
            3,
            id="migration.md §11.2 row 34",
        ),
        pytest.param(
            MANIFEST.replace(
                "  namespace: shop",
                "  namespace: shop\n  ownerReferences: [{kind: Shop, name: main, controller: true, uid: u}]",
            ),
            "P-OWNED",
            2,
            id="migration.md §11.2 row 35",
        ),
        pytest.param(
            MANIFEST.replace(
                "  namespace: shop",
                "  namespace: shop\n  annotations: {meta.helm.sh/release-name: r}\n"
                "  labels: {app.kubernetes.io/managed-by: Helm}",
            ),
            "P-GITOPS",
            2,
            id="migration.md §11.2 row 36",
        ),
        pytest.param(
            MANIFEST.replace(
                "  namespace: shop",
                "  namespace: shop\n  labels: {policy.kruise.io/delete-protection: Always}",
            ),
            "P-PROTECT",
            2,
            id="migration.md §11.2 row 37",
        ),
        pytest.param(
            MANIFEST.replace("spec:\n  sel", "spec:\n  podReplacementPolicy: Failed\n  sel"),
            "P-FIELDS",
            2,
            id="a field without twin",
        ),
        pytest.param(
            MANIFEST.replace("spec:\n  sel", "spec:\n  strategy: {type: Recreate}\n  sel"),
            "P-RECREATE",
            2,
            id="Recreate",
        ),
    ],
)
def test_what_a_migration_refuses_is_a_warning(shell: Shell, text: str, code: str, kinds: int) -> None:
    """migration.md §11.2 row 40."""
    got, out, err = shell.run(["migrate", "-f", "-", "--dry-run=client"], piped=text)
    assert (got, len(documents(out))) == (0, kinds), err
    assert any(line.startswith("Warning: ") and f"({code})" in line for line in err.splitlines())
    got, strict, err = shell.run(["migrate", "-f", "-", "--dry-run=client", "--strict"], piped=text)
    assert (got, strict) == (3, out)
    assert "converted with warnings" in err
    assert code in err.splitlines()[-1]


def test_live_objects_come_clean_and_with_what_names_them(shell: Shell) -> None:
    """migration.md §11.1 row 1."""
    shell.deployment(replicas=3)
    aim = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    body = {
        "metadata": {"name": "web", "annotations": {"team": "a"}},
        "spec": {"scaleTargetRef": aim, "maxReplicas": 5},
    }
    shell.admin.create(HPA.path("shop"), body)
    shell.admin.create(
        SERVICE.path("shop"),
        {"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}},
    )
    code, out, err = shell.run(["migrate", "deployment/web", "--dry-run=client", "-o", "yaml"])
    assert code == 0, err
    cloneset, autoscaler = documents(out)
    assert set(cloneset) == {"apiVersion", "kind", "metadata", "spec"}
    assert cloneset["metadata"] == {"name": "web", "namespace": "shop", "labels": {"app": "web"}}
    assert cloneset["spec"]["updateStrategy"] == {
        "type": "ReCreate",
        "partition": 0,
        "maxSurge": "25%",
        "maxUnavailable": "25%",
        "paused": False,
    }
    assert "scaleStrategy" not in cloneset["spec"]
    assert autoscaler["metadata"] == {"name": "web", "namespace": "shop", "annotations": {"team": "a"}}
    assert autoscaler["spec"]["scaleTargetRef"] == {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "name": "web",
    }
    assert "service/web: selects the pods by label: nothing to change" in err
    assert shell.writes == []


def test_a_live_release_without_deadline_gets_none(shell: Shell) -> None:
    """migration.md §11.1 row 2."""
    definition = shell.admin.get(CRD.path(name=CLONESET.resource))
    for version in definition["spec"]["versions"]:
        version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"].pop(
            "progressDeadlineSeconds", None
        )
    shell.admin.replace(CRD.path(name=CLONESET.resource), definition)
    shell.deployment()
    code, out, err = shell.run(["migrate", "deployment/web", "--dry-run=client"])
    assert code == 0, err
    assert "progressDeadlineSeconds" not in documents(out)[0]["spec"]
    assert "spec.progressDeadlineSeconds: this release of Kruise has no such field" in err


def test_a_name_that_is_taken_is_a_warning(shell: Shell) -> None:
    shell.deployment()
    shell.cloneset()
    code, _, err = shell.run(["migrate", "deployment/web", "--dry-run=client"])
    assert code == 0
    assert "there is a CloneSet web already (P-EXISTS)" in err


def test_a_live_cloneset_becomes_a_deployment(shell: Shell) -> None:
    shell.cloneset()
    code, out, err = shell.run(
        ["migrate", "cloneset/web", "--to", "deployment", "--dry-run=client", "-o", "json"]
    )
    made = json.loads(out)
    assert (code, made["apiVersion"], made["kind"]) == (0, "apps/v1", "Deployment"), err
    assert DEPLOYMENT.kind == made["kind"]
    assert "status" not in made


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("a: &a [*a]\n", "a[0] holds itself, by a reference", id="a list in itself"),
        pytest.param("metadata: &m {labels: *m}\n", "metadata.labels holds itself", id="a map in itself"),
        pytest.param(
            "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
            + "".join(f"a{n}: &a{n} [{','.join(9 * [f'*a{n - 1}'])}]\n" for n in range(1, 12)),
            "grows too large by its references",
            id="references to references",
        ),
    ],
)
def test_references_without_end_are_refused(shell: Shell, text: str, said: str) -> None:
    code, out, err = shell.run(["migrate", "-f", "-", "--dry-run=client"], piped=text)
    assert (code, out) == (2, "")
    assert said in err


ODD = """\
# only a comment
---
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: &name odd
  labels: &labels {app: *name, build: "1234e56", ticket: "0042"}
spec:
  selector: {matchLabels: {app: odd}}
  template:
    metadata:
      labels: {<<: *labels, track: stable}
      creationTimestamp: null
    spec:
      hostUsers: false
      futureKnob: 1
      resourceClaims: [{name: gpu}]
      initContainers:
      - {name: proxy, image: "proxy:1", imagePullPolicy: IfNotPresent, restartPolicy: Always}
      containers:
      - &base
        name: a
        image: app:1
        imagePullPolicy: IfNotPresent
        resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]
        args: ["-c", "one\\n  two\\n"]
      - {<<: *base, name: b}
---
"""


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["unix", "windows"])
def test_no_field_of_a_template_is_lost_and_nothing_stays_a_reference(shell: Shell, ends: str) -> None:
    """Fault B025."""
    text = ODD.replace("\n", ends)
    code, out, err = shell.run(["migrate", "-f", "-", "--dry-run=client"], piped=text)
    assert code == 0, err
    (made,) = documents(out)
    (source,) = [each for each in documents(ODD) if each]
    assert made["spec"]["template"] == source["spec"]["template"]
    assert made["metadata"]["labels"] == {"app": "odd", "build": "1234e56", "ticket": "0042"}
    assert [mark for mark in ("&", "*", "<<") if mark in out] == []
    assert '"1234e56"' in out
    assert "- |" in out


def test_several_workloads_and_namespaces_keep_to_themselves(shell: Shell) -> None:
    autoscaler = """\
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: other}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, maxReplicas: 3}
"""
    workload = MANIFEST.partition("---\n")[2]
    text = workload + autoscaler
    _, out, err = shell.run(["migrate", "-f", "-", "--dry-run=client"], piped=text)
    assert documents(out)[1] == documents(autoscaler)[0]
    _, out, err = shell.run(["migrate", "-f", "-", "--dry-run=client"], piped=text.replace("shop", "other"))
    assert documents(out)[1]["spec"]["scaleTargetRef"] == {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "name": "web",
    }
    assert "~ horizontalpodautoscaler/web: points at CloneSet web now" in err


def test_what_v1alpha1_of_a_set_does_not_have_comes_into_force_nowhere(shell: Shell) -> None:
    spec = {
        "replicas": 2,
        "serviceName": "db",
        "reserveOrdinals": [0],
        "ordinals": {"start": 3},
        "scaleStrategy": {"maxUnavailable": 1},
        "selector": {"matchLabels": {"app": "db"}},
        "template": {
            "metadata": {"labels": {"app": "db"}},
            "spec": {"containers": [{"name": "main", "image": "db:1"}]},
        },
    }
    typed = {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "StatefulSet"}
    old = {**typed, "metadata": {"name": "db", "namespace": "shop"}, "spec": spec}
    code, out, err = shell.run(
        ["migrate", "-f", "-", "--dry-run=client", "--to", "statefulset"], piped=json.dumps(old)
    )
    assert code == 0, err
    (made,) = documents(out)
    assert made["apiVersion"] == "apps/v1"
    assert "ordinals" not in made["spec"]
    for path in ("spec.reserveOrdinals", "spec.ordinals", "spec.scaleStrategy"):
        assert f"    - {path}: v1alpha1 has no such field, so no server took it\n" in err

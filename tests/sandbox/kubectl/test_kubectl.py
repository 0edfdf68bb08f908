"""Real kubectl works against the sandbox, over TLS with its token (sandbox-apiserver.md §25, AT1)."""

import json
import subprocess

import pytest

from tests.sandbox.process import KUBECTL, Cluster

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl here")

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: "nginx:1"}]
"""
SETTINGS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: web}}
data: {level: info}
"""
CLONES = """
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: clones}
spec:
  replicas: 1
  selector: {matchLabels: {app: clones}}
  template:
    metadata: {labels: {app: clones}}
    spec:
      containers: [{name: main, image: "nginx:1"}]
"""

APPLIED, SAME, CREATED, REPLACED, LABELLED, ANNOTATED, JSON_PATCHED, DELETED = CONFIGS = (
    "applied", "same", "created", "replaced", "labelled", "annotated", "json-patched", "deleted",
)  # fmt: skip
"""What each of the writes works on: none depends on another one."""
DEPLOYMENTS = ("patched", "scaled", "rolled", "undone", "emptied", "removed")


def settings(name, level="info"):
    return SETTINGS.replace("settings", name).replace("app: web", f"app: {name}").replace("info", level)


def deployment(name):
    return WEB.replace("web", name).replace("replicas: 2", "replicas: 1")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    running = Cluster(tmp_path_factory.mktemp("sandbox"))
    written = [settings(name) for name in CONFIGS if name != CREATED] + [*map(deployment, DEPLOYMENTS)]
    written.append(CLONES.replace("clones", "grown"))
    for manifest in (WEB, SETTINGS, CLONES, "---".join(written)):
        assert running.kubectl("apply", "-f", "-", given=manifest).code == 0
    assert running.kubectl("rollout", "status", "deployment/web", "--timeout=20s").code == 0
    assert (
        running.kubectl(
            "wait", "--for=jsonpath={.status.readyReplicas}=1", "clone/clones", "--timeout=20s"
        ).code
        == 0
    )
    yield running
    running.close()


READS = {
    "version": (["version"], "Server Version: v1.36.0+kruise-sandbox"),
    "api-resources": (["api-resources"], "clonesets"),
    "api-resources of a group": (["api-resources", "--api-group=apps.kruise.io", "-o", "name"], "clonesets.apps.kruise.io"),
    "api-versions": (["api-versions"], "apps.kruise.io/v1alpha1"),
    "get table": (["get", "deployments", "-l", "app=web"], "web    2/2     2            2"),
    "get by short name": (["get", "deploy,cm", "-l", "app=web", "-o", "name"], "deployment.apps/web\nconfigmap/settings\n"),
    "get wide": (["get", "pods", "-o", "wide", "-l", "app=web"], "sandbox-node-"),
    "get all": (["get", "all"], "deployment.apps/web"),
    "get yaml": (["get", "cm", "settings", "-o", "yaml"], "  level: info"),
    "get jsonpath": (["get", "deploy", "web", "-o", "jsonpath={.status.readyReplicas}"], "2"),
    "get custom columns": (["get", "cm", "settings", "-o", "custom-columns=L:.data.level"], "L\ninfo\n"),
    "get sorted": (["get", "pods", "--sort-by=.metadata.name"], "Running"),
    "get with label columns": (["get", "cm", "settings", "-L", "app"], "APP"),
    "get in all namespaces": (["get", "ns,cm", "-A"], "kube-root-ca.crt"),
    "get by field": (["get", "pods", "--field-selector=status.phase=Running", "-o", "name"], "pod/web-"),
    "get in chunks": (["get", "pods", "-A", "--chunk-size=1", "-o", "name"], "pod/web-"),
    "get a subresource": (["get", "deploy", "web", "--subresource=scale", "-o", "jsonpath={.spec.replicas}"], "2"),
    "get raw": (["get", "--raw", "/healthz"], "ok"),
    "get custom table": (["get", "clonesets"], "DESIRED"),
    "describe a deployment": (["describe", "deploy", "web"], "Scaled up replica set"),
    "describe a pod": (["describe", "pod", "-l", "app=clones"], "Successfully assigned"),
    "describe a node": (["describe", "node", "sandbox-node-0"], "Ready"),
    "describe a cloneset": (["describe", "cloneset", "clones"], "Ready Replicas"),
    "explain": (["explain", "deployment.spec.replicas"], "FIELD: replicas <integer>"),
    "explain a custom kind": (["explain", "cloneset.spec.updateStrategy"], "partition"),
    "events": (["events"], "ScalingReplicaSet"),
    "get events": (["get", "events"], "SuccessfulCreate"),
    "rollout history": (["rollout", "history", "deployment/web"], "REVISION"),
    "diff of what is there": (["diff", "-f", "-"], ""),
    "wait": (["wait", "--for=condition=Available", "deploy/web", "--timeout=5s"], "condition met"),
    "dry run": (["create", "-f", "-", "--dry-run=server"], "configmap/settings2 created (server dry run)"),
}  # fmt: skip
GIVEN = {"diff of what is there": SETTINGS, "dry run": SETTINGS.replace("name: settings", "name: settings2")}


@pytest.mark.parametrize("name", READS)
def test_kubectl_reads(cluster, name):
    arguments, fragment = READS[name]
    done = cluster.kubectl(*arguments, given=GIVEN.get(name, ""))

    assert (done.code, done.err) == (0, "")
    assert fragment in done.out


WRITES = {
    "apply changes one field": (
        ["apply", "-f", "-"], settings(APPLIED, "debug"), f"configmap/{APPLIED} configured",
        ["get", "cm", APPLIED, "-o", "jsonpath={.data.level}"], "debug",
    ),
    "apply again changes nothing": (["apply", "-f", "-"], settings(SAME), "unchanged", None, ""),
    "create, then it is there": (
        ["create", "-f", "-"], settings(CREATED), f"configmap/{CREATED} created",
        ["get", "cm", CREATED, "-o", "name"], f"configmap/{CREATED}",
    ),
    "replace": (
        ["replace", "-f", "-"], settings(REPLACED, "warn"), "replaced",
        ["get", "cm", REPLACED, "-o", "jsonpath={.data.level}"], "warn",
    ),
    "label": (
        ["label", "cm", LABELLED, "tier=x"], "", "labeled", ["get", "cm", "-l", "tier=x", "-o", "name"], LABELLED,
    ),
    "annotate": (
        ["annotate", "cm", ANNOTATED, "note=y"], "", "annotated",
        ["get", "cm", ANNOTATED, "-o", "jsonpath={.metadata.annotations.note}"], "y",
    ),
    "strategic patch": (
        ["patch", "deploy", "patched", "-p", '{"spec":{"template":{"spec":{"containers":[{"name":"main","tty":true}]}}}}'],
        "", "patched", ["get", "deploy", "patched", "-o", "jsonpath={..containers[0].image}"], "nginx:1",
    ),
    "merge patch of a custom kind": (
        ["patch", "clone", "clones", "--type=merge", "-p", '{"spec":{"minReadySeconds":1}}'], "", "patched",
        ["get", "clone", "clones", "-o", "jsonpath={.spec.minReadySeconds}"], "1",
    ),
    "JSON patch": (
        ["patch", "cm", JSON_PATCHED, "--type=json", "-p", '[{"op":"add","path":"/data/more","value":"z"}]'], "",
        "patched", ["get", "cm", JSON_PATCHED, "-o", "jsonpath={.data.more}"], "z",
    ),
    "scale": (
        ["scale", "deploy/scaled", "--replicas=3"], "", "scaled",
        ["wait", "--for=jsonpath={.status.readyReplicas}=3", "deploy/scaled", "--timeout=20s"], "condition met",
    ),
    "scale a custom kind": (
        ["scale", "clone/grown", "--replicas=2"], "", "scaled",
        ["wait", "--for=jsonpath={.status.readyReplicas}=2", "clone/grown", "--timeout=20s"], "condition met",
    ),
    "a new image rolls out": (
        ["set", "image", "deploy/rolled", "main=nginx:2"], "", "image updated",
        ["rollout", "status", "deploy/rolled", "--timeout=30s"], "successfully rolled out",
    ),
    "cordon": (["cordon", "sandbox-node-0"], "", "cordoned", ["get", "nodes"], "SchedulingDisabled"),
    "delete waits until it is gone": (
        ["delete", "cm", DELETED], "", "deleted", ["get", "cm", DELETED, "--ignore-not-found"], "",
    ),
    "delete by selector": (
        ["delete", "pods", "-l", "app=emptied", "--now"], "", "deleted",
        ["wait", "--for=jsonpath={.status.readyReplicas}=1", "deploy/emptied", "--timeout=20s"], "condition met",
    ),
    "delete in the foreground": (
        ["delete", "deploy", "removed", "--cascade=foreground"], "", "deleted",
        ["get", "pods,rs", "-l", "app=removed", "-o", "name"], "",
    ),
    "a namespace comes and goes": (
        ["create", "-f", "-"], "apiVersion: v1\nkind: Namespace\nmetadata: {name: brief}\n", "created",
        ["delete", "ns", "brief", "--timeout=20s"], "deleted",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
def test_kubectl_writes(cluster, name):
    arguments, given, said, proof, fragment = WRITES[name]
    done = cluster.kubectl(*arguments, given=given)
    assert (done.code, said in done.out) == (0, True), done
    if proof:
        proven = cluster.kubectl(*proof)
        assert proven.code == 0, proven
        assert fragment in proven.out if fragment else proven.out == "", proven


def test_kubectl_undoes_a_rollout(cluster):
    image = ["get", "deploy", "undone", "-o", "jsonpath={..containers[0].image}"]
    for step in (["set", "image", "deploy/undone", "main=nginx:2"], ["rollout", "undo", "deploy/undone"]):
        assert cluster.kubectl(*step).code == 0
        done = cluster.kubectl("rollout", "status", "deploy/undone", "--timeout=30s")
        assert "successfully rolled out" in done.out

    assert cluster.kubectl(*image).out == "nginx:1"


TYPED = {
    "namespace": ["namespace", "typed"],
    "deployment": ["deployment", "typed", "--image=nginx:1", "--replicas=2", "--port=80"],
    "configmap": ["configmap", "typed", "--from-literal=a=1", "--from-literal=b=2"],
    "secret": ["secret", "generic", "typed", "--from-literal=password=x"],
    "service": ["service", "nodeport", "typed", "--tcp=80:8080"],
    "job": ["job", "typed", "--image=busybox", "--", "true"],
    "cronjob": ["cronjob", "typed", "--image=busybox", "--schedule=0 0 * * *"],
    "role": ["role", "typed", "--verb=get", "--resource=pods"],
    "rolebinding": ["rolebinding", "typed", "--role=r", "--user=jane"],
    "budget": ["pdb", "typed", "--selector=app=web", "--min-available=50%"],
    "quota": ["quota", "typed", "--hard=cpu=1,pods=2"],
    "priority class": ["priorityclass", "typed", "--value=-5"],
}


@pytest.mark.parametrize("name", TYPED)
def test_typed_commands_which_send_protobuf_arrive_whole(cluster, name):
    kind, *rest = TYPED[name]
    flags = ["-o", "json"]
    here = cluster.kubectl("create", kind, "--dry-run=client", *flags, *rest)
    there = cluster.kubectl("create", kind, "--dry-run=server", *flags, *rest)

    assert (here.code, there.code, there.err) == (0, 0, "")
    assert _lacks(json.loads(here.out), json.loads(there.out)) == ""


def _lacks(wanted, got, path=""):
    """Give the first place where `got` does not hold what `wanted` has; nulls and empty values hold nothing."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        missing = (
            _lacks(value, got.get(key), f"{path}.{key}") for key, value in wanted.items() if key != "status"
        )
        return next(filter(None, missing), "")
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        return next(filter(None, map(_lacks, wanted, got)), "")
    return "" if not wanted or wanted == got else f"{path}: {wanted!r} is not {got!r}"


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["can-i", "delete", "clonesets.apps.kruise.io", "--subresource=scale"], "yes"),
        (["can-i", "--list"], "*.*"),
        (["whoami"], "sandbox-admin"),
    ],
    ids=["can-i", "can-i --list", "whoami"],
)
def test_kubectl_auth(cluster, arguments, fragment):
    done = cluster.kubectl("auth", *arguments)

    assert (done.code, fragment in done.out) == (0, True), done


REFUSALS = {
    "a missing object": (["get", "cm", "nope"], "", 'Error from server (NotFound): configmaps "nope" not found'),
    "an unknown kind": (["get", "nopes"], "", "the server doesn't have a resource type"),
    "an unknown field": (
        ["create", "-f", "-"], SETTINGS.replace("name: settings", "name: typo") + "dta: {}\n",
        'unknown field "dta"',
    ),
    "an invalid object": (["scale", "clone/clones", "--replicas=-1"], "", "must be greater than or equal to 0"),
    "an invalid cloneset": (
        ["patch", "clone", "clones", "--type=merge", "-p", '{"spec":{"selector":{"matchLabels":{"a":"b"}}}}'], "",
        'admission webhook "vcloneset.kb.io" denied the request',
    ),
    "a shell in a container": (["exec", "deploy/none", "--", "sh"], "", "not found"),
    "metrics": (["top", "pods"], "", "Metrics API not available"),
    "what another manager owns": (
        ["apply", "--server-side", "-f", "-"], CLONES, 'conflict with "kubectl-client-side-apply" using apps.kruise.io/v1alpha1',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_kubectl_says_what_was_refused(cluster, name):
    arguments, given, fragment = REFUSALS[name]
    done = cluster.kubectl(*arguments, given=given)

    assert done.code == 1
    assert fragment in done.err


def test_a_watch_shows_what_happens_after_the_list(cluster):
    cluster.kubectl("create", "-f", "-", given=settings("seen"))
    cluster.kubectl("delete", "cm", "seen", "--wait=false")
    done = cluster.kubectl(
        "get", "--raw", "/api/v1/namespaces/default/configmaps?watch=true&timeoutSeconds=1&fieldSelector=metadata.name=settings"
    )  # fmt: skip
    events = [json.loads(line) for line in done.out.splitlines()]

    assert [(event["type"], event["object"]["metadata"]["name"]) for event in events] == [
        ("ADDED", "settings")
    ]


def test_get_with_watch_prints_each_change_as_it_comes(cluster):
    command = [KUBECTL, "get", "cm", "-w", "-o", "name", "--field-selector=metadata.name=passing"]
    manifest = settings("passing")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=cluster.environ) as watching:
        try:
            assert cluster.kubectl("create", "-f", "-", given=manifest).code == 0
            assert watching.stdout.readline() == "configmap/passing\n"
            assert cluster.kubectl("label", "cm", "passing", "seen=yes").code == 0
            assert watching.stdout.readline() == "configmap/passing\n"
        finally:
            watching.terminate()

"""`get` and `tree` as they are typed, whole output compared."""

import json

import pytest

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.facts.kinds import CLONESET, CONTROLLER_REVISION, DEPLOYMENT, HPA, PDB, POD
from tests.verbs.conftest import Shell


@pytest.fixture
def shop(shell: Shell) -> Shell:
    """A CloneSet under way with three pods, a finished Deployment, an autoscaler and a budget."""
    web = shell.cloneset(replicas=3, updateStrategy={"partition": 1})
    _status(shell, CLONESET, "web", {
        "observedGeneration": 1, "replicas": 3, "readyReplicas": 2, "availableReplicas": 2, "updatedReplicas": 1,
        "updatedReadyReplicas": 0, "updateRevision": "web-new", "currentRevision": "web-old", "expectedUpdatedReplicas": 2,
    })  # fmt: skip
    shell.deployment("cart", replicas=2)
    _status(shell, DEPLOYMENT, "cart", {
        "observedGeneration": 1, "replicas": 2, "readyReplicas": 2, "availableReplicas": 2, "updatedReplicas": 2,
    })  # fmt: skip
    owner = [
        {
            "apiVersion": web["apiVersion"],
            "kind": "CloneSet",
            "name": "web",
            "uid": web["metadata"]["uid"],
            "controller": True,
        }
    ]
    for number, revision in enumerate(("old", "new"), start=1):
        shell.admin.create(
            CONTROLLER_REVISION.path("shop"),
            {
                "metadata": {"name": f"web-{revision}", "ownerReferences": owner},
                "revision": number,
                "data": {},
            },
        )
    for name, revision, ready in (("web-a", "new", False), ("web-b", "old", True), ("web-c", "old", True)):
        shell.pod(name, web, labels={"app": "web", "controller-revision-hash": f"web-{revision}"})
        waiting = {"waiting": {"reason": "ErrImagePull", "message": "no such tag"}}
        container = {"name": "app", "image": "shop/web:1", "imageID": "i", "restartCount": 0, "ready": ready}
        _status(shell, POD, name, {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": str(ready), "lastTransitionTime": "2025-12-31T23:59:00Z"}],
            "containerStatuses": [{**container, "state": {"running": {}} if ready else waiting}],
        })  # fmt: skip
    target = {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "name": "web"}
    shell.admin.create(
        HPA.path("shop"),
        {"metadata": {"name": "web"}, "spec": {"minReplicas": 2, "maxReplicas": 9, "scaleTargetRef": target}},
    )
    budget = {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}}
    shell.admin.create(PDB.path("shop"), {"metadata": {"name": "web"}, "spec": budget})
    return shell


def _status(shell: Shell, kind, name: str, status) -> None:
    shell.admin.patch(
        kind.path("shop", name, subresource="status"), Patch(PatchType.MERGE, {"status": status})
    )


TABLE = """\
NAME  KIND        STATUS                      READY  UPDATED     IMAGES         AGE
web   CloneSet    progressing 0/2, 1 failing  2/3    1 (1 held)  web:1,envoy:1  0s
cart  Deployment  done                        2/2    2           web:1,envoy:1  0s
"""


def test_all_kinds_side_by_side(shop: Shell) -> None:
    shop.check("get", 0, TABLE, "")


@pytest.mark.parametrize(
    "words", ["clonesets", "clonesets.apps.kruise.io", "clone", "cs/web", "clone web", "cloneset web"]
)
def test_every_spelling_prints_rows(shop: Shell, words: str) -> None:
    """Fault B28."""
    shop.check(
        f"get {words} --no-headers",
        0,
        "web  CloneSet  progressing 0/2, 1 failing  2/3  1 (1 held)  web:1,envoy:1  0s\n",
    )


def test_other_namespaces(shop: Shell) -> None:
    """Fault B26."""
    shop.check("get all -n other", 0, "", 'no workloads found in namespace "other"\n')
    shop.check(
        "get cs -A --no-headers",
        0,
        "shop  web  CloneSet  progressing 0/2, 1 failing  2/3  1 (1 held)  web:1,envoy:1  0s\n",
    )


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ("-o name", "cloneset.apps.kruise.io/web\ndeployment.apps/cart\n"),
        ("deploy -o name", "deployment.apps/cart\n"),
        ("cs/web -o jsonpath={.spec.replicas}", "3"),
        ("-o jsonpath={.items[*].metadata.name}", "web cart"),
        (
            "-o custom-columns=N:.metadata.name,P:.spec.updateStrategy.partition",
            "N      P\nweb    1\ncart   <none>\n",
        ),
        ("--sort-by .metadata.name -o name", "deployment.apps/cart\ncloneset.apps.kruise.io/web\n"),
        ("--sort-by .spec.replicas -o name", "deployment.apps/cart\ncloneset.apps.kruise.io/web\n"),
        (
            "cs -L app --no-headers",
            "web  CloneSet  progressing 0/2, 1 failing  2/3  1 (1 held)  web:1,envoy:1  0s  web\n",
        ),
        ("-l app=cart -o name", "deployment.apps/cart\n"),
    ],
)
def test_outputs(shop: Shell, args: str, expected: str) -> None:
    shop.check(f"get {args}", 0, expected, "")


@pytest.mark.parametrize(
    ("kind", "reason", "status"),
    [
        ("FailedScale", "exceeded quota", "progressing 0/2, creating fails"),
        ("FailedUpdate", "denied by a webhook", "progressing 0/2, updating fails"),
    ],
)
def test_what_the_manager_is_refused_is_told(shop: Shell, kind: str, reason: str, status: str) -> None:
    condition = {"type": kind, "status": "True", "message": reason}
    _status(shop, CLONESET, "web", {"conditions": [condition], "replicas": 2 if kind == "FailedScale" else 3})
    shop.admin.delete(POD.path("shop", "web-a"))

    _, rows, _ = shop.run(["get", "cs", "--no-headers"])

    assert status in rows


def test_a_list_does_not_look_into_many_rollouts(shop: Shell) -> None:
    for name in ("b", "c", "d"):
        shop.cloneset(name, replicas=1)
        _status(shop, CLONESET, name, {
            "observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "updatedReplicas": 0,
            "updatedReadyReplicas": 0,
        })  # fmt: skip

    _, rows, _ = shop.run(["get", "cs", "--no-headers"])

    assert "failing" not in rows
    assert not [each for each in shop.transport.seen if "/pods" in each.target]


def test_wide(shop: Shell) -> None:
    _, out, _ = shop.run(["get", "cs", "-o", "wide", "--no-headers"])

    assert out.split()[-3:] == ["web-new", "app,proxy", "app=web"]


def test_json_of_one_is_the_object_and_of_many_a_list(shop: Shell) -> None:
    one, many = (json.loads(shop.run(["get", *words, "-o", "json"])[1]) for words in (["cs/web"], ["cs"]))

    assert (one["kind"], many["kind"], len(many["items"])) == ("CloneSet", "List", 1)
    assert "managedFields" not in one["metadata"]


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("get cs/nope", 4, 'error: no cloneset.apps.kruise.io "nope" in namespace "shop"'),
        ("get pods", 2, "error: get lists workloads, not pods"),
        ("get cs -o what", 2, 'error: unknown output format "what"'),
        ("get cs -o custom-columns=", 2, 'error: custom-columns: "" is not HEADER:PATH'),
        ("tree cs/nope", 4, 'error: no cloneset.apps.kruise.io "nope"'),
        ("tree cs/web -o wide", 2, 'error: unknown output format "wide"'),
    ],
)
def test_errors(shop: Shell, line: str, code: int, message: str) -> None:
    given, out, err = shop.run(line.split())

    assert (given, out) == (code, "")
    assert err.startswith(message)


TREE = """\
CloneSet web                    progressing, 0 of 2 available
|- revision 2 web-new update    1 pod, 0 available
|  `- Pod web-a                 x app ErrImagePull, no such tag
|     `- app                    web:1 ErrImagePull
|- revision 1 web-old current   2 pods, 2 available (1 held by partition)
|  |- Pod web-b                 available
|  |  `- app                    web:1 ready
|  `- Pod web-c                 available
|     `- app                    web:1 ready
|- HorizontalPodAutoscaler web  2-9
`- PodDisruptionBudget web      min 2
"""


def test_what_is_there_is_shown_beside_what_is_not(shop: Shell) -> None:
    code, stdout, stderr = shop.run(
        ["get", "clone/none", "clone/web", "deploy/cart", "deploy/nope", "-o", "name"]
    )

    assert (code, stdout) == (4, "cloneset.apps.kruise.io/web\ndeployment.apps/cart\n")
    assert 'error: no deployment.apps "nope" in namespace "shop"' in stderr
    assert 'error: no cloneset.apps.kruise.io "none" in namespace "shop"' in stderr


def test_tree(shop: Shell) -> None:
    shop.check("tree cs/web", 0, TREE, "")


def test_tree_for_programs(shop: Shell) -> None:
    _, out, _ = shop.run(["tree", "cs/web", "-o", "json"])
    tree = json.loads(out)

    assert (tree["apiVersion"], tree["kind"], tree["name"]) == ("cli.kruise.io/v1", "CloneSet", "web")
    assert [(child["kind"], child["name"]) for child in tree["children"]] == [
        ("Revision", "web-new"), ("Revision", "web-old"), ("HorizontalPodAutoscaler", "web"), ("PodDisruptionBudget", "web"),
    ]  # fmt: skip
    assert [pod["name"] for pod in tree["children"][1]["children"]] == ["web-b", "web-c"]


def test_healthy_pods_are_folded_above_ten_and_sick_ones_never(shop: Shell) -> None:
    web = shop.get("web")
    for number in range(12):
        name = f"web-x{number:02}"
        shop.pod(name, web, labels={"app": "web", "controller-revision-hash": "web-new"})
        _status(shop, POD, name, {
            "phase": "Running", "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2025-12-31T23:59:00Z"}],
        })  # fmt: skip

    _, out, _ = shop.run(["tree", "cs/web"])

    assert "Pod web-a" in out
    assert "Pod web-x" not in out
    assert "`- ... 12 more (12 available)" in out


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("get cloneset/web", 0, "held by the unfinished migration of Deployment web"),
        ("tree cloneset/web", 0, "held by the unfinished migration of Deployment web"),
        (
            "rollout status cloneset/web --watch=false",
            0,
            (
                "held by the unfinished migration of Deployment web"
                " (kubectl kruise migrate deployment/web -n shop --resume, or --rollback)"
            ),
        ),
        (
            "rollout restart cloneset/web",
            3,
            "hint: kubectl kruise migrate deployment/web -n shop --resume, or --rollback",
        ),
        (
            "rollout restart cloneset/web --in-place",
            3,
            "hint: kubectl kruise migrate deployment/web -n shop --resume, or --rollback",
        ),
    ],
)
def test_what_a_migration_holds_says_so_and_names_the_way_on(
    shop: Shell, line: str, code: int, said: str
) -> None:
    notes = {"kruise-migrate/id": "6e1b", "kruise-migrate/source": "Deployment/web/u1"}
    body = {"metadata": {"annotations": notes}, "spec": {"updateStrategy": {"paused": True}}}
    changed = shop.admin.patch(CLONESET.path("shop", "web"), Patch(PatchType.MERGE, body))
    _status(shop, CLONESET, "web", {"observedGeneration": changed["metadata"]["generation"], "replicas": 3})
    found, out, err = shop.run(line.split())
    assert found == code, err
    assert said in out + err
    assert "rollout resume" not in err

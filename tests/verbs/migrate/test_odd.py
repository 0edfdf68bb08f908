"""Deployments that are odd: those that go there and back as they are, and those that are refused, with the reason.

All that go stand in one namespace at the same time; each of the others is judged on its own.
"""

import copy
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from kubectl_kruise.cluster.port import Request, Response
from kubectl_kruise.facts.kinds import DEPLOYMENT, POD, REPLICASET, RESOURCE_QUOTA, Kind
from kubectl_kruise.objects.raw import Raw, name_of
from kubectl_kruise.sandbox.local import LocalTransport
from tests.operations.migrate.world import NAMESPACE, World
from tests.verbs.migrate.conftest import Desk

MAIN = {"name": "main", "image": "registry.example.test/shop/web:1"}
EPHEMERAL = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def odd(name: str, pod: Raw | None = None, meta: Raw | None = None, **spec: Any) -> Raw:
    """Give a Deployment of one pod; `pod` is laid over the spec of its template, `meta` over its metadata."""
    labels = {"app": name[:50]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [MAIN], **(pod or {})}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, **(meta or {})},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": template,
            **copy.deepcopy(spec),
        },
    }


GOING = [
    odd(
        "sidecar",
        {
            "initContainers": [
                {"name": "schema", "image": "a:3", "args": ["up"]},
                {"name": "proxy", "image": "b:1", "restartPolicy": "Always"},
                {"name": "warmup", "image": "c:3"},
            ],
            "hostUsers": False,
            "containers": [
                {
                    **MAIN,
                    "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}, {"name": "B", "value": "$(A)"}],
                    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
                    "resources": {"requests": {"cpu": "100m"}},
                }
            ],
        },
    ),
    odd("ports", {"containers": [{**MAIN, "ports": [{"containerPort": 80, "hostPort": 8080}]}]}),
    odd("network", {"hostNetwork": True, "containers": [{**MAIN, "ports": [{"containerPort": 9000}]}]}),
    odd(
        "volumes",
        {
            "volumes": [
                {"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
                {"name": "own", "ephemeral": {"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": EPHEMERAL}}},
                {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}},
            ]
        },
    ),
    odd("expressions", selector={"matchExpressions": [
        {"key": "app", "operator": "In", "values": ["expressions", "x"]}, {"key": "legacy", "operator": "DoesNotExist"},
    ]}),
    odd("none", replicas=0),
    odd("slow", minReadySeconds=20, progressDeadlineSeconds=30, revisionHistoryLimit=0),
    odd("recreated", strategy={"type": "Recreate"}),
    odd("w" * 52),
    odd("a.b.c"),
    odd("words", meta={"annotations": {"note": "Größe 🎉\n\ttab", "big": "x" * 200_000, "empty": ""}}),
    odd("endless", progressDeadlineSeconds=2147483647, strategy={"type": "RollingUpdate", "rollingUpdate": {
        "maxSurge": "25%", "maxUnavailable": "10%"}}),
]  # fmt: skip


def test_odd_ones_go_there_and_back() -> None:
    desk = Desk(World(replicas=1))
    for each in GOING:
        desk.world.cluster.create(DEPLOYMENT.path(NAMESPACE), each)
    desk.world.sandbox.run(90)
    before, deployments = desk.world.marks(), stored(desk)
    there = desk.run("deployment --all --settle 0 --yes")
    assert there.code == 0, there.out
    desk.world.sandbox.run(60)
    assert (desk.world.marks(), desk.world.owners(), stored(desk)) == (before, {"CloneSet"}, {})
    back = desk.run("cloneset --all --to deployment --yes")
    assert back.code == 0, back.out
    desk.world.sandbox.run(60)
    assert (len(before), desk.world.marks(), desk.world.owners()) == (len(GOING), before, {"ReplicaSet"})
    assert stored(desk) == deployments


def stored(desk: Desk) -> dict[str, Raw]:
    listed = desk.world.cluster.list(DEPLOYMENT.path(NAMESPACE))["items"]
    return {name_of(each): each["spec"] for each in listed}


class Case(NamedTuple):
    """`codes` are those of the refusals, in their order."""

    deployment: Raw
    meddle: Callable[[Desk], None]
    codes: list[str]
    line: str = "--mode adopt"


def nothing(_: Desk) -> None:
    """Let it be as it was made."""


def add(kind: Kind, obj: Raw) -> Callable[[Desk], None]:
    def create(desk: Desk) -> None:
        desk.world.cluster.create(kind.path(NAMESPACE), obj)
        desk.world.sandbox.run(20)

    return create


def merge(kind: Kind, body: Raw) -> Callable[[Desk], None]:
    """Change the first object of the kind that is of the odd Deployment, or is it."""

    def change(desk: Desk) -> None:
        listed = desk.world.cluster.list(
            kind.path(NAMESPACE), labels="app=odd" if kind is not DEPLOYMENT else ""
        )
        name = next(name_of(each) for each in listed["items"] if name_of(each).startswith("odd"))
        desk.world.merge(kind.path(NAMESPACE, name), body)
        desk.world.sandbox.run(20)

    return change


LONE = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "lone", "labels": {"app": "odd"}},
    "spec": {"containers": [MAIN]},
}
QUOTA = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small"}}
NEW_TEMPLATE = {"spec": {"template": {"metadata": {"annotations": {"at": "noon"}}}}}
HASHED = {"matchLabels": {"app": "odd", "controller-revision-hash": "x"}}
HASHED_TEMPLATE = {"metadata": {"labels": HASHED["matchLabels"]}, "spec": {"containers": [MAIN]}}
REFUSED = {
    "nothing against it": Case(odd("odd"), nothing, []),
    "63 characters": Case(odd("odd" + "w" * 60), nothing, ["P-NAME"]),
    "a change that a pause holds back": Case(
        odd("odd"), merge(DEPLOYMENT, {"spec": {"paused": True, **NEW_TEMPLATE["spec"]}}), ["P-ROLLOUT"]
    ),
    "paused from the start": Case(odd("odd", paused=True), nothing, ["P-COUNT"]),
    "its deadline is over": Case(
        odd("odd", {"containers": [{**MAIN, "image": "app:unready"}]}, progressDeadlineSeconds=10), nothing, ["P-READY"]
    ),
    "a selector by a hash": Case(odd("odd", selector=HASHED, template=HASHED_TEMPLATE), nothing, ["P-SELECTOR"]),
    "a pod of nobody that matches": Case(odd("odd"), add(POD, LONE), ["P-OVERLAP"]),
    "a ReplicaSet that waits for others": Case(
        odd("odd"), merge(REPLICASET, {"metadata": {"finalizers": ["example.com/keep"]}}), ["P-FINALIZER"]
    ),
    "no room for a CloneSet": Case(
        odd("odd"),
        add(RESOURCE_QUOTA, {**QUOTA, "spec": {"hard": {"count/clonesets.apps.kruise.io": "0"}}}),
        ["P-DRYRUN"],
    ),
    "no room for more pods, none needed": Case(odd("odd"), add(RESOURCE_QUOTA, {**QUOTA, "spec": {"hard": {"pods": "1"}}}), []),
    "no room for more pods": Case(
        odd("odd"), add(RESOURCE_QUOTA, {**QUOTA, "spec": {"hard": {"pods": "1"}}}), ["P-SURGE"], "--mode surge"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refusals(case: Case) -> None:
    desk = Desk(World(replicas=0, manager=False, ready_after=1))
    desk.world.cluster.create(DEPLOYMENT.path(NAMESPACE), case.deployment)
    desk.world.sandbox.run(60)
    case.meddle(desk)
    plan = desk.run(f"deployment/{name_of(case.deployment)} {case.line} --dry-run -o json")
    found = [each["code"] for each in json.loads(plan.out)["preflight"] if each["grade"] == "refused"]
    assert (found, plan.code) == (case.codes, 3 if case.codes else 0)


class Changing(LocalTransport):
    """A webhook that changes every CloneSet that is made."""

    def __init__(self, desk: Desk, change: Callable[[Raw], None]) -> None:
        super().__init__(desk.world.sandbox.server.handler)
        self._change = change

    def send(self, request: Request) -> Response:
        if request.method == "POST" and "/clonesets?" in request.target:
            body = json.loads(request.body or b"null")
            self._change(body)
            request = request._replace(body=json.dumps(body).encode())
        return super().send(request)


def label_template(body: Raw) -> None:
    body["spec"]["template"]["metadata"]["labels"]["mesh"] = "on"


def label_selector(body: Raw) -> None:
    label_template(body)
    body["spec"]["selector"]["matchLabels"]["mesh"] = "on"


def unlock(body: Raw) -> None:
    body["spec"]["scaleStrategy"] = {"maxUnavailable": "50%"}
    body["spec"]["updateStrategy"]["paused"] = False
    body["spec"]["replicas"] = 1


def test_a_webhook_that_changes_the_selector_stops_the_start(desk: Desk) -> None:
    desk.transport.inner = Changing(desk, label_selector)
    answer = desk.run("deployment/web --yes")
    assert (answer.code, desk.writes) == (3, [])
    assert "the server would change spec.selector.matchLabels.mesh" in answer.err
    assert "(P-DRYRUN)" in answer.err


@pytest.mark.parametrize("change", [label_template, unlock])
def test_a_webhook_that_changes_anything_else_costs_no_pod(change: Callable[[Raw], None], desk: Desk) -> None:
    before = desk.world.marks()
    desk.transport.inner = Changing(desk, change)
    assert desk.run("deployment/web --settle 0 --yes").code == 0
    desk.world.sandbox.run(60)
    assert (desk.world.marks(), desk.world.owners()) == (before, {"CloneSet"})
    undone = desk.run("deployment/web --rollback --yes")
    assert undone.code == 0, undone.err
    desk.world.sandbox.run(60)
    assert (desk.world.marks(), desk.world.owners()) == (before, {"ReplicaSet"})


def test_what_the_server_changes_is_shown(desk: Desk) -> None:
    """migration.md §7."""
    desk.transport.inner = Changing(desk, label_template)
    told = desk.run("deployment/web --dry-run")
    assert "  Server\n    + spec.template.metadata.labels.mesh: on\n" in told.out
    assert (
        "labels.mesh: pods that are handed over stay without it until they are updated (P-CHANGED)"
        in told.out
    )
    kept = desk.run("deployment/web --dry-run -o yaml")
    assert (kept.code, desk.writes) == (0, [])
    assert "\nkind: CloneSet\n" in kept.out
    assert '        mesh: "on"\n' in kept.out
    assert "uid" not in kept.out
    assert "+ spec.template.metadata.labels.mesh: on\n" in kept.err


def test_pods_that_were_not_ready_before_are_not_waited_for() -> None:  # P-READY
    desk = Desk(World(replicas=0, ready_after=1))
    body = odd("odd", {"containers": [{**MAIN, "image": "app:unready"}]}, progressDeadlineSeconds=10)
    desk.world.cluster.create(DEPLOYMENT.path(NAMESPACE), body)
    desk.world.sandbox.run(60)
    before = desk.world.marks()
    assert desk.run("deployment/odd --settle 5s --yes").code == 3
    answer = desk.run("deployment/odd --allow-unready --settle 5s --yes")
    assert answer.code == 0, answer.err
    desk.world.sandbox.run(60)
    assert (len(before), desk.world.marks(), desk.world.owners()) == (1, before, {"CloneSet"})

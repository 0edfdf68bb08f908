"""Clusters on which no migration may begin: no Kruise, nobody who works on it, rights that are missing, old releases.

Each stands against the start with its id, its evidence and what resolves it, and nothing has been written (migration.md §5.4, §10).
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from kubectl_kruise.cluster.port import Request, Response
from kubectl_kruise.facts.kinds import CLONESET, CRD, DEPLOYMENT, LEASE
from kubectl_kruise.facts.names import MANAGER_LEASE, MANAGER_NAMESPACE
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.hooks import Rule
from kubectl_kruise.sandbox.local import LocalTransport
from tests.operations.migrate.world import World
from tests.verbs.migrate.conftest import Desk

CODES = ("P-CRD", "P-MANAGER", "P-RBAC", "P-UNDO", "P-OLDKUBE")
Setting = Callable[[Desk], None]


class Case(NamedTuple):
    """`said` is the one check of these that does not pass: grade, code, evidence and fix, None for none."""

    setting: Setting
    said: tuple[str, str, str, str] | None
    line: str = "deployment/web"
    besides: tuple[str, ...] = ()
    """What else is refused because of it."""


def as_it_is(_: Desk) -> None:
    """Leave the cluster as it is."""


def without_kruise(desk: Desk) -> None:
    desk.world.cluster.delete(CRD.path(name=CLONESET.resource))
    desk.world.sandbox.run(5)


def not_served(desk: Desk) -> None:
    """Let the CRD be there, and no version of it be served."""
    for version in (spec := definition(desk)["spec"])["versions"]:
        version["served"] = False
    desk.world.merge(CRD.path(name=CLONESET.resource), {"spec": {"versions": spec["versions"]}})


def before_the_lock(desk: Desk) -> None:
    """Let the CRD be that of a release that cannot hold back new pods."""
    for version in (spec := definition(desk)["spec"])["versions"]:
        fields = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        del fields["scaleStrategy"]["properties"]["maxUnavailable"]
    desk.world.merge(CRD.path(name=CLONESET.resource), {"spec": {"versions": spec["versions"]}})


def definition(desk: Desk) -> Raw:
    return desk.world.cluster.get(CRD.path(name=CLONESET.resource))


def lease(age: float, holder: str = "kruise-manager-0") -> Setting:
    """Let a manager have renewed its lease so many seconds ago."""

    def leave_it(desk: Desk) -> None:
        renewed = rfc3339(desk.world.clock.time() - age).replace("Z", ".000000Z")
        spec = {"holderIdentity": holder, "leaseDurationSeconds": 15, "renewTime": renewed}
        desk.world.cluster.create("/api/v1/namespaces", {"metadata": {"name": MANAGER_NAMESPACE}})
        desk.world.cluster.create(
            LEASE.path(MANAGER_NAMESPACE), {"metadata": {"name": MANAGER_LEASE}, "spec": spec}
        )

    return leave_it


def forbidding(*rights: tuple[str, str], subresource: str = "") -> Setting:
    def forbid(desk: Desk) -> None:
        desk.world.sandbox.hooks.denied += [
            Rule(verb=verb, resource=resource, subresource=subresource) for verb, resource in rights
        ]

    return forbid


def kubernetes(minor: str) -> Setting:
    """Let the server say that it is of this minor release."""

    def say(desk: Desk) -> None:
        desk.transport.inner = _Older(desk.world.sandbox.server.handler, minor)

    return say


class _Older(LocalTransport):
    def __init__(self, handler: Any, minor: str) -> None:
        super().__init__(handler)
        self._minor = minor

    def send(self, request: Request) -> Response:
        answer = super().send(request)
        if request.target != "/version":
            return answer
        said = {**json.loads(answer.body), "minor": self._minor}
        return answer._replace(body=json.dumps(said).encode())


NO_CLONESETS = ("refused", "P-CRD", "the cluster does not know CloneSets", "kubectl kruise install crds")
STALE = (
    "refused",
    "P-MANAGER",
    "the lease of the Kruise manager is stale",
    "kubectl -n kruise-system get pods",
)
ASK = "ask for these rights in the namespace"
OLD_KRUISE = ("P-OLDKUBE", "this release of Kruise cannot hold back new pods", "Kruise 1.1 or newer")
OLD_KUBE = ("P-OLDKUBE", "Kubernetes 1.19 is too old", "1.20 is the oldest that works")
SURGE = "deployment/web --mode surge"
RECREATE = "deployment/web --mode recreate"
SITUATIONS = {
    "all well": Case(as_it_is, None),
    "CRD absent": Case(without_kruise, NO_CLONESETS),
    "CRD absent, surge": Case(without_kruise, NO_CLONESETS, SURGE),
    "CRD absent, recreate": Case(without_kruise, NO_CLONESETS, RECREATE),
    "CRD there, no version served": Case(not_served, NO_CLONESETS),
    "manager alive": Case(lease(5), None),
    "manager silent": Case(lease(3600), STALE),
    "manager silent, surge": Case(lease(3600), STALE, SURGE),
    "manager silent, recreate": Case(lease(3600), STALE, RECREATE),
    "lease unreadable": Case(forbidding(("get", "leases")), None),
    "no right to create CloneSets": Case(
        forbidding(("create", "clonesets")), ("refused", "P-RBAC", "you may not create clonesets", ASK), besides=("P-DRYRUN",)
    ),
    "no right to two things": Case(
        forbidding(("patch", "pods"), ("delete", "replicasets")),
        ("refused", "P-RBAC", "you may not delete replicasets, patch pods", ASK),
        besides=("P-ADMISSION",),
    ),
    "pods need no patch where new ones are made": Case(forbidding(("patch", "pods")), None, SURGE),
    "no right to scale": Case(
        forbidding(("patch", "deployments"), subresource="scale"),
        ("refused", "P-RBAC", "you may not patch deployments/scale", ASK),
        SURGE,
    ),
    "no right to scale, pods handed over": Case(forbidding(("patch", "deployments"), subresource="scale"), None),
    "no right that only an undo takes": Case(
        forbidding(("delete", "configmaps")),
        (
            "warned",
            "P-UNDO",
            "you may not delete configmaps: --rollback could not be finished",
            "ask for these rights too",
        ),
    ),
    "Kruise before the lock": Case(before_the_lock, ("refused", *OLD_KRUISE)),
    "Kruise before the lock, surge": Case(before_the_lock, ("warned", *OLD_KRUISE), SURGE),
    "Kubernetes 1.19": Case(kubernetes("19"), ("refused", *OLD_KUBE)),
    "Kubernetes 1.19, surge": Case(kubernetes("19+"), ("warned", *OLD_KUBE), SURGE),
    "Kubernetes 1.20": Case(kubernetes("20"), None),
    "Kubernetes of a vendor": Case(kubernetes("33+"), None),
    "Kubernetes that says nothing": Case(kubernetes(""), None),
}  # fmt: skip


@pytest.mark.parametrize("case", SITUATIONS.values(), ids=SITUATIONS)
def test_what_stands_against_the_start(case: Case) -> None:
    desk = Desk(World(replicas=1, manager=False))
    case.setting(desk)
    before = desk.world.marks()
    refused = case.said is not None and case.said[0] == "refused"

    plan = desk.run(f"{case.line} --dry-run -o json")
    checks = json.loads(plan.out)["preflight"]
    found = [
        (each["grade"], each["code"], each["evidence"], each["fix"])
        for each in checks
        if each["code"] in CODES and each["grade"] != "passed"
    ]
    assert found == ([case.said] if case.said else [])
    against = [each["code"] for each in checks if each["grade"] == "refused"]
    assert against == ([case.said[1], *case.besides] if case.said and refused else [])
    assert (plan.code, desk.writes) == (3 if refused else 0, [])
    if case.said and refused:
        answer = desk.run(f"{case.line} --yes")
        assert (answer.code, desk.writes) == (3, [])
        assert f"{case.said[2]} ({case.said[1]})" in answer.err
        assert f"hint: {case.said[3]}\n" in answer.err
    desk.world.sandbox.run(30)
    assert (desk.world.marks(), desk.world.owners()) == (before, {"ReplicaSet"})


def test_without_kruise_everything_else_is_found_too(desk: Desk) -> None:
    """migration.md §10: all findings at once."""
    live = desk.get(DEPLOYMENT, "web")
    desk.change(DEPLOYMENT, "web", metadata={**live["metadata"], "finalizers": ["example.com/x"]})
    without_kruise(desk)
    answer = desk.run("deployment/web --yes")
    assert (answer.code, desk.writes) == (3, [])
    assert (
        "the cluster does not know CloneSets (P-CRD); it has finalizers: example.com/x (P-FINALIZER)"
        in answer.err
    )


def test_a_kruise_that_is_taken_away_is_missed_at_once(desk: Desk) -> None:
    """What the server serves is asked once an hour, but not where it decides about pods."""
    client = desk.client()
    assert client.served(CLONESET.group, CLONESET.plural)
    without_kruise(desk)
    desk.client = lambda *_: client  # type: ignore[method-assign]
    assert "(P-CRD)" in desk.run("deployment/web --yes").err


def test_a_deployment_that_the_server_would_not_take_stops_the_way_back(desk: Desk) -> None:  # P-DRYRUN
    desk.run("deployment/web --settle 0 --yes")
    forbidding(("create", "deployments"))(desk)
    before = desk.world.marks()
    answer = desk.run("cloneset/web --to deployment --dry-run -o json")
    against = [each for each in json.loads(answer.out)["preflight"] if each["grade"] == "refused"]
    assert [each["code"] for each in against] == ["P-RBAC", "P-DRYRUN"]
    assert against[1]["evidence"].startswith("the server refuses the Deployment: ")
    answer = desk.run("cloneset/web --to deployment --yes")
    assert (answer.code, desk.writes, desk.world.marks()) == (3, [], before)


class Enforcing(LocalTransport):
    """A server with OwnerReferencesPermissionEnforcement (migration.md §2.3 K7), for a user without some rights.

    Without `finalizers` no owner may be named that would be waited for, without `deletion` none may be changed at all.
    """

    def __init__(self, desk: Desk, *, finalizers: bool = True, deletion: bool = True) -> None:
        super().__init__(desk.world.sandbox.server.handler)
        self._finalizers, self._deletion = finalizers, deletion

    def send(self, request: Request) -> Response:
        if request.method == "PATCH" and "/pods/" in request.target:
            body = (request.body or b"").decode()
            if not self._deletion:
                return self._forbid("cannot set an ownerRef on a resource you can't delete: , <nil>")
            if not self._finalizers and '"blockOwnerDeletion":true' in body:
                return self._forbid(
                    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers"
                    " on: , <nil>"
                )
        return super().send(request)

    def _forbid(self, why: str) -> Response:
        said = f'pods "web" is forbidden: {why}'
        status = {"kind": "Status", "status": "Failure", "reason": "Forbidden", "message": said, "code": 403}
        return Response(403, {"content-type": "application/json"}, json.dumps(status).encode())


def test_where_owners_may_not_be_waited_for_pods_move_without_that(desk: Desk) -> None:
    desk.transport.inner = Enforcing(desk, finalizers=False)
    before = desk.world.marks()
    assert desk.run("deployment/web --settle 0 --yes").code == 0
    references = [pod["metadata"]["ownerReferences"] for pod in desk.world.pods]
    assert [each.get("blockOwnerDeletion") for (each,) in references] == [None, None]
    assert desk.run("deployment/web --rollback --yes").code == 0
    assert (desk.world.marks(), desk.world.owners()) == (before, {"ReplicaSet"})


@pytest.mark.parametrize("line", ["deployment/web", "cloneset/web --to deployment"])
def test_where_owners_may_not_be_changed_nothing_begins(line: str, desk: Desk) -> None:  # P-ADMISSION
    if line.startswith("cloneset"):
        assert desk.run("deployment/web --settle 0 --yes").code == 0
    desk.transport.inner = Enforcing(desk, deletion=False)
    answer = desk.run(f"{line} --yes")
    assert (answer.code, desk.writes) == (3, [])
    assert "cannot set an ownerRef on a resource you can't delete: , <nil> (P-ADMISSION)" in answer.err

"""What of a cluster stands against the migration of a set: claims, ordinals, versions, revisions (migration.md §10)."""

import json

import pytest

from kubectl_kruise.cluster.port import Cluster, Request, Response
from kubectl_kruise.engine.migration.checks.check import Finding, Grade
from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.facts.kinds import CRD, NATIVE_STATEFULSET, POD, STATEFULSET
from kubectl_kruise.objects.raw import Raw, uid_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.outlook import Preflight, Wish
from kubectl_kruise.operations.migrate.before.preflight import look_ahead
from kubectl_kruise.sandbox.local import LocalTransport
from tests.operations.migrate.sets.world import SetWorld
from tests.operations.migrate.world import NAMESPACE

SET = NATIVE_STATEFULSET.path(NAMESPACE, "db")


def ahead(
    world: SetWorld, mode: Mode = Mode.ADOPT, cluster: Cluster | None = None, *, kruise: bool = False
) -> Preflight:
    live, kind = (world.kruise, STATEFULSET) if kruise else (world.native, NATIVE_STATEFULSET)
    assert live is not None
    return look_ahead(world.run(cluster), Workload(live, kind), Wish(mode=mode))


def found(preflight: Preflight) -> list[tuple[str, Grade]]:
    """Give code and grade of everything that does not pass."""
    return [(each.check.code, each.grade) for each in preflight.findings if not each.check.passed]


def the(preflight: Preflight, code: str) -> Finding:
    (finding,) = [each for each in preflight.findings if each.check.code == code and not each.check.passed]
    return finding


@pytest.mark.parametrize(
    ("mode", "grade"),
    [(Mode.ADOPT, Grade.REFUSED), (Mode.HANDOVER, Grade.REFUSED), (Mode.RECREATE, Grade.WARNED)],
)
def test_a_pod_whose_claim_is_not_that_of_the_templates(mode: Mode, grade: Grade) -> None:  # P-PVC
    world = SetWorld(replicas=1)
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "restored"}}
    meta = {
        "name": "db-1",
        "labels": {"app": "db", "statefulset.kubernetes.io/pod-name": "db-1"},
        "ownerReferences": [
            {
                "apiVersion": "apps/v1",
                "kind": "StatefulSet",
                "name": "db",
                "uid": uid_of(world.native or {}),
                "controller": True,
            }
        ],
    }
    spec = {"containers": [{"name": "main", "image": "pg:16"}], "volumes": [volume]}
    world.cluster.create(POD.path(NAMESPACE), {"metadata": meta, "spec": spec})
    finding = the(ahead(world, mode), "P-PVC")
    assert (finding.grade, "db-1: its volumes are not those" in finding.check.evidence) == (grade, True)


@pytest.mark.parametrize("mode", [Mode.ADOPT, Mode.HANDOVER, Mode.RECREATE])
def test_ordinals_that_this_kruise_cannot_reserve(mode: Mode) -> None:  # P-ORD
    world = SetWorld(manager=False, replicas=1, ordinals={"start": 1500})
    assert found(ahead(world, mode)) == []
    for version in (versions := _versions(world)):
        fields = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        fields["reserveOrdinals"] = {"type": "array", "items": {"type": "integer"}}
    _serve(world, versions)
    assert ("P-ORD", Grade.REFUSED) in found(ahead(world, mode))


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ({"ordinals": {"start": 5}}, "ordinals"),
        (
            {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Retain"}},
            "a retention policy",
        ),
        ({}, ""),
    ],
)
def test_a_server_of_the_old_version_alone(spec: Raw, what: str) -> None:  # P-V1ALPHA1, row 23
    world = SetWorld(manager=False, replicas=1, **spec)
    for version in (versions := _versions(world)):
        version["served"] = version["name"] == "v1alpha1"
    _serve(world, versions)
    preflight = ahead(world)
    if not what:
        assert found(preflight) == []
        assert preflight.conversion.obj["apiVersion"] == "apps.kruise.io/v1alpha1"
        return
    finding = the(preflight, "P-V1ALPHA1")
    assert (finding.grade, what in finding.check.evidence) == (Grade.REFUSED, True)


class Immovable(LocalTransport):
    """A server on which a revision was written by hand: no patch fits its data, which is compared byte by byte."""

    def send(self, request: Request) -> Response:
        if request.method != "PATCH" or "/controllerrevisions/" not in request.target:
            return super().send(request)
        said = "ControllerRevision.apps is invalid: data: Invalid value: {}: field is immutable"
        status = {"kind": "Status", "status": "Failure", "reason": "Invalid", "message": said, "code": 422}
        return Response(422, {"content-type": "application/json"}, json.dumps(status).encode())


@pytest.mark.parametrize("kruise", [False, True])
def test_a_revision_that_nobody_could_take_over(*, kruise: bool) -> None:  # P-REVISION
    world = SetWorld(kruise=kruise)
    client = world.connect(Immovable(world.sandbox.server.handler))
    finding = the(ahead(world, cluster=client, kruise=kruise), "P-REVISION")
    assert (finding.grade, finding.check.about.startswith("controllerrevision/db-")) == (Grade.REFUSED, True)
    with pytest.raises(RefusedError, match="P-REVISION"):
        ahead(world, cluster=client, kruise=kruise).check()


def _versions(world: SetWorld) -> list[Raw]:
    versions: list[Raw] = world.cluster.get(CRD.path(name=STATEFULSET.resource))["spec"]["versions"]
    return versions


def _serve(world: SetWorld, versions: list[Raw]) -> None:
    world.merge(CRD.path(name=STATEFULSET.resource), {"spec": {"versions": versions}})

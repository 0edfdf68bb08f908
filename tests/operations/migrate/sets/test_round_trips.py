"""Random StatefulSets there and back: the same spec, the same pods, the same claims (migration.md §11.1 row 30)."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubectl_kruise.convert.statefulset import SetTarget
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.operations.migrate.flow import adopt, release
from tests.operations.migrate.sets.world import CLAIM, SetWorld

WORDS = st.sampled_from(["Retain", "Delete"])
POLICIES = st.sampled_from(["InPlaceIfPossible", "ReCreate"])


@st.composite
def sets(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the spec of a StatefulSet that any server takes, and whose twin keeps all of it."""
    container: Raw = {"name": "main", "image": draw(st.sampled_from(["pg:16", "pg", "pg:latest"]))}
    claims = draw(st.lists(st.sampled_from(["data", "wal"]), max_size=2, unique=True))
    if claims:
        container["volumeMounts"] = [{"name": name, "mountPath": f"/{name}"} for name in claims]
    if draw(st.booleans()):
        container["env"] = [{"name": "A", "value": draw(st.sampled_from(["", "1"]))}]
    pod: Raw = {"containers": [container], "terminationGracePeriodSeconds": draw(st.sampled_from([0, 5]))}
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": draw(st.integers(0, 3))}}
    return {
        "replicas": draw(st.integers(0, 3)),
        "podManagementPolicy": draw(st.sampled_from(["OrderedReady", "Parallel"])),
        "minReadySeconds": draw(st.sampled_from([0, 3])),
        "updateStrategy": rolling,
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": draw(WORDS), "whenScaled": draw(WORDS)},
        "ordinals": {"start": draw(st.integers(0, 2))},
        "revisionHistoryLimit": draw(st.sampled_from([1, 10])),
        "template": {"metadata": {"labels": {"app": "db"}}, "spec": pod},
        "volumeClaimTemplates": [{**CLAIM, "metadata": {"name": name}} for name in claims],
    }


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sets(), POLICIES)
def test_there_and_back(spec: dict[str, Any], policy: str) -> None:
    world = SetWorld(**spec)
    before, pods, claims = told(world.native), world.marks(), world.claims()
    there = world.begin(target=SetTarget(policy=policy))
    adopt(world.run(settle=0), there)
    world.sandbox.run(40)
    assert (world.marks(), world.claims(), world.native) == (pods, claims, None)
    there.remove()
    back = world.begin_back()
    release(world.run(settle=0), back, back.journal.target_manifest)
    world.sandbox.run(40)
    assert (world.marks(), world.claims(), told(world.native)) == (pods, claims, before)


def told(live: Raw | None) -> Raw:
    """Give the spec, a start at 0 being none, and no seconds being none."""
    spec = dict((live or {}).get("spec") or {})
    if spec.get("ordinals") == {"start": 0}:
        del spec["ordinals"]
    spec.setdefault("minReadySeconds", 0)
    return spec

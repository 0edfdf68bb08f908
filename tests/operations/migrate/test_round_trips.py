"""Random Deployments there and back: the same spec, the same pods (migration.md §11.1 row 30)."""

import copy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.operations.migrate.flow import adopt, release, roll_back
from tests.operations.migrate.walks import BACK, FORWARD, found
from tests.operations.migrate.world import NAMESPACE, World

COUNTS = st.integers(0, 3)
SHARES = st.sampled_from(["0%", "25%", "50%", "100%"])
NAMES = st.sampled_from(["a", "b-1", "log"])
QUANTITIES = st.sampled_from(["100m", "0.05", "1e-1"])


def _strategies() -> st.SearchStrategy[Raw]:
    limits = st.one_of(COUNTS, SHARES)
    rolling = st.fixed_dictionaries({"maxSurge": limits, "maxUnavailable": limits}).filter(
        lambda found: str(found["maxSurge"]).strip("0%") or str(found["maxUnavailable"]).strip("0%")
    )
    rolling = rolling.filter(
        lambda found: str(found["maxUnavailable"]).strip("0%") or found["maxSurge"] != "0%"
    )
    return st.fixed_dictionaries({"type": st.just("RollingUpdate"), "rollingUpdate": rolling})


def _containers() -> st.SearchStrategy[Raw]:
    probe = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 3}
    return st.fixed_dictionaries(
        {"image": st.sampled_from(["web:1", "web", "web:latest", "example.com/web@sha256:" + "a" * 64])},
        optional={
            "imagePullPolicy": st.sampled_from(["Always", "IfNotPresent", "Never"]),
            "env": st.lists(
                st.fixed_dictionaries(
                    {"name": st.sampled_from(["A", "B"]), "value": st.sampled_from(["", "1"])}
                ),
                max_size=2,
                unique_by=lambda entry: entry["name"],
            ),
            "ports": st.just([{"containerPort": 80, "name": "http"}]),
            "resources": st.fixed_dictionaries({"limits": st.fixed_dictionaries({"cpu": QUANTITIES})}),
            "readinessProbe": st.just(probe),
            "lifecycle": st.just({"preStop": {"exec": {"command": ["sleep", "1"]}}}),
            "securityContext": st.just({"runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}}),
            "volumeMounts": st.just([{"name": "scratch", "mountPath": "/scratch"}]),
        },
    )


@st.composite
def deployments(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the spec of a Deployment that any server takes."""
    names = draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
    pod: Raw = {
        "containers": [draw(_containers()) | {"name": name} for name in names],
        "volumes": [{"name": "scratch", "emptyDir": {}}],
        "terminationGracePeriodSeconds": draw(st.sampled_from([0, 5, 30])),
    }
    if draw(st.booleans()):
        pod["initContainers"] = [{"name": "first", "image": "init:1"}]
    if draw(st.booleans()):
        pod["tolerations"] = [{"key": "example.com/t", "operator": "Exists", "effect": "NoSchedule"}]
    if draw(st.booleans()):
        pod["topologySpreadConstraints"] = [
            {
                "maxSkew": 1,
                "topologyKey": "zone",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"app": "web"}},
            }
        ]
    labels = {"app": "web", **draw(st.dictionaries(st.sampled_from(["tier", "team"]), NAMES, max_size=2))}
    annotations = draw(
        st.dictionaries(st.sampled_from(["example.com/a", "kubectl.kubernetes.io/restartedAt"]), NAMES)
    )
    ready = draw(st.sampled_from([0, 0, 2]))
    return {
        "replicas": draw(st.integers(0, 3)),
        "strategy": draw(_strategies()),
        "minReadySeconds": ready,
        "revisionHistoryLimit": draw(st.integers(0, 12)),
        "progressDeadlineSeconds": draw(st.sampled_from([60, 600, 2147483647])),
        "template": {"metadata": {"labels": labels, "annotations": annotations}, "spec": pod},
    }


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=deployments())
def test_there_and_back_is_the_same(spec: dict[str, Any]) -> None:
    world = World(**spec)
    source = copy.deepcopy(world.deployment)
    before = world.marks()
    assert source is not None
    keeper = world.begin()
    adopt(world.run(settle=0), keeper)
    assert world.cloneset is not None
    assert world.cloneset["spec"]["template"] == source["spec"]["template"]
    assert world.marks() == before
    keeper.remove()
    if spec["replicas"]:
        back = world.begin_back()
        release(world.run(), back, back.journal.target_manifest)
        world.sandbox.run(10)
        assert world.deployment is not None
        assert world.deployment["spec"] == source["spec"]
    assert world.marks() == before


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(acts=st.lists(st.sampled_from(["over", "undo", "back", "scale up", "scale down", "wait"]), max_size=6))
def test_whatever_comes_after_whatever_costs_no_pod(acts: list[str]) -> None:
    """Pods go only where somebody scales down, and as many as that takes."""
    world = World(replicas=3)
    wanted, before = 3, world.marks()
    for act in acts:
        owned = world.cloneset is not None
        if act == "over" and not owned:
            _forget(world)
            adopt(world.run(settle=0), world.begin())
        elif act == "undo":
            for source in (FORWARD, BACK):
                if keeper := found(world, world.cluster, source):
                    roll_back(world.run(settle=0), keeper)
        elif act == "back" and owned:
            _forget(world)
            back = world.begin_back()
            release(world.run(), back, back.journal.target_manifest)
        elif act.startswith("scale"):
            wanted = max(1, wanted + (1 if act == "scale up" else -1))
            kind = CLONESET if owned else DEPLOYMENT
            world.merge(kind.path(NAMESPACE, "web"), {"spec": {"replicas": wanted}})
        world.sandbox.run(40)
        after = world.marks()
        assert len(after) == wanted
        assert len(before - after) == max(0, len(before) - wanted)
        before = after


def _forget(world: World) -> None:
    """Take away the journals of what is done, as `migrate cleanup` does."""
    for source in (FORWARD, BACK):
        if keeper := found(world, world.cluster, source):
            keeper.remove()

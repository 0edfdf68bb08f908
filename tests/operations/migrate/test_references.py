"""What names the old workload names the new one afterwards, and the old one again when that is undone (migration.md §8)."""

from typing import Any

import pytest

from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.engine.migration.references import NAMES, chosen_kinds
from kubectl_kruise.facts.kinds import CLONESET, CRD, DEPLOYMENT, HPA, POD_UNAVAILABLE_BUDGET
from kubectl_kruise.facts.neighbours import SCALED_OBJECT, VPA
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.operations.migrate.flow import adopt, release, roll_back
from kubectl_kruise.operations.migrate.replacing.gradual import move_over
from kubectl_kruise.operations.migrate.replacing.recreating import recreate
from tests.operations.migrate.moves import add, begin, hpa, merge, spec_of, stop_when
from tests.operations.migrate.world import NAMESPACE, World

OLD = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
NEW = {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "name": "web"}
ALL = chosen_kinds("all")


def serve(world: World, kind: Any) -> None:
    """Let the server know a kind of another project."""
    names = {
        "plural": kind.plural,
        "singular": kind.singular,
        "kind": kind.kind,
        "listKind": f"{kind.kind}List",
    }
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": kind.versions[0], "served": True, "storage": True, "schema": schema}
    spec = {"group": kind.group, "names": names, "scope": "Namespaced", "versions": [version]}
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": kind.resource, "annotations": {"api-approved.kubernetes.io": "unapproved"}},
        "spec": spec,
    }
    world.cluster.create(CRD.path(), body)


def scaled_object(**annotations: str) -> Raw:
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": "web", "annotations": annotations},
        "spec": {"scaleTargetRef": {"name": "web"}, "triggers": []},
    }


def test_adopting_points_them_at_the_cloneset_and_a_rollback_back() -> None:
    """Fault B023, migration.md §11.3 row 48."""
    world = World(replicas=2)
    add(world, HPA, hpa(1, 5))
    before = spec_of(world, HPA)
    keeper = world.begin(rewrite_refs=ALL)
    adopt(world.run(settle=0), keeper)
    assert spec_of(world, HPA) == {**before, "scaleTargetRef": NEW}
    roll_back(world.run(settle=0), keeper)
    assert spec_of(world, HPA) == before


def test_without_being_asked_they_are_only_reported() -> None:
    world = World(replicas=2)
    add(world, HPA, hpa(1, 5))
    told: list[str] = []
    adopt(world.run(settle=0, tell=told.append), world.begin())
    assert spec_of(world, HPA)["scaleTargetRef"] == OLD
    assert "horizontalpodautoscaler/web still names deployment/web: --rewrite-refs changes it" in told


def test_only_kinds_that_were_chosen_are_changed() -> None:
    world = World(replicas=2)
    serve(world, VPA)
    add(world, HPA, hpa(1, 5))
    vpa = {"apiVersion": "autoscaling.k8s.io/v1", "kind": VPA.kind, "metadata": {"name": "web"}}
    add(world, VPA, {**vpa, "spec": {"targetRef": OLD}})
    adopt(world.run(settle=0), world.begin(rewrite_refs=chosen_kinds("vpa")))
    assert spec_of(world, VPA)["targetRef"] == NEW
    assert spec_of(world, HPA)["scaleTargetRef"] == OLD


def test_the_way_back_points_them_at_the_deployment() -> None:
    world = World(replicas=2)
    add(world, HPA, hpa(1, 5))
    keeper = world.begin(rewrite_refs=ALL)
    adopt(world.run(settle=0), keeper)
    keeper.remove()
    back = world.begin_back()
    back.write(options={"rewrite_refs": list(ALL)})
    release(world.run(), back, back.journal.target_manifest)
    assert spec_of(world, HPA)["scaleTargetRef"] == OLD
    roll_back(world.run(settle=0), back)
    assert spec_of(world, HPA)["scaleTargetRef"] == NEW


def test_what_somebody_has_changed_meanwhile_is_left_alone() -> None:
    world = World(replicas=2)
    add(world, HPA, hpa(1, 5))
    keeper = world.begin(rewrite_refs=ALL)
    adopt(world.run(settle=0), keeper)
    merge(HPA, world, {"spec": {"scaleTargetRef": {"name": "other"}}})
    told: list[str] = []
    roll_back(world.run(settle=0, tell=told.append), keeper)
    assert spec_of(world, HPA)["scaleTargetRef"] == {**NEW, "name": "other"}
    assert any("changed by somebody else" in text for text in told)


def test_an_hpa_of_a_scaled_object_is_never_touched() -> None:
    world = World(replicas=2)
    serve(world, SCALED_OBJECT)
    add(world, SCALED_OBJECT, scaled_object())
    uid = world.cluster.get(SCALED_OBJECT.path(NAMESPACE, "web"))["metadata"]["uid"]
    owned = hpa(1, 5, name="keda-hpa-web")
    owner = {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "name": "web",
        "uid": uid,
        "controller": True,
    }
    owned["metadata"]["ownerReferences"] = [owner]
    add(world, HPA, owned)
    before = spec_of(world, HPA, "keda-hpa-web")
    move_over(world.run(settle=0), begin(world, rewrite_refs=ALL))
    assert spec_of(world, HPA, "keda-hpa-web") == before
    assert spec_of(world, SCALED_OBJECT)["scaleTargetRef"] == NEW


def test_keda_is_paused_while_pods_move_and_goes_on_afterwards() -> None:
    world = World(replicas=2)
    serve(world, SCALED_OBJECT)
    add(world, SCALED_OBJECT, scaled_object(team="a"))
    keeper = begin(world)
    with pytest.raises(InterruptedError):
        move_over(world.run(settle=0, seen=stop_when(1)), keeper)
    scaled = world.cluster.get(SCALED_OBJECT.path(NAMESPACE, "web"))
    assert scaled["metadata"]["annotations"] == {"team": "a", "autoscaling.keda.sh/paused": "true"}
    move_over(world.run(settle=0), keeper)
    scaled = world.cluster.get(SCALED_OBJECT.path(NAMESPACE, "web"))
    assert (scaled["metadata"]["annotations"], scaled["spec"]["scaleTargetRef"]) == ({"team": "a"}, NEW)
    roll_back(world.run(settle=0), keeper)
    scaled = world.cluster.get(SCALED_OBJECT.path(NAMESPACE, "web"))
    assert (scaled["metadata"]["annotations"], scaled["spec"]["scaleTargetRef"]) == (
        {"team": "a"},
        {"name": "web"},
    )


class Autoscaler:
    """An HPA controller without metrics: it enforces bounds at every look, and idles at 0."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.scaled = 0

    def look(self) -> None:
        spec = spec_of(self._world, HPA)
        aim = DEPLOYMENT if spec["scaleTargetRef"]["kind"] == "Deployment" else CLONESET
        live = self._world.deployment if aim is DEPLOYMENT else self._world.cloneset
        wanted = dig(live, ("spec", "replicas"), 0)
        bounded = min(max(wanted, spec["minReplicas"]), spec["maxReplicas"])
        if wanted and bounded != wanted:
            self.scaled += 1
            merge(aim, self._world, {"spec": {"replicas": bounded}})


@pytest.mark.parametrize(
    "behavior",
    [
        pytest.param(None, id="none"),
        pytest.param({"scaleDown": {"stabilizationWindowSeconds": 60}}, id="one way"),
    ],
)
def test_an_hpa_is_held_still_its_bounds_too(behavior: Raw | None) -> None:
    """migration.md §11.3 row 65."""
    world = World(replicas=3)
    held: dict[str, Any] = {"behavior": behavior} if behavior else {}
    add(world, HPA, hpa(3, 3, **held))
    before = spec_of(world, HPA)
    scaler = Autoscaler(world)
    keeper = begin(world)
    move_over(world.run(check=scaler.look), keeper)
    assert scaler.scaled == 0
    assert spec_of(world, HPA) == {**before, "scaleTargetRef": NEW}
    roll_back(world.run(check=scaler.look), keeper)
    assert scaler.scaled == 0
    assert spec_of(world, HPA) == before


def test_a_run_that_stops_leaves_it_held_still_and_a_rollback_lets_it_go() -> None:
    world = World(replicas=2)
    add(world, HPA, hpa(2, 4))
    before = spec_of(world, HPA)
    keeper = begin(world)
    with pytest.raises(InterruptedError):
        move_over(world.run(seen=stop_when(1)), keeper)
    assert (spec_of(world, HPA)["minReplicas"], spec_of(world, HPA)["maxReplicas"]) == (1, 4)
    roll_back(world.run(), keeper)
    assert spec_of(world, HPA) == before


def test_recreating_holds_it_still_too() -> None:
    world = World(replicas=2)
    add(world, HPA, hpa(2, 4))
    before = spec_of(world, HPA)
    scaler = Autoscaler(world)
    recreate(world.run(check=scaler.look), begin(world, Mode.RECREATE))
    assert (scaler.scaled, spec_of(world, HPA)) == (0, {**before, "scaleTargetRef": NEW})


def test_budgets_of_kruise_follow() -> None:
    world = World(replicas=2)
    pub = {"apiVersion": "policy.kruise.io/v1alpha1", "kind": POD_UNAVAILABLE_BUDGET.kind}
    spec = {"targetRef": OLD, "maxUnavailable": 1}
    add(world, POD_UNAVAILABLE_BUDGET, {**pub, "metadata": {"name": "web"}, "spec": spec})
    move_over(world.run(settle=0), begin(world, rewrite_refs=chosen_kinds("hpa,PUB")))
    assert spec_of(world, POD_UNAVAILABLE_BUDGET)["targetRef"] == NEW


def test_words_for_kinds() -> None:
    assert chosen_kinds("all") == tuple(NAMES.values())
    assert chosen_kinds("vpa, hpa") == ("hpa", "vpa")
    with pytest.raises(ValueError, match="'pdb' is none of all, hpa, keda"):
        chosen_kinds("hpa,pdb")

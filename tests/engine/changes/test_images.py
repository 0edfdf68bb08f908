from typing import Any

import jsonpatch
import pytest

from kubectl_kruise.engine.changes.change import Change, Unchanged
from kubectl_kruise.engine.changes.images import parse_images, plan_images
from kubectl_kruise.errors import NotFoundError, RefusedError, UsageError
from kubectl_kruise.objects.raw import dig
from tests.engine.changes.workloads import UID, cloneset, deployment, surging_on_delete

IN_PLACE = {"type": "InPlaceIfPossible"}


def planned(decision: object) -> Change:
    assert isinstance(decision, Change)
    return decision


def test_the_patch_names_the_container_and_nothing_else() -> (
    None
):  # cli.md B21, rollout-operations.md §13 row 17
    change = planned(plan_images(cloneset(strategy=IN_PLACE), {"proxy": "envoy:2"}))

    assert change.operations == [
        {"op": "test", "path": "/metadata/uid", "value": UID},
        {"op": "test", "path": "/spec/template/spec/containers/1/name", "value": "proxy"},
        {"op": "replace", "path": "/spec/template/spec/containers/1/image", "value": "envoy:2"},
    ]
    assert change.deltas == ("containers[proxy] envoy:1 → envoy:2",)
    assert change.notes == ("updates in place: the containers restart, pods keep their names, IPs and nodes",)
    assert change.mode == "update in place"


def test_star_means_every_container_and_a_name_beats_it() -> None:
    workload = deployment()
    workload.raw["spec"]["template"]["spec"]["initContainers"] = [{"name": "init", "image": "busybox:1"}]

    change = planned(plan_images(workload, {"*": "all:2", "app": "app:2"}))

    patched = jsonpatch.apply_patch(workload.raw, change.operations)
    assert dig(patched, ("spec", "template", "spec", "initContainers", 0, "image")) == "all:2"
    assert dig(patched, ("spec", "template", "spec", "containers", 0, "image")) == "app:2"


def test_images_that_are_set_already_change_nothing() -> None:
    assert isinstance(plan_images(cloneset(), {"app": "shop/web:1", "proxy": "envoy:1"}), Unchanged)


def test_an_unknown_container_is_answered_with_those_there_are() -> None:
    with pytest.raises(NotFoundError) as missing:
        plan_images(cloneset(), {"app": "x:1", "sidecar": "x:1"})

    assert missing.value.lines() == [
        'error: cloneset "web" has no container "sidecar"',
        "  hint: containers: app, proxy",
    ]


@pytest.mark.parametrize(
    ("spec", "image", "way"),
    [
        pytest.param(
            {"strategy": {**IN_PLACE, "maxSurge": 2}},
            {"app": "x:2"},
            "updates in place: the containers restart, pods keep their names, IPs and nodes; up to 2 of them go for"
            " those that maxSurge makes",
            id="Q20: the last old pods make room for the surge",
        ),
        pytest.param(
            {"strategy": {"type": "ReCreate"}},
            {"app": "x:2"},
            "recreates the pods (update type ReCreate)",
            id="ReCreate",
        ),
        pytest.param(
            {}, {"app": "x:2"}, "recreates the pods (update type ReCreate)", id="no type, so ReCreate"
        ),
        pytest.param(
            {"strategy": IN_PLACE},
            {"init": "x:2"},
            "recreates the pods: spec.template.spec.initContainers[init].image cannot be updated in place",
            id="init container",
        ),
    ],
)
def test_the_note_says_how_the_pods_get_it(spec: dict[str, Any], image: dict[str, str], way: str) -> None:
    workload = cloneset(**spec)
    workload.raw["spec"]["template"]["spec"]["initContainers"] = [{"name": "init", "image": "busybox:1"}]

    assert way in planned(plan_images(workload, image)).notes


def test_in_place_only_refuses_what_it_could_never_do() -> None:
    workload = cloneset(strategy={"type": "InPlaceOnly"})
    workload.raw["spec"]["template"]["spec"]["initContainers"] = [{"name": "init", "image": "busybox:1"}]

    with pytest.raises(RefusedError, match="its update type is InPlaceOnly"):
        plan_images(workload, {"init": "x:2"})


def test_recreating_pods_with_claims_warns_of_their_data() -> None:  # cloneset.md §26 Q8
    claims = [{"metadata": {"name": "data"}}]

    recreated = planned(plan_images(cloneset(volumeClaimTemplates=claims), {"app": "x:2"}))
    in_place = planned(plan_images(cloneset(strategy=IN_PLACE, volumeClaimTemplates=claims), {"app": "x:2"}))

    assert recreated.warnings == (
        "the volume claims of the pods that go are deleted with them, and their data is lost",
    )
    assert in_place.warnings == ()


def test_a_partition_and_a_pause_are_said_to_hold_pods_back() -> None:
    strategy = {**IN_PLACE, "partition": "60%", "paused": True}

    change = planned(plan_images(cloneset(strategy=strategy), {"app": "x:2"}))

    assert change.notes[-2:] == (
        "2 of 5 pods change, 3 stay (partition 60%)",
        "the rollout is paused: nothing moves until it is resumed",
    )


@pytest.mark.parametrize(
    "words", [["app"], ["app="], ["=x"], ["app=x y"], ["app=x:1", "app=x:2"], []], ids=" ".join
)
def test_malformed_images_are_usage_errors(words: list[str]) -> None:
    with pytest.raises(UsageError):
        parse_images(words)


def test_an_image_with_a_digest_and_a_port_is_read_whole() -> None:
    assert parse_images([" app = host:5000/a/b@sha256:0ff= "]) == {"app": "host:5000/a/b@sha256:0ff="}


def test_a_surge_beside_on_delete_is_said_to_replace_pods() -> None:  # cloneset.md §26 Q26
    change = planned(plan_images(surging_on_delete(), {"app": "x:2"}))

    assert change.notes == (
        "replaces old pods although the update type is OnDelete: maxSurge 1 makes new ones beside them",
    )


def test_on_delete_alone_is_said_to_replace_none() -> None:
    change = planned(plan_images(cloneset(strategy={"type": "OnDelete"}), {"app": "x:2"}))

    assert change.notes == (
        "replaces no pod: each gets the new template when it is deleted (update type OnDelete)",
    )

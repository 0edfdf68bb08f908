"""What users do to a CloneSet."""

from typing import Any

from tests.controllers.cloneset.world import World
from tests.controllers.stories import Act, Story, image, scale


def _sized(cpu: str, image: str) -> dict[str, Any]:
    resources = {"limits": {"cpu": cpu}, "requests": {"cpu": "100m"}}
    container = {"name": "main", "image": image, "resources": resources}
    return {"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}}


def _label_one(world: World) -> None:
    world.patch_pod(min(world.names()), {"metadata": {"labels": {"apps.kruise.io/specified-delete": "true"}}})


def _name_two(world: World) -> None:
    chosen = sorted(world.names())[:2]
    world.change({"replicas": 4, "scaleStrategy": {"podsToDelete": chosen}})


STORIES = (
    Story("create", (Act(lambda world: world.create(5), 5),)),
    Story(
        "scale out and in",
        (Act(lambda world: world.create(2, maxUnavailable=1), 2), Act(scale(5), 5), Act(scale(2), 2)),
    ),
    Story(
        "update in place with grace",
        (
            Act(
                lambda world: world.create(
                    3, maxUnavailable=1, inPlaceUpdateStrategy={"gracePeriodSeconds": 3}
                ),
                3,
            ),
            Act(image("nginx:2"), 3, 30),
        ),
    ),
    Story(
        "recreate with surge and partition",
        (
            Act(
                lambda world: world.create(4, type="ReCreate", maxSurge=1, maxUnavailable=1, partition=2),
                4,
            ),
            Act(image("nginx:2"), 4, 20),
            Act(lambda world: world.change({"updateStrategy": {"partition": 0}}), 4, 20),
        ),
        surge=1,
    ),
    Story(
        "replace a chosen pod",
        (Act(lambda world: world.create(3, maxUnavailable=1), 3), Act(_label_one, 3)),
    ),
    Story(
        "scale in by name",
        (Act(lambda world: world.create(6, maxUnavailable=1), 6), Act(_name_two, 4, 20)),
    ),
    Story(
        "resize in place",
        (
            Act(lambda world: world.create(3, maxUnavailable=1, spec=_sized("200m", "nginx:1")), 3),
            Act(lambda world: world.change(_sized("400m", "nginx:1")), 3, 20),
            Act(lambda world: world.change(_sized("300m", "nginx:2")), 3, 20),
        ),
    ),
    Story(
        "go back halfway",
        (
            Act(lambda world: world.create(4, maxUnavailable=1), 4),
            Act(image("nginx:2"), 4, 3),
            Act(image("nginx:1"), 4, 25),
        ),
        counted=False,
    ),
)

"""What users do to an Advanced StatefulSet."""

from tests.controllers.statefulset.world import CLAIMS, World
from tests.controllers.stories import Act, Story, image, scale

WITH_CLAIMS = {
    "volumeClaimTemplates": CLAIMS,
    "persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete", "whenDeleted": "Delete"},
}


def _choose(name: str):
    return lambda world: world.patch_pod(
        name, {"metadata": {"labels": {"apps.kruise.io/specified-delete": "true"}}}
    )


def _reserve(world: World) -> None:
    world.change({"reserveOrdinals": [1]})


STORIES = (
    Story(
        "in order, with claims",
        (
            Act(lambda world: world.create(3, policy="OrderedReady", spec=WITH_CLAIMS), 3, 20),
            Act(scale(1), 1, 15),
        ),
    ),
    Story(
        "out and in, with claims",
        (
            Act(lambda world: world.create(2, spec=WITH_CLAIMS), 2),
            Act(scale(5), 5),
            Act(scale(2), 2),
        ),
    ),
    Story(
        "update in place with grace and partition",
        (
            Act(
                lambda world: world.create(4, partition=2, inPlaceUpdateStrategy={"gracePeriodSeconds": 3}),
                4,
            ),
            Act(image("nginx:2"), 4, 25),
            Act(lambda world: world.roll(partition=0), 4, 25),
        ),
    ),
    Story(
        "recreate two at a time",
        (
            Act(lambda world: world.create(5, podUpdatePolicy="ReCreate", maxUnavailable=2), 5),
            Act(image("nginx:2"), 5, 30),
        ),
        unavailable=2,
    ),
    Story(
        "reserve an ordinal, replace a chosen pod",
        (
            Act(lambda world: world.create(3, spec=WITH_CLAIMS), 3),
            Act(_reserve, 3, 15),
            Act(_choose("web-2"), 3, 15),
        ),
        surge=1,
    ),
)

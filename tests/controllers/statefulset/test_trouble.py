"""Advanced StatefulSets through whatever happens between controller and server."""

import pytest

from kubectl_kruise.sandbox.hooks import Fault
from tests.controllers.statefulset.stories import STORIES
from tests.controllers.statefulset.world import World
from tests.controllers.stories import Story
from tests.controllers.surviving import (
    ODDS,
    survives_bad_connections,
    survives_clocks_that_are_set,
    survives_company,
    survives_short_lives,
)
from tests.controllers.world import MANAGER

by_story = pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)


@by_story
@pytest.mark.parametrize(("odds", "seed"), list(zip(ODDS, range(1, 5), strict=True)), ids=ODDS)
def test_bad_connections(story: Story, odds: str, seed: int) -> None:
    survives_bad_connections(World, story, ODDS[odds], seed)


@by_story
def test_short_lives(story: Story) -> None:
    survives_short_lives(World, story)


@by_story
def test_clocks_that_are_set(story: Story) -> None:
    survives_clocks_that_are_set(World, story)


@by_story
def test_two_controllers_for_a_moment(story: Story) -> None:
    survives_company(World, story)


def test_a_request_in_doubt_is_not_made_again() -> None:
    """The pod was created, but the answer, the look at it and the watch fail for a while."""
    world = World()
    world.create(0)
    world.run(5)
    world.sandbox.hooks.faults += [
        Fault(verb="create", resource="pods", user_agent=MANAGER, drop="after"),
        Fault(verb="get", resource="pods", user_agent=MANAGER, code=500, count=5),
        Fault(verb="watch", resource="pods", user_agent=MANAGER, code=500, count=20),
    ]
    world.change({"replicas": 1})
    for _ in range(30):
        world.run(1)

    assert world.names() == {"web-0"}
    assert world.writes()["POST pods"] == 1
    assert world.status()["availableReplicas"] == 1
    assert "conditions" not in world.status()

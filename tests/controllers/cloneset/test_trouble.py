"""CloneSets through whatever happens between controller and server."""

import pytest

from kubectl_kruise.sandbox.hooks import Fault
from tests.controllers.cloneset.stories import STORIES
from tests.controllers.cloneset.world import World
from tests.controllers.stories import Story
from tests.controllers.surviving import (
    ODDS,
    settles,
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
    """A pod was created, but the answer, the look at the pod and the watch fail for a while."""
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

    assert len(world.pods()) == 1
    assert world.writes()["POST pods"] == 1
    assert world.status()["availableReplicas"] == 1


@pytest.mark.parametrize("name", ["update in place with grace", "go back halfway"])
def test_two_controllers_that_see_the_same_change_choose_the_same_pods(name: str) -> None:
    story = next(story for story in STORIES if story.name == name)
    world = World()
    first = list(world.sandbox.controllers)

    def run(seconds: float) -> None:
        world.run(seconds - 2)
        world.sandbox.controllers[:] = [*first, *world.controllers(world.line)]
        world.run(2)

    settles(World, world, story, run, calm=lambda: None)


def test_a_gate_that_could_not_be_opened_is_opened_later() -> None:
    world = World()
    refused = Fault(
        verb="update", resource="pods", subresource="status", user_agent=MANAGER, code=409, count=-1
    )
    refused.reason = "Conflict"
    world.sandbox.hooks.faults.append(refused)
    world.create(1)
    world.run()
    world.sandbox.hooks.faults.clear()
    world.run()

    assert world.status()["availableReplicas"] == 1

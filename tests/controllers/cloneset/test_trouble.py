"""Whatever happens between controller and server: nothing too many is made or taken down, and the end is the same.

Every run is drawn from a seed, so that one that fails fails again.
"""

import random
from collections.abc import Callable
from functools import cache

import pytest

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.hooks import Fault
from tests.controllers.cloneset.stories import STORIES, Story, outcome, play
from tests.controllers.cloneset.trouble import Odds, Skewed, Troubled
from tests.controllers.cloneset.world import MANAGER, Death, World

UNCLEAR = Odds(failed=0.15, lost=0.1, refused=0.05)
LAGGING = Odds(stale=0.6, failed=0.1)
DISORDER = Odds(twice=0.3, swapped=0.3, cut=0.3, expired=0.1)
EVERYTHING = Odds(0.07, 0.07, 0.07, 0.3, 0.2, 0.05, 0.2, 0.2)

by_story = pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)


@cache
def undisturbed(story: Story) -> Raw:
    world = World()
    assert play(world, story).broken == []
    world.run(30)
    return outcome(world, story)


def settles(world: World, story: Story, run: Callable[[float], None], calm: Callable[[], None]) -> None:
    """Play a story through its trouble, let it calm down, and check what must hold."""
    guard = play(world, story, run)
    calm()
    world.run(60)

    assert guard.broken == []
    assert outcome(world, story) == undisturbed(story)


@by_story
@pytest.mark.parametrize(
    ("odds", "seed"),
    [(UNCLEAR, 1), (LAGGING, 2), (DISORDER, 3), (EVERYTHING, 4)],
    ids=["unclear answers", "a cache that lags", "events in disorder", "everything"],
)
def test_bad_connections(story: Story, odds: Odds, seed: int) -> None:
    world = World(seed=seed)
    line = world.line = Troubled(world.sandbox.transport, world.sandbox.clock, odds, seed)
    world.start()

    def run(seconds: float) -> None:
        for _ in range(int(seconds)):
            world.run(1)

    def calm() -> None:
        line.odds = Odds()

    settles(world, story, run, calm)


@by_story
def test_short_lives(story: Story) -> None:
    """Each life ends after a few writes: before the last one is sent, or before its answer arrives."""
    world, chance = World(), random.Random(story.name)

    def live() -> None:
        world.start(chance.randint(1, 5), sent=chance.random() < 0.5)

    def run(seconds: float) -> None:
        end = world.sandbox.clock.monotonic() + seconds
        while (left := end - world.sandbox.clock.monotonic()) > 0:
            try:
                world.run(left)
            except Death:
                live()

    live()
    settles(world, story, run, calm=world.start)


@by_story
def test_clocks_that_are_set(story: Story) -> None:
    world, chance = World(), random.Random(story.name)
    clock = world.clock = Skewed(world.sandbox.clock)
    world.start()

    def run(seconds: float) -> None:
        for _ in range(int(seconds)):
            clock.skew = chance.choice((-25, -5, 0, 5, 25))
            world.run(1)

    def calm() -> None:
        clock.skew = 0
        world.run(60)  # what was begun by a clock that was ahead

    settles(world, story, run, calm)


@by_story
def test_two_controllers_for_a_moment(story: Story) -> None:
    world, chance = World(), random.Random(story.name)

    def run(seconds: float) -> None:
        alone, together = chance.uniform(0, 2), chance.uniform(1, 6)
        world.run(alone)
        second = world.controllers(world.line)
        world.sandbox.add(*second)
        world.run(together)
        world.sandbox.controllers[:] = [each for each in world.sandbox.controllers if each not in second]
        world.run(seconds - alone - together)

    settles(world, story, run, calm=lambda: None)


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

    settles(world, story, run, calm=lambda: None)


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

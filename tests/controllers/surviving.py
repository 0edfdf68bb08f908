"""Whatever happens between controller and server: nothing too many is made or taken down, and the end is the same.

Every run is drawn from a seed, so that one that fails fails again.
"""

import random
from collections.abc import Callable
from functools import cache

from kubectl_kruise.objects.raw import Raw
from tests.controllers.stories import Story, outcome, play
from tests.controllers.trouble import Odds, Skewed, Troubled
from tests.controllers.world import Death, World

ODDS = {
    "unclear answers": Odds(failed=0.15, lost=0.1, refused=0.05),
    "a cache that lags": Odds(stale=0.6, failed=0.1),
    "events in disorder": Odds(twice=0.3, swapped=0.3, cut=0.3, expired=0.1),
    "everything": Odds(0.07, 0.07, 0.07, 0.3, 0.2, 0.05, 0.2, 0.2),
}

Make = Callable[[], World]


@cache
def undisturbed(make: Make, story: Story) -> Raw:
    world = make()
    assert play(world, story).broken == []
    world.run(30)
    return outcome(world, story)


def settles(
    make: Make, world: World, story: Story, run: Callable[[float], None], calm: Callable[[], None]
) -> None:
    """Play a story through its trouble, let it calm down, and check what must hold."""
    guard = play(world, story, run)
    calm()
    world.run(60)

    assert guard.broken == []
    assert outcome(world, story) == undisturbed(make, story)


def survives_bad_connections(make: Make, story: Story, odds: Odds, seed: int) -> None:
    world = make()
    line = world.line = Troubled(world.sandbox.transport, world.sandbox.clock, odds, seed)
    world.start()

    def run(seconds: float) -> None:
        for _ in range(int(seconds)):
            world.run(1)

    def calm() -> None:
        line.odds = Odds()

    settles(make, world, story, run, calm)


def survives_short_lives(make: Make, story: Story) -> None:
    """Let each life end after a few writes: before the last one is sent, or before its answer arrives."""
    world, chance = make(), random.Random(story.name)

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
    settles(make, world, story, run, calm=world.start)


def survives_clocks_that_are_set(make: Make, story: Story) -> None:
    world, chance = make(), random.Random(story.name)
    clock = world.clock = Skewed(world.sandbox.clock)
    world.start()

    def run(seconds: float) -> None:
        for _ in range(int(seconds)):
            clock.skew = chance.choice((-25, -5, 0, 5, 25))
            world.run(1)

    def calm() -> None:
        clock.skew = 0
        world.run(60)  # what was begun by a clock that was ahead

    settles(make, world, story, run, calm)


def survives_company(make: Make, story: Story) -> None:
    """Let a second controller work beside the first for a moment."""
    world, chance = make(), random.Random(story.name)

    def run(seconds: float) -> None:
        alone, together = chance.uniform(0, 2), chance.uniform(1, 6)
        world.run(alone)
        second = world.controllers(world.line)
        world.sandbox.add(*second)
        world.run(together)
        world.sandbox.controllers[:] = [each for each in world.sandbox.controllers if each not in second]
        world.run(seconds - alone - together)

    settles(make, world, story, run, calm=lambda: None)

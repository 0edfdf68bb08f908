"""Updates that the server refuses once the pod has left service (cloneset.md §19.2, Q27)."""

from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.controllers.writing.refusals import Refusals
from kubectl_kruise.facts.kinds import EVENT, LIMIT_RANGE
from kubectl_kruise.objects.pod import available
from kubectl_kruise.objects.raw import Raw
from tests.controllers.cloneset.world import World
from tests.controllers.world import NAMESPACE

KEY, OTHER = Key("n", "a"), Key("n", "b")


def test_attempts_become_rarer_until_the_longest_wait() -> None:
    refusals, waits = Refusals(), []
    for _ in range(15):
        refusals.note(KEY, "r1", 100.0)
        waits.append(refusals.left(KEY, "r1", 100.0))

    assert [round(wait, 3) for wait in waits[:3]] == [0.005, 0.01, 0.02]
    assert waits[-1] == 30.0


def test_only_the_refused_revision_of_the_cloneset_waits() -> None:
    refusals = Refusals()
    refusals.note(KEY, "r1", 100.0)

    assert refusals.left(KEY, "r2", 100.0) == refusals.left(OTHER, "r1", 100.0) == 0.0
    assert refusals.left(KEY, "r1", 100.1) == 0.0
    refusals.forget(KEY)
    assert refusals.left(KEY, "r1", 100.0) == 0.0


def test_a_clock_that_was_set_back_holds_nothing_up() -> None:
    refusals = Refusals()
    refusals.note(KEY, "r1", 100.0)

    assert refusals.left(KEY, "r1", 50.0) == 0.0


def sized(cpu: str, image: str) -> Raw:
    resources = {"limits": {"cpu": cpu}, "requests": {"cpu": "100m"}}
    container = {"name": "main", "image": image, "resources": resources}
    return {"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}}


def forbid(world: World) -> None:
    spec = {"limits": [{"type": "Container", "max": {"cpu": "300m"}}]}
    body = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "few"}, "spec": spec}
    world.user.create(LIMIT_RANGE.path(NAMESPACE), body)


def failures(world: World) -> int:
    events = [event for event in world.all(EVENT) if event["reason"] == "FailedUpdatePodInPlace"]
    return sum(event.get("count", 1) for event in events)


def test_a_pod_serves_between_attempts_and_is_updated_once_it_may_be() -> None:
    world = World()
    world.create(2, maxUnavailable=1, spec=sized("200m", "nginx:1"))
    world.run()
    forbid(world)
    world.change(sized("400m", "nginx:2"))
    world.run(60)

    assert 5 < failures(world) < 20
    assert all(available(pod, 0, world.sandbox.clock.time()) for pod in world.pods())
    assert world.images() == ["nginx:1", "nginx:1"]

    world.user.delete(LIMIT_RANGE.path(NAMESPACE, "few"))
    world.run(60)
    assert world.images() == ["nginx:2", "nginx:2"]


def test_a_new_template_is_tried_at_once() -> None:
    world = World()
    world.create(1, spec=sized("200m", "nginx:1"))
    world.run()
    forbid(world)
    world.change(sized("400m", "nginx:2"))
    world.run(60)
    world.change(sized("250m", "nginx:2"))
    world.run(1)

    assert world.images() == ["nginx:2"]

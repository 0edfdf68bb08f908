import pytest

from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.loop import Stepper
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.facts.kinds import CONFIGMAP, SECRET
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.hooks import Fault


class Noted:
    """A controller that only notes what it was given."""

    name = "noted"
    workers = 1

    def __init__(self, sandbox: Sandbox) -> None:
        client = sandbox.client()
        self.queue = Queue(sandbox.clock)
        self.informers = [
            Informer(client, CONFIGMAP.path("default")),
            Informer(client, SECRET.path("default")),
        ]
        self.seen: list[Key] = []

    def reconcile(self, key: Key) -> float | None:
        self.seen.append(key)
        return None


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox()


def test_nobody_works_before_everything_was_listed(sandbox: Sandbox) -> None:
    sandbox.hooks.faults.append(Fault(verb="list", resource="secrets", code=500, count=1))
    noted = Noted(sandbox)
    stepper = Stepper([noted], sandbox.clock)
    noted.queue.add(Key("default", "a"))

    stepper.step()
    assert noted.seen == []
    stepper.settle()
    assert noted.seen == [Key("default", "a")]


def test_a_watch_that_fails_is_taken_up_again(sandbox: Sandbox) -> None:
    noted = Noted(sandbox)
    stepper = Stepper([noted], sandbox.clock)
    stepper.settle()
    sandbox.hooks.faults.append(Fault(verb="watch", resource="configmaps", code=503, count=1))
    sandbox.client().create(CONFIGMAP.path("default"), {"metadata": {"name": "b"}})

    assert not stepper.step()
    stepper.step()
    assert [raw["metadata"]["name"] for raw in noted.informers[0].all()] == ["b"]


def test_a_watch_that_would_tell_nothing_is_spared(sandbox: Sandbox) -> None:
    noted = Noted(sandbox)
    sandbox.add(noted)
    sandbox.settle()
    sandbox.hooks.requests.clear()

    sandbox.client().create(CONFIGMAP.path("default"), {"metadata": {"name": "b"}})
    sandbox.settle()
    assert noted.informers[0].get(Key("default", "b"))
    watched = [request.path for request in sandbox.hooks.requests if "watch=" in request.query]
    assert CONFIGMAP.path("default") in watched
    assert SECRET.path("default") not in watched


def test_a_watch_whose_past_is_forgotten_is_not_spared(sandbox: Sandbox) -> None:
    noted = Noted(sandbox)
    sandbox.add(noted)
    sandbox.settle()
    sandbox.client().create(CONFIGMAP.path("default"), {"metadata": {"name": "b"}})
    sandbox.server.store.forget_log()

    sandbox.settle()
    assert noted.informers[0].get(Key("default", "b"))

"""The process around the controllers, with real threads: what ends it, and that the lease is given up."""

import threading

import pytest

from kubectl_kruise.cluster.clock import SystemClock
from kubectl_kruise.controllers import foreground
from kubectl_kruise.controllers.foreground import Foreground
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.lease import OWN_LEASE, OWN_NAMESPACE, OwnLease, Tenure
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.errors import ConflictError, RefusedError, UnreachableError
from kubectl_kruise.facts.kinds import CONFIGMAP, LEASE
from kubectl_kruise.sandbox.embedded import Sandbox

PATH = LEASE.path(OWN_NAMESPACE, OWN_LEASE)


class Reacting:
    """A controller that calls back for the first object it sees."""

    name, workers = "reacting", 1

    def __init__(self, cluster, reaction):
        self.queue = Queue(SystemClock())
        self.informers = (Informer(cluster, CONFIGMAP.path()),)
        self.informers[0].on_change(lambda _, new: self.queue.add(Key("default", new["metadata"]["name"])))
        self._reaction = reaction

    def reconcile(self, key):
        self._reaction(key)


@pytest.fixture
def cluster(monkeypatch):
    monkeypatch.setattr(foreground, "RETRY_SECONDS", 0.01)
    client = Sandbox(kruise=False).client()
    client.create(CONFIGMAP.path("default"), {"metadata": {"name": "go"}})
    return client


def start(cluster, reaction, *, tenure=None):
    tenure = tenure or Tenure(cluster, SystemClock(), OwnLease(cluster, SystemClock(), identity="me"))
    process = Foreground(tenure, lambda: [Reacting(cluster, lambda key: reaction(process, key))])
    return process


def holder(cluster):
    return cluster.get(PATH)["spec"]["holderIdentity"]


def test_it_works_under_the_lease_and_gives_it_up_when_told_to_stop(cluster):
    seen = []

    def reaction(process, key):
        seen.append((key, holder(cluster)))
        process.stop()

    start(cluster, reaction).run()

    assert seen == [(Key("default", "go"), "me")]
    assert holder(cluster) == ""


def test_the_key_in_hand_is_finished_before_the_lease_is_given_up(cluster):
    order = []

    def reaction(process, _):
        process.stop()
        threading.Event().wait(0.05)
        order.append(holder(cluster))

    start(cluster, reaction).run()

    assert order == ["me"]


def test_it_ends_when_the_lease_is_stolen(cluster):
    def reaction(_, __):
        stolen = cluster.get(PATH)
        stolen["spec"]["holderIdentity"] = "thief"
        cluster.replace(PATH, stolen)

    with pytest.raises(ConflictError, match="lost lease"):
        start(cluster, reaction).run()

    assert holder(cluster) == "thief"


class Ending(Tenure):
    """A tenure whose renewals end with an error, or hang."""

    def __init__(self, cluster, error=None):
        super().__init__(cluster, SystemClock(), OwnLease(cluster, SystemClock(), identity="me"))
        self._error = error
        self.released = threading.Event()

    def keep(self):
        if self._error:
            raise self._error
        self.lease.renewed_at -= 60
        self.released.wait(5)


def test_it_ends_beside_a_manager_and_gives_the_lease_up(cluster):
    with pytest.raises(RefusedError):
        start(cluster, lambda *_: None, tenure=Ending(cluster, RefusedError("a manager"))).run()

    assert holder(cluster) == ""


def test_a_renewal_that_hangs_does_not_hide_that_the_lease_ran_out(cluster):
    tenure = Ending(cluster)

    with pytest.raises(ConflictError, match="could not be renewed in time"):
        start(cluster, lambda *_: None, tenure=tenure).run()
    tenure.released.set()


def test_a_signal_while_it_works_gives_the_lease_up(cluster, monkeypatch):
    class Signal(BaseException):
        """What a signal handler raises in the main thread."""

    process = start(cluster, lambda *_: None)
    monkeypatch.setattr(process.lease, "overdue", lambda: (_ for _ in ()).throw(Signal))

    with pytest.raises(Signal):
        process.run()

    assert holder(cluster) == ""


def test_a_server_that_is_gone_when_the_lease_is_given_up(cluster, monkeypatch, caplog):
    def gone():
        raise UnreachableError("no server answers")

    process = start(cluster, lambda process, _: process.stop())
    monkeypatch.setattr(process.lease, "release", gone)

    process.run()

    assert "giving up the lease: no server answers" in caplog.text


def test_told_to_stop_while_it_waits(cluster):
    OwnLease(cluster, SystemClock(), identity="first").take()
    process = start(cluster, lambda *_: None)
    process.stop()

    process.run()

    assert holder(cluster) == "first"

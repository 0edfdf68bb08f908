import logging

import pytest

from kubectl_kruise.controllers.lease import (
    LEASE_SECONDS,
    OWN_LEASE,
    OWN_NAMESPACE,
    RENEW_DEADLINE,
    OwnLease,
    Tenure,
    refuse_beside_manager,
    refuse_overlap,
)
from kubectl_kruise.errors import ConflictError, NotAllowedError, RefusedError, UnreachableError
from kubectl_kruise.facts.kinds import LEASE, NAMESPACE
from kubectl_kruise.facts.names import MANAGER_LEASE, MANAGER_NAMESPACE
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.sandbox.embedded import Sandbox

PATH = LEASE.path(OWN_NAMESPACE, OWN_LEASE)


@pytest.fixture
def sandbox():
    return Sandbox(kruise=False)


@pytest.fixture
def cluster(sandbox):
    return sandbox.client()


def lease(sandbox, identity="me", **settings):
    return OwnLease(sandbox.client(), sandbox.clock, identity=identity, **settings)


def manager(cluster, clock, *, age=0.0, holder="mgr"):
    cluster.create(NAMESPACE.path(), {"metadata": {"name": MANAGER_NAMESPACE}})
    spec = {
        "holderIdentity": holder,
        "leaseDurationSeconds": 15,
        "renewTime": rfc3339(clock.time() - age).replace("Z", ".000000Z"),
    }
    cluster.create(LEASE.path(MANAGER_NAMESPACE), {"metadata": {"name": MANAGER_LEASE}, "spec": spec})


class Failing:
    """A cluster that answers the reads of one lease with an error."""

    def __init__(self, inner, name, error):
        self._inner, self._name, self.error = inner, name, error

    def get(self, path, **more):
        if self.error and path.endswith(self._name):
            raise self.error
        return self._inner.get(path, **more)

    def __getattr__(self, name):
        return getattr(self._inner, name)


class TestOwnLease:
    def test_it_is_made_where_there_is_none(self, sandbox, cluster):
        mine = lease(sandbox)

        assert mine.take()
        assert cluster.get(PATH)["spec"] == {
            "acquireTime": "2026-01-01T00:00:00.000000Z",
            "holderIdentity": "me",
            "leaseDurationSeconds": LEASE_SECONDS,
            "leaseTransitions": 0,
            "renewTime": "2026-01-01T00:00:00.000000Z",
        }

    def test_renewing_moves_only_the_time(self, sandbox, cluster):
        mine = lease(sandbox)
        mine.take()
        before = cluster.get(PATH)["spec"]
        sandbox.clock.advance(2.5)

        assert mine.take()
        assert cluster.get(PATH)["spec"] == before | {"renewTime": "2026-01-01T00:00:02.500000Z"}

    def test_another_waits_until_it_has_seen_no_renewal_for_its_duration(self, sandbox, cluster):
        lease(sandbox).take()
        sandbox.clock.advance(3600)  # how old it looks does not count: clocks may differ
        other = lease(sandbox, "other")

        first = other.take()
        sandbox.clock.advance(LEASE_SECONDS)
        at_the_border = other.take()
        sandbox.clock.advance(0.1)

        assert (first, at_the_border, other.take()) == (False, False, True)
        spec = cluster.get(PATH)["spec"]
        assert (spec["holderIdentity"], spec["leaseTransitions"]) == ("other", 1)

    def test_a_renewal_makes_another_wait_anew(self, sandbox):
        mine, other = lease(sandbox), lease(sandbox, "other")
        mine.take()
        other.take()
        sandbox.clock.advance(LEASE_SECONDS)
        mine.take()
        sandbox.clock.advance(LEASE_SECONDS)

        assert not other.take()
        assert other.holder == "me"

    def test_one_that_was_given_up_is_free_at_once(self, sandbox):
        mine, other = lease(sandbox), lease(sandbox, "other")
        mine.take()

        assert mine.release()
        assert other.take()
        assert not mine.take()

    def test_what_is_not_ours_is_not_given_up(self, sandbox, cluster):
        mine, other = lease(sandbox), lease(sandbox, "other")
        mine.take()
        sandbox.clock.advance(1)
        other.take()

        assert not other.release()
        assert cluster.get(PATH)["spec"]["holderIdentity"] == "me"

    def test_one_that_another_took_meanwhile_is_left_alone(self, sandbox, cluster):
        mine = lease(sandbox)
        mine.take()
        taken = cluster.get(PATH)
        taken["spec"]["holderIdentity"] = "other"
        cluster.replace(PATH, taken)

        assert not mine.release()
        assert cluster.get(PATH)["spec"]["holderIdentity"] == "other"

    def test_a_renewal_under_way_does_not_keep_it(self, sandbox, cluster):
        class Renewing(Failing):
            renewed = False

            def replace(self, path, body, **more):
                if body["spec"]["holderIdentity"] == "" and not self.renewed:
                    self.renewed = True
                    live = self._inner.get(path)
                    renewal = live["spec"] | {"renewTime": "2030-01-01T00:00:00.000000Z"}
                    self._inner.replace(path, live | {"spec": renewal})
                return self._inner.replace(path, body, **more)

        mine = OwnLease(Renewing(cluster, OWN_LEASE, None), sandbox.clock, identity="me")
        mine.take()

        assert mine.release()
        assert cluster.get(PATH)["spec"]["holderIdentity"] == ""

    def test_a_lost_race_is_a_no(self, sandbox, cluster):
        class Racing(Failing):
            def replace(self, path, body, **more):
                self._inner.replace(path, self._inner.get(path) | {"spec": {"holderIdentity": "quick"}})
                return self._inner.replace(path, body, **more)

        lease(sandbox).take()
        mine = OwnLease(Racing(cluster, OWN_LEASE, None), sandbox.clock, identity="me")

        assert not mine.take()
        assert mine.renewed_at is None
        assert cluster.get(PATH)["spec"]["holderIdentity"] == "quick"

    def test_when_it_is_overdue(self, sandbox):
        mine = lease(sandbox)
        before = mine.overdue()
        mine.take()
        sandbox.clock.advance(RENEW_DEADLINE)
        in_time = mine.overdue()
        sandbox.clock.advance(0.1)

        assert (before, in_time, mine.overdue()) == (True, False, True)


class TestManager:
    @pytest.mark.parametrize("age", [0, 15])
    def test_a_live_one_is_respected(self, sandbox, cluster, age):
        manager(cluster, sandbox.clock, age=age)

        with pytest.raises(RefusedError) as caught:
            refuse_beside_manager(cluster, sandbox.clock.time())

        assert caught.value.exit_code == 3
        assert caught.value.cause == "mgr renewed lease kruise-manager in namespace kruise-system"

    @pytest.mark.parametrize(("age", "holder"), [(16, "mgr"), (0, "")], ids=["dead", "gave up"])
    def test_one_that_is_gone_does_not_matter(self, sandbox, cluster, age, holder):
        manager(cluster, sandbox.clock, age=age, holder=holder)

        refuse_beside_manager(cluster, sandbox.clock.time())

    def test_where_there_never_was_one(self, sandbox, cluster):
        refuse_beside_manager(cluster, sandbox.clock.time())


class TestTenure:
    def test_it_does_not_begin_beside_a_manager(self, sandbox, cluster):
        manager(cluster, sandbox.clock)

        with pytest.raises(RefusedError):
            Tenure(cluster, sandbox.clock, lease(sandbox)).seek()

    def test_it_ends_when_a_manager_comes_up_and_the_lease_can_be_given_up(self, sandbox, cluster):
        tenure = Tenure(cluster, sandbox.clock, lease(sandbox))
        tenure.seek()
        tenure.keep()
        manager(cluster, sandbox.clock)

        with pytest.raises(RefusedError):
            tenure.keep()

        assert tenure.lease.release()

    def test_waiting_is_told_once_per_holder(self, sandbox, cluster, caplog):
        lease(sandbox, "first").take()
        tenure = Tenure(cluster, sandbox.clock, lease(sandbox))

        with caplog.at_level(logging.INFO):
            sought = [tenure.seek(), tenure.seek()]

        assert sought == [False, False]
        assert caplog.messages == [f"waiting for lease {OWN_LEASE}, held by first"]

    def test_it_ends_when_another_has_the_lease(self, sandbox, cluster):
        tenure = Tenure(cluster, sandbox.clock, lease(sandbox))
        tenure.seek()
        stolen = cluster.get(PATH)
        stolen["spec"]["holderIdentity"] = "thief"
        cluster.replace(PATH, stolen)

        with pytest.raises(ConflictError, match="thief holds it now"):
            tenure.keep()

    def test_a_server_that_is_away_is_given_until_the_deadline(self, sandbox, cluster):
        failing = Failing(cluster, OWN_LEASE, None)
        tenure = Tenure(failing, sandbox.clock, OwnLease(failing, sandbox.clock, identity="me"))
        tenure.seek()
        failing.error = UnreachableError("no server answers")
        sandbox.clock.advance(RENEW_DEADLINE)
        tenure.keep()
        sandbox.clock.advance(0.1)

        with pytest.raises(ConflictError, match="could not be renewed in time") as caught:
            tenure.keep()

        assert caught.value.cause == "no server answers"


class TestOverlap:
    @pytest.mark.parametrize(
        ("held", "wanted", "refused"),
        [
            (OWN_NAMESPACE, "shop", True),
            ("shop", "", True),
            ("shop", "default", False),
            (OWN_NAMESPACE, OWN_NAMESPACE, False),
            (OWN_NAMESPACE, "", False),
        ],
        ids=[
            "all, then one",
            "one, then all",
            "two of them",
            "the same, which waits",
            "all twice, which waits",
        ],
    )
    def test_two_of_them_never_control_the_same_objects(self, sandbox, cluster, held, wanted, refused):
        cluster.create(NAMESPACE.path(), {"metadata": {"name": "shop"}})
        lease(sandbox, "first", namespace=held).take()

        try:
            refuse_overlap(cluster, sandbox.clock, wanted)
        except RefusedError as error:
            said = error.cause
        else:
            said = ""

        assert said == (f"first holds lease {OWN_LEASE}" if refused else "")

    def test_one_that_ran_out_does_not_matter(self, sandbox, cluster):
        lease(sandbox, "first", namespace="default").take()
        sandbox.clock.advance(LEASE_SECONDS + 1)

        refuse_overlap(cluster, sandbox.clock, "")

    @pytest.mark.parametrize("error", [NotAllowedError("no"), None], ids=["no rights", "none there"])
    def test_what_cannot_be_seen_does_not_matter(self, sandbox, cluster, error):
        refuse_overlap(Failing(cluster, OWN_LEASE, error), sandbox.clock, "shop")

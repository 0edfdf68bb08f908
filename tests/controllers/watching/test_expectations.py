"""Nothing is decided on a cache that does not show the last writes (cloneset.md §24.2, §24.3)."""

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.controllers.watching.expectations import (
    Expected,
    ScaleExpectations,
    VersionExpectations,
)

OWNER = Key("ns", "web")
POD = Expected("create", "pods", "web-a")


def written(version: str, uid: str = "u") -> dict:
    return {"metadata": {"uid": uid, "resourceVersion": version}}


def test_waits_until_all_was_seen() -> None:
    expectations = ScaleExpectations(VirtualClock())
    expectations.expect(OWNER, POD)
    expectations.expect(OWNER, Expected("delete", "pods", "web-b"))
    assert expectations.wait(OWNER) == 300
    assert expectations.wait(Key("ns", "other")) is None

    assert expectations.observe(OWNER, POD)
    assert not expectations.observe(OWNER, POD)
    assert expectations.wait(OWNER) is not None
    assert expectations.observe(OWNER, Expected("delete", "pods", "web-b"))
    assert expectations.wait(OWNER) is None


def test_the_time_runs_from_the_first_look() -> None:
    clock = VirtualClock()
    expectations = ScaleExpectations(clock, 60)
    expectations.expect(OWNER, POD)
    expectations.wait(OWNER)

    clock.advance(59)
    assert expectations.wait(OWNER) == 1
    clock.advance(2)
    assert expectations.wait(OWNER) == 0
    assert expectations.pending(OWNER) == [POD]
    expectations.renew(OWNER)
    assert expectations.wait(OWNER) == 60


def test_forgets_an_owner() -> None:
    expectations = ScaleExpectations(VirtualClock())
    expectations.expect(OWNER, POD)
    expectations.forget(OWNER)

    assert expectations.wait(OWNER) is None


def test_an_older_copy_is_not_acted_on() -> None:
    versions = VersionExpectations(VirtualClock())
    versions.expect(written("100"))

    assert versions.wait(written("99")) == 300
    assert versions.wait(written("99", "another")) is None
    assert versions.wait(written("100")) is None
    assert versions.wait(written("99")) is None  # seen once is enough


def test_versions_are_numbers() -> None:
    versions = VersionExpectations(VirtualClock())
    versions.expect(written("100"))

    assert versions.wait(written("1000")) is None


def test_an_old_copy_is_believed_after_five_minutes() -> None:
    clock = VirtualClock()
    versions = VersionExpectations(clock)
    versions.expect(written("100"))
    clock.advance(300)

    assert versions.wait(written("99")) is None

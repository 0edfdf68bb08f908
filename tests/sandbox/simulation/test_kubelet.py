"""The life of pods on simulated nodes (sandbox-apiserver.md KB3 to KB7)."""

import pytest

from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.sandbox.hooks import Fault
from kubectl_kruise.sandbox.simulation import RECORDED
from tests.sandbox.simulation.world import World, conditions, containers, pod, reasons, restarts


def started(*images: str, **more: object) -> World:
    world = World()
    world.create(POD, pod("p", *images, **more))
    world.run(1)
    return world


def test_a_pod_runs_ready_with_addresses_and_ids() -> None:
    world = started("nginx:1", "envoy:1")

    found = world.pod()
    status = found["status"]
    assert status["phase"] == "Running"
    assert set(conditions(found).values()) == {"True"}
    assert status["podIP"].startswith("10.244.")
    assert status["hostIP"] == "10.0.0.1"
    assert status["startTime"]
    main = containers(found)["main"]
    assert main["imageID"].startswith("sha256:")
    assert main["containerID"].startswith("sandbox://")
    assert (main["ready"], main["started"], main["restartCount"]) == (True, True, 0)
    assert containers(found)["side"]["imageID"] != main["imageID"]


def test_equal_image_names_have_equal_ids_and_addresses_differ() -> None:
    world = started("nginx:1")
    world.create(POD, pod("q", "nginx:1"))
    world.run(1)

    left, right = world.pod("p"), world.pod("q")
    assert containers(left)["main"]["imageID"] == containers(right)["main"]["imageID"]
    assert containers(left)["main"]["containerID"] != containers(right)["main"]["containerID"]
    assert left["status"]["podIP"] != right["status"]["podIP"]


def test_a_changed_image_restarts_that_container_alone() -> None:
    world = started("nginx:1", "envoy:1")
    before = world.pod()

    world.patch(POD, "p", {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}})
    world.sandbox.settle()
    during = world.pod()
    world.run(1)
    after = world.pod()

    assert "terminated" in containers(during)["main"]["state"]
    assert conditions(during)["Ready"] == "False"
    assert restarts(after) == {"main": 1, "side": 0}
    assert conditions(after)["Ready"] == "True"
    assert containers(after)["main"]["imageID"] != containers(before)["main"]["imageID"]
    assert containers(after)["main"]["lastState"]["terminated"]["exitCode"] == 0
    assert containers(after)["side"] == containers(before)["side"]
    for part in (("metadata", "uid"), ("status", "podIP"), ("spec", "nodeName")):
        assert after[part[0]][part[1]] == before[part[0]][part[1]]
    assert world.events("Killing") == ["Container main definition changed, will be restarted"]


def test_changed_metadata_restarts_nothing() -> None:
    world = started("nginx:1")

    world.patch(POD, "p", {"metadata": {"labels": {"a": "b"}}})
    world.run(1)

    assert restarts(world.pod()) == {"main": 0}


def test_readiness_gates_hold_ready_back() -> None:
    world = started("nginx:1", gates=("example.com/a", "example.com/b"))
    closed = world.pod()
    world.patch(
        POD, "p", {"status": {"conditions": [{"type": "example.com/a", "status": "True"}]}}, part="status"
    )
    world.run(1)
    half = world.pod()
    world.patch(
        POD, "p", {"status": {"conditions": [{"type": "example.com/b", "status": "True"}]}}, part="status"
    )
    world.run(1)

    assert (conditions(closed)["ContainersReady"], conditions(closed)["Ready"]) == ("True", "False")
    assert reasons(closed)["Ready"] == "ReadinessGatesNotReady"
    assert conditions(half)["Ready"] == "False"
    assert conditions(world.pod())["Ready"] == "True"


def test_a_bad_image_is_never_pulled_until_it_is_replaced() -> None:
    world = started("nginx:bad")
    stuck = world.pod()

    world.patch(POD, "p", {"spec": {"containers": [{"name": "main", "image": "nginx:good"}]}})
    world.run(1)

    assert containers(stuck)["main"]["state"]["waiting"]["reason"] == "ImagePullBackOff"
    assert stuck["status"]["phase"] == "Pending"
    assert world.events("Failed") == ['Failed to pull image "nginx:bad": not found']
    assert restarts(world.pod()) == {"main": 0}
    assert conditions(world.pod())["Ready"] == "True"


def test_a_bad_image_in_place_keeps_the_old_image_id() -> None:
    world = started("nginx:1")
    before = containers(world.pod())["main"]

    world.patch(POD, "p", {"spec": {"containers": [{"name": "main", "image": "nginx:bad"}]}})
    world.run(1)

    now = containers(world.pod())["main"]
    assert now["state"]["waiting"]["reason"] == "ImagePullBackOff"
    assert (now["imageID"], now["restartCount"], now["image"]) == (before["imageID"], 0, "nginx:1")
    assert world.pod()["status"]["phase"] == "Running"


def test_a_crashing_container_restarts_with_doubling_back_off() -> None:
    world = started("nginx:crash")
    seen = [restarts(world.pod())["main"]]
    for seconds in (10, 20, 39):
        world.run(seconds)
        seen.append(restarts(world.pod())["main"])

    found = containers(world.pod())["main"]
    assert seen == [0, 1, 2, 2]  # the third restart is due after 40 s
    assert found["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert found["lastState"]["terminated"]["exitCode"] == 1
    assert conditions(world.pod())["Ready"] == "False"


def test_a_slow_image_says_that_its_container_is_being_created() -> None:
    world = started("nginx:slow-5s")
    early = world.pod()
    world.run(5)

    assert containers(early)["main"]["state"] == {"waiting": {"reason": "ContainerCreating"}}
    assert early["status"]["phase"] == "Pending"
    assert conditions(world.pod())["Ready"] == "True"


def test_an_unready_image_runs_without_ever_being_ready() -> None:
    world = started("nginx:unready")

    assert world.pod()["status"]["phase"] == "Running"
    assert conditions(world.pod())["Ready"] == "False"


def test_an_annotation_takes_a_pod_out_and_lets_it_back() -> None:
    world = started("nginx:1", "envoy:1")

    world.patch(POD, "p", {"metadata": {"annotations": {"sandbox.kruise/not-ready": "side"}}})
    world.run(1)
    out = world.pod()
    world.patch(POD, "p", {"metadata": {"annotations": {"sandbox.kruise/not-ready": None}}})
    world.run(1)

    assert [each["ready"] for each in containers(out).values()] == [True, False]
    assert conditions(out)["Ready"] == "False"
    assert conditions(world.pod())["Ready"] == "True"


@pytest.mark.parametrize(
    ("image", "policy", "phase", "count"),
    [
        pytest.param("busybox", "Never", "Succeeded", 0, id="ends well (KB7)"),
        pytest.param("busybox:fail", "Never", "Failed", 0, id="fails (KB7)"),
        pytest.param("busybox", "OnFailure", "Succeeded", 0, id="ends well under OnFailure"),
        pytest.param(
            "busybox:fail", "OnFailure", "Running", 1, id="a failed one is started again under OnFailure"
        ),
    ],
)
def test_pods_that_are_meant_to_end(image: str, policy: str, phase: str, count: int) -> None:
    world = World()
    world.create(POD, pod("p", image, restartPolicy=policy))
    world.run(13)

    assert world.pod()["status"]["phase"] == phase
    assert restarts(world.pod()) == {"main": count}


def test_init_containers_run_before_and_sidecars_beside() -> None:
    world = World()
    inits = [{"name": "setup", "image": "i:1"}, {"name": "log", "image": "l:1", "restartPolicy": "Always"}]
    world.create(POD, pod("p", "nginx:1", initContainers=inits))
    world.run(1)

    setup, log = world.pod()["status"]["initContainerStatuses"]
    assert "terminated" in setup["state"]
    assert "running" in log["state"]
    assert conditions(world.pod())["Ready"] == "True"


def test_a_failing_init_container_keeps_the_pod_pending() -> None:
    world = World()
    world.create(POD, pod("p", "nginx:1", initContainers=[{"name": "setup", "image": "i:bad"}]))
    world.run(1)

    assert world.pod()["status"]["phase"] == "Pending"
    assert conditions(world.pod())["Initialized"] == "False"
    assert containers(world.pod())["main"]["state"] == {"waiting": {"reason": "PodInitializing"}}


def test_deletion_stops_the_containers_first() -> None:
    world = World(RECORDED)
    world.create(POD, pod("p"))
    world.run(5)

    world.delete(POD, "p")
    world.run(0.9)
    going = world.pod()
    world.run(0.2)

    assert going["metadata"]["deletionTimestamp"]
    assert "running" in containers(going)["main"]["state"]
    with pytest.raises(NotFoundError):
        world.pod()


def test_the_grace_period_caps_the_stop_delay() -> None:
    world = started("nginx:1")
    world.patch(POD, "p", {"metadata": {"annotations": {"sandbox.kruise/delete-delay": "3600"}}})

    world.delete(POD, "p", gracePeriodSeconds=4)
    world.run(3.9)
    assert world.pod()["metadata"]["deletionGracePeriodSeconds"] == 4
    world.run(0.2)

    with pytest.raises(NotFoundError):
        world.pod()


def test_a_finalizer_holds_the_stopped_pod() -> None:
    world = World()
    held = pod("p")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    world.create(POD, held)
    world.run(1)

    world.delete(POD, "p")
    world.run(5)
    stopped = world.pod()
    world.patch(POD, "p", {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/hold"]}})
    world.run(1)

    assert stopped["status"]["phase"] == "Succeeded"
    assert conditions(stopped)["Ready"] == "False"
    with pytest.raises(NotFoundError):
        world.pod()


def test_a_restarted_kubelet_finishes_what_was_begun() -> None:
    world = World(RECORDED)
    for name, image in (("p", "nginx:1"), ("c", "nginx:crash"), ("s", "nginx:1")):
        world.create(POD, pod(name, image))
    world.run(3)
    world.create(POD, pod("late", "nginx:1"))
    world.patch(POD, "p", {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}})
    world.delete(POD, "s")
    world.run(0.3)

    world.restart()
    world.run(12)

    assert restarts(world.pod("p")) == {"main": 1}
    assert restarts(world.pod("c")) == {"main": 1}
    assert conditions(world.pod("late"))["Ready"] == "True"
    assert len(world.pods()) == 3
    assert len({each["status"]["podIP"] for each in world.pods()}) == 3


@pytest.mark.parametrize(
    "image", [pytest.param("nginx:2", id="new image"), pytest.param("nginx:bad", id="bad image")]
)
def test_a_status_that_could_not_be_written_is_written_later(image: str) -> None:
    world = started("nginx:1")
    refusal = Fault(
        verb="patch", resource="pods", subresource="status", code=403, reason="Forbidden", count=2
    )
    world.sandbox.hooks.faults.append(refusal)

    world.patch(POD, "p", {"spec": {"containers": [{"name": "main", "image": image}]}})
    world.run(1)

    main = containers(world.pod())["main"]
    assert main["lastState"]["terminated"]["exitCode"] == 0
    assert (main["restartCount"], main["ready"]) == ((1, True) if image == "nginx:2" else (0, False))


def test_a_quiet_pod_is_not_written_again() -> None:
    world = started("nginx:1")
    version = world.pod()["metadata"]["resourceVersion"]

    world.run(3600)

    assert world.pod()["metadata"]["resourceVersion"] == version

"""Following a rollout: few requests, no false success, an end with the completing write."""

import io

import pytest

from kubectl_kruise.cluster.clock import SystemClock, VirtualClock
from kubectl_kruise.cluster.port import Change
from kubectl_kruise.engine.problems import FailFast
from kubectl_kruise.engine.verdict import Outcome
from kubectl_kruise.errors import ExpiredError, NotAllowedError
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.operations.rollout.follow import Followed, Terms, follow
from kubectl_kruise.operations.rollout.progress import Aim
from kubectl_kruise.render.stream import StreamReporter
from tests.operations.rollout.scenes import CLONESETS, NOW, PODS, ScriptedCluster, cloneset, pod, pods


class Script:
    """A reporter that lets the next thing happen each time it is told of something."""

    def __init__(self, *acts):
        self.acts = list(acts)
        self.messages = []

    def show(self, rollouts, now):
        self.messages.append(rollouts[0].judge(now).message)
        if self.acts:
            self.acts.pop(0)()

    def close(self):
        pass


def run(cluster, *acts, aim=Aim(), timeout=None, clock=None):  # noqa: B008 (a tuple)
    script = Script(*acts)
    start = [Followed(CLONESET, cluster.objects["web"])]
    clock = clock or VirtualClock(NOW)
    (done,) = follow(
        cluster, start, Terms(aim, timeout), clock=clock, reporter=script, note=script.messages.append
    )
    return done.final, script


def test_a_finished_rollout_costs_one_list_and_no_watch():
    cluster = ScriptedCluster(cloneset(5, updated=3), pods(3, 0))

    verdict, _ = run(cluster)

    assert verdict.outcome is Outcome.DONE
    assert cluster.requests == [f"LIST {PODS} app=web"]


@pytest.mark.parametrize("clock", [SystemClock(), VirtualClock(NOW)], ids=["over threads", "step by step"])
def test_the_completing_write_ends_it(clock):
    cluster = ScriptedCluster(cloneset(5), pods(0, 3))

    def finish():
        for each in pods(3, 0):
            cluster.streams[PODS].put(each)
        cluster.streams[CLONESETS].put(cloneset(9, updated=3))

    verdict, _ = run(cluster, finish, clock=clock)

    assert verdict.message == "3 of 3 available on web-new"
    assert sorted(cluster.requests[:3]) == [
        f"LIST {PODS} app=web",
        f"WATCH {PODS} app=web after 100",
        f"WATCH {CLONESETS} metadata.name=web after 5",
    ]
    assert not any(request.startswith(("GET", "LIST")) for request in cluster.requests[3:])


def test_a_status_ahead_of_the_pods_is_not_believed():
    cluster = ScriptedCluster(cloneset(5, updated=3), pods(2, 1))

    verdict, script = run(cluster, lambda: cluster.streams[PODS].put(pod("web-2")))

    assert script.messages[0] == "2 of 3 pods updated"
    assert verdict.outcome is Outcome.DONE


def test_pods_of_another_owner_do_not_count():
    cluster = ScriptedCluster(cloneset(5, updated=2), [*pods(2, 1), pod("stranger", owner="other")])

    _, script = run(cluster, timeout=5)

    assert script.messages[0] == "2 of 3 pods updated"


def test_one_deadline_for_the_whole_command():
    cluster = ScriptedCluster(cloneset(5, updated=1), pods(1, 2))
    clock = VirtualClock(NOW)

    verdict, _ = run(cluster, timeout=300, clock=clock)

    assert verdict.exit_code == 124
    assert verdict.message == "timed out after 300s: 1 of 3 available; not yet: 2 waiting"
    assert clock.time() == NOW + 300


def test_a_pull_error_for_thirty_seconds_is_hopeless():
    cluster = ScriptedCluster(cloneset(5), [*pods(0, 2), pod("web-9", ready=False, waiting="ErrImagePull")])
    clock = VirtualClock(NOW)

    verdict, _ = run(cluster, aim=Aim(limits=FailFast()), clock=clock, timeout=300)

    assert clock.time() == NOW + 30
    assert (verdict.outcome, verdict.reason) == (Outcome.FAILED, "ErrImagePull")
    assert verdict.message == "web-9 app ErrImagePull: no such tag; 1 of 3 pods updated, 0 available"


def test_without_fail_fast_only_the_deadline_ends_it():
    cluster = ScriptedCluster(cloneset(5), [*pods(0, 2), pod("web-9", ready=False, waiting="ErrImagePull")])

    verdict, _ = run(cluster, timeout=300)

    assert verdict.message == (
        "timed out after 300s: 0 of 3 available; not yet: 2 waiting, 1 failing (web-9 app ErrImagePull)"
    )


def test_a_pod_that_got_over_its_trouble_starts_anew():
    cluster = ScriptedCluster(cloneset(5), [*pods(0, 2), pod("web-9", ready=False, waiting="ErrImagePull")])
    clock = VirtualClock(NOW)

    def recover():
        clock.advance(20)
        cluster.streams[PODS].put(pod("web-9"))

    def fail_again():
        cluster.streams[PODS].put(pod("web-9", ready=False, waiting="ErrImagePull"))

    run(cluster, recover, fail_again, aim=Aim(limits=FailFast()), clock=clock, timeout=300)

    assert clock.time() == NOW + 20 + 30


def test_an_expired_watch_lists_again_and_goes_on():
    cluster = ScriptedCluster(cloneset(5), pods(0, 3))

    def expire():
        cluster.objects["web"] = cloneset(200, updated=3)
        cluster.pods = pods(3, 0)
        cluster.streams[CLONESETS].put(ExpiredError("410"))
        cluster.streams[PODS].put(ExpiredError("410"))

    verdict, _ = run(cluster, expire)

    assert verdict.outcome is Outcome.DONE
    assert f"LIST {CLONESETS} metadata.name=web" in cluster.requests


def test_a_pod_gone_while_the_watch_was_cut_is_forgotten():
    cluster = ScriptedCluster(cloneset(5), pods(3, 1))

    def expire():
        cluster.pods = pods(3, 0)
        cluster.streams[PODS].put(ExpiredError("410"))
        cluster.streams[CLONESETS].put(cloneset(9, updated=3))

    verdict, script = run(cluster, expire)

    assert script.messages[0] == "1 surplus pod still to go"
    assert verdict.outcome is Outcome.DONE


@pytest.mark.parametrize(
    ("successor", "message"),
    [
        pytest.param(None, "was deleted", id="gone"),
        pytest.param(
            "u2", "was deleted and was recreated as UID u2", id="fault B043: recreated and finished"
        ),
    ],
)
def test_the_end_of_the_object_ends_it(successor, message):
    cluster = ScriptedCluster(cloneset(5), pods(1, 2))

    def remove():
        cluster.objects = {"web": cloneset(9, updated=3, uid=successor)} if successor else {}
        cluster.streams[CLONESETS].put(Change("DELETED", cloneset(7)))

    verdict, _ = run(cluster, remove)

    assert (verdict.outcome, verdict.message, verdict.exit_code) == (Outcome.DELETED, message, 4)


def test_another_uid_after_a_cut_is_another_object():
    cluster = ScriptedCluster(cloneset(5), pods(1, 2))

    def replace():
        cluster.objects = {"web": cloneset(9, updated=3, uid="u2")}
        cluster.streams[CLONESETS].put(ExpiredError("410"))

    assert run(cluster, replace)[0].message == "was deleted and was recreated as UID u2"


@pytest.mark.parametrize(
    ("revision", "outcome"),
    [
        ("web-new", Outcome.DONE), ("new", Outcome.DONE), ("4", Outcome.DONE), ("99", Outcome.SUPERSEDED),
        ("web-old", Outcome.SUPERSEDED),
    ],
)  # fmt: skip
def test_a_pinned_revision_by_name_hash_or_number(revision, outcome):
    cluster = ScriptedCluster(cloneset(5, updated=3), pods(3, 0))
    cluster.objects["web-new"] = {"revision": 4}

    assert run(cluster, aim=Aim(revision=revision))[0].outcome is outcome


def test_a_rollout_that_another_overtakes_is_superseded():
    cluster = ScriptedCluster(cloneset(5), pods(1, 2))
    newer = cloneset(9)
    newer["status"]["updateRevision"] = "web-newer"

    verdict, _ = run(cluster, lambda: cluster.streams[CLONESETS].put(newer), aim=Aim(revision="web-new"))

    assert (verdict.outcome, verdict.exit_code) == (Outcome.SUPERSEDED, 6)


def exceeded(version, **more):
    raw = cloneset(version, progressDeadlineSeconds=60, **more)
    raw["status"]["conditions"] = [
        {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
    ]
    return raw


@pytest.mark.parametrize(
    ("made", "observed", "seconds"),
    [
        pytest.param("2025-12-31T23:59:50Z", 2, 50, id="its revision is 10 s old: the deadline is 50 s away"),
        pytest.param("2025-12-31T23:00:00Z", 2, 0, id="it is older than the deadline"),
        pytest.param(None, 2, 0, id="nobody knows"),
        pytest.param(None, 1, 60, id="the controller had not seen the spec when we came"),
    ],
)
def test_a_deadline_that_cannot_have_passed_is_not_believed(made, observed, seconds):
    """cloneset.md Q11: a rollout may be marked as too late in its first pass."""
    cluster = ScriptedCluster(exceeded(5, observed=observed), pods(0, 3))
    clock = VirtualClock(NOW)
    if made:
        cluster.objects["web-new"] = {"revision": 4, "metadata": {"creationTimestamp": made}}

    verdict, _ = run(cluster, lambda: cluster.streams[CLONESETS].put(exceeded(6)), clock=clock, timeout=300)

    assert (verdict.reason, clock.time() - NOW) == ("ProgressDeadlineExceeded", seconds)


def test_names_of_several_namespaces_are_told_apart():
    cluster = ScriptedCluster(cloneset(5, updated=3), pods(3, 0))
    other = {**cloneset(5, updated=3), "metadata": {**cloneset(5)["metadata"], "namespace": "other"}}
    objects = [Followed(CLONESET, cluster.objects["web"]), Followed(CLONESET, other)]
    out = io.StringIO()

    class Anywhere(ScriptedCluster):
        def list(self, path, **how):
            return super().list(PODS)

    follow(
        Anywhere(cluster.objects["web"], pods(3, 0)),
        objects,
        Terms(),
        clock=VirtualClock(NOW),
        reporter=StreamReporter(out),
        note=out.write,
    )

    assert [line.split()[1] for line in out.getvalue().splitlines()] == [
        "shop/cloneset/web",
        "other/cloneset/web",
    ]


def test_without_the_right_to_list_pods_the_status_decides():
    class Closed(ScriptedCluster):
        def list(self, path, **how):
            raise NotAllowedError("pods")

    cluster = Closed(cloneset(5, updated=3), [])

    verdict, script = run(cluster)

    assert verdict.outcome is Outcome.DONE
    assert (
        script.messages[0] == "cloneset/web: pods cannot be listed, so this goes by its status alone (pods)"
    )


def test_an_error_of_a_watch_ends_the_command():
    class Closed(ScriptedCluster):
        def watch(self, path, since, **how):
            raise NotAllowedError("watch pods")

    with pytest.raises(NotAllowedError):
        run(Closed(cloneset(5), pods(1, 2)), clock=SystemClock())

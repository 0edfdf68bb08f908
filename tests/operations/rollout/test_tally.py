"""What adds up over pods as they change one by one."""

import pytest

from kubectl_kruise.engine.phases import Rules
from kubectl_kruise.engine.problems import FailFast
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.names import IN_PLACE_STATE
from kubectl_kruise.objects.slim import slim_pod
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.tally import MOMENT, Tally
from tests.operations.rollout import scenes
from tests.operations.rollout.scenes import NOW

WEB = Workload(scenes.cloneset(5), CLONESET)


@pytest.mark.parametrize(
    ("annotations", "restarts"),
    [
        pytest.param({}, (1, 2, 3), id="created with the revision: every restart counts"),
        pytest.param(
            {IN_PLACE_STATE: '{"revision": "web-new"}'}, (5, 6, 8), id="updated in place: those we saw"
        ),
    ],
)
def test_restarts_seen_before_a_short_recovery_still_count(annotations, restarts):
    tally = Tally(Rules("web-new"))
    pod = scenes.pod("web-a", ready=False)
    pod["metadata"]["annotations"] = annotations
    status = pod["status"]["containerStatuses"][0]

    for count in restarts:
        for ready in (True, False):
            state = {"running": {}} if ready else {"waiting": {"reason": "CrashLoopBackOff"}}
            status.update(restartCount=count, state=state, ready=ready)
            pod["status"]["conditions"][0]["status"] = str(ready)
            assert tally.hopeless(FailFast(), NOW) is None
            tally.put(pod, NOW)

    found = tally.hopeless(FailFast(), NOW)
    assert found is not None
    assert found.restarts == restarts[-1]


def test_old_pods_of_neither_revision_are_strays():
    tally = Tally(Rules("web-new"))
    for name, revision in (("a", "web-new"), ("b", "web-old"), ("c", "web-bad"), ("d", "web-bad")):
        tally.put(scenes.pod(name, revision=revision), NOW)

    assert tally.counts(WEB).strays == (("web-bad", 2),)


def test_a_pod_changes_its_count_when_its_time_has_come():
    tally = Tally(Rules("web-new", min_ready=60))
    since = NOW - 3598  # scenes' pods are ready since then
    tally.put(scenes.pod("a"), since + 30)

    assert tally.next_due(None) == since + 60 + MOMENT
    assert (tally.tick(since + 60), tally.counts(WEB).updated_available) == (False, 0), "the rule is strict"
    assert (tally.tick(since + 60 + MOMENT), tally.counts(WEB).updated_available) == (True, 1)


def test_other_rules_count_all_pods_anew():
    tally = Tally(Rules("web-old"))
    for pod in scenes.pods(1, 2):
        tally.put(pod, NOW)
    before = tally.counts(WEB).updated

    tally.adopt(Rules("web-new"), NOW)

    assert (before, tally.counts(WEB).updated) == (2, 1)


@pytest.mark.parametrize("pod", scenes.pods(1, 1), ids=["new", "old"])
def test_a_slim_pod_is_assessed_like_the_whole_one(pod):
    whole = {
        **pod,
        "spec": {**pod["spec"], "volumes": [{"name": "v"}]},
        "metadata": {**pod["metadata"], "managedFields": [1]},
    }

    slim = slim_pod(whole)

    assert "managedFields" not in slim["metadata"]
    assert "volumes" not in slim["spec"]
    assert slim["status"]["conditions"] is pod["status"]["conditions"], "shared, not copied"


def test_the_pod_that_was_beyond_hope_first_is_named():
    tally = Tally(Rules("web-new"))
    for name, seconds in (("web-a", 40), ("web-b", 50), ("web-c", 10)):
        tally.put(scenes.pod(name, ready=False, waiting="ErrImagePull"), NOW - seconds)

    found = tally.hopeless(FailFast(), NOW)

    assert found is not None
    assert found.pod == "web-b"
    assert [trouble.terminal for trouble in tally.troubles(FailFast(), NOW)] == [True, True, False]


def test_the_images_of_before_are_those_of_a_pod_that_is_still_old():
    tally = Tally(Rules("web-new"))
    tally.put(scenes.pod("web-a"), NOW)
    assert tally.old_images() == {}

    tally.put(scenes.pod("web-b", revision="web-old"), NOW)
    assert tally.old_images() == {"app": "app:1"}

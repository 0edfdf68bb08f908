"""Events of controllers (sandbox-apiserver.md OT3)."""

from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.facts.kinds import EVENT, NODE, POD
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.hooks import Fault

SUBJECT: Raw = {"metadata": {"name": "p", "namespace": "default", "uid": "u1", "resourceVersion": "7"}}


def events(sandbox: Sandbox) -> list[Raw]:
    return sandbox.client().list(EVENT.path("default"))["items"]


def recorder(sandbox: Sandbox, component: str = "tester") -> Recorder:
    return Recorder(sandbox.client(), sandbox.clock, component)


def test_an_event_says_who_says_what_of_whom() -> None:
    sandbox = Sandbox(kruise=False)

    recorder(sandbox).warning(POD, SUBJECT, "Broken", "it broke")

    (event,) = events(sandbox)
    assert event["involvedObject"] == {
        "kind": "Pod", "namespace": "default", "name": "p", "uid": "u1", "apiVersion": "v1", "resourceVersion": "7",
    }  # fmt: skip
    assert (event["type"], event["reason"], event["message"]) == ("Warning", "Broken", "it broke")
    assert (event["source"]["component"], event["count"]) == ("tester", 1)
    name, _, suffix = event["metadata"]["name"].partition(".")
    assert (name, len(suffix), int(suffix, 16) > 0) == ("p", 16, True)


def test_repetitions_are_counted_in_one_event() -> None:
    sandbox = Sandbox(kruise=False)
    speaker = recorder(sandbox)

    speaker.normal(POD, SUBJECT, "Done", "well")
    sandbox.clock.advance(5)
    speaker.normal(POD, SUBJECT, "Done", "well")
    speaker.normal(POD, SUBJECT, "Done", "otherwise")

    counts = {event["message"]: event["count"] for event in events(sandbox)}
    assert counts == {"well": 2, "otherwise": 1}
    well = next(event for event in events(sandbox) if event["message"] == "well")
    assert well["firstTimestamp"] < well["lastTimestamp"]


def test_an_event_that_is_gone_is_written_anew() -> None:
    sandbox = Sandbox(kruise=False)
    speaker = recorder(sandbox)
    speaker.normal(POD, SUBJECT, "Done", "well")
    sandbox.client().delete(EVENT.path("default", events(sandbox)[0]["metadata"]["name"]))

    speaker.normal(POD, SUBJECT, "Done", "well")

    assert [event["count"] for event in events(sandbox)] == [1]


def test_components_do_not_meet_in_a_name() -> None:
    sandbox = Sandbox(kruise=False)

    for component in ("kubelet", "default-scheduler"):
        recorder(sandbox, component).normal(POD, SUBJECT, "Done", component)

    assert len(events(sandbox)) == 2


def test_events_of_cluster_scoped_objects_lie_in_default() -> None:
    sandbox = Sandbox(kruise=False)

    recorder(sandbox).normal(NODE, {"metadata": {"name": "n", "uid": "u2"}}, "Done", "well")

    assert [event["involvedObject"]["kind"] for event in events(sandbox)] == ["Node"]


def test_a_refused_event_fails_nothing() -> None:
    sandbox = Sandbox(kruise=False)
    sandbox.hooks.faults.append(Fault(verb="create", resource="events", code=403, reason="Forbidden"))

    recorder(sandbox).normal(POD, SUBJECT, "Done", "well")

    assert events(sandbox) == []

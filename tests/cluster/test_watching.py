import itertools
import json

import pytest

from kubectl_kruise.cluster.watching import PATIENCE, Pace, Watch, follow_list
from kubectl_kruise.errors import ExpiredError, NotAllowedError, ServerError, UnreachableError
from tests.cluster.loopback import Loopback, Received, Reply, reply_json

PODS = "/api/v1/namespaces/default/pods"


def event(version: int | str, kind: str = "MODIFIED", name: str = "web") -> bytes:
    raw = {"metadata": {"name": name, "uid": name, "resourceVersion": str(version)}}
    return json.dumps({"type": kind, "object": raw}).encode()


def failure(code: int) -> bytes:
    return json.dumps({"type": "ERROR", "object": {"kind": "Status", "code": code, "message": "no"}}).encode()


class Script:
    """Streams one after the other; an exception in a stream breaks it, one in its place refuses it."""

    def __init__(self, *streams):
        self.streams = list(streams)
        self.asked = []

    def __call__(self, since, seconds):
        self.asked.append((since, seconds))
        stream = self.streams.pop(0)
        if isinstance(stream, Exception):
            raise stream
        return stream if isinstance(stream, FakeStream) else FakeStream(*stream)


class FakeStream:
    def __init__(self, *lines, status=200):
        self.status, self.headers, self._lines, self.closed = status, {}, lines, False

    def lines(self):
        for line in self._lines:
            if isinstance(line, Exception):
                raise line
            if callable(line):
                line()
            else:
                yield line

    def close(self):
        self.closed = True


class FakePace(Pace):
    def __init__(self):
        self.now = 1000.0
        self.pauses = []

    def monotonic(self):
        return self.now

    def pause(self, seconds):
        self.pauses.append(round(seconds, 3))
        self.now += seconds

    def after(self, seconds, action):
        return lambda: None


def versions(changes):
    return [int(change.object["metadata"]["resourceVersion"]) for change in changes]


BROKEN = UnreachableError("broke off")


@pytest.mark.parametrize(
    ("streams", "asked", "delivered"),
    [
        pytest.param(
            [[event(101), event(102), event(103)], [event(101), event(102), event(104)]],
            ["100", "103", "104"],
            [101, 102, 103, 104],
            id="fault B184: replays are not delivered",
        ),
        pytest.param(
            [[event(101), BROKEN], [event(102)]],
            ["100", "101", "102"],
            [101, 102],
            id="a broken stream is resumed",
        ),
        pytest.param(
            [[event(101)], [event(150, "BOOKMARK")], [event(151)]],
            ["100", "101", "150", "151"],
            [101, 150, 151],
            id="a bookmark moves the version",
        ),
        pytest.param(
            [[event(101)], BROKEN, BROKEN, [event(102)]],
            ["100", "101", "101", "101", "102"],
            [101, 102],
            id="a server that is away for a moment",
        ),
        pytest.param(
            [[event(101), failure(500)], [event(102)]],
            ["100", "101", "102"],
            [101, 102],
            id="a failing server",
        ),
        pytest.param(
            [[event(101), b'{"type":"MODIF'], [event(102)]],
            ["100", "101", "102"],
            [101, 102],
            id="a line that is no event breaks the stream",
        ),
        pytest.param(
            [[event(101)], FakeStream(b"busy", status=503), [event(102)]],
            ["100", "101", "101", "102"],
            [101, 102],
            id="a server that is busy",
        ),
        pytest.param(
            [[event("a7")], [event("a3")]],
            ["100", "a7", "a3"],
            None,
            id="versions that are no numbers are not compared",
        ),
    ],
)
def test_a_watch_goes_on_where_it_was(streams, asked, delivered):
    script = Script(*streams, NotAllowedError("the script is over"))
    changes = []

    with pytest.raises(NotAllowedError):
        changes.extend(iter_into(changes, Watch(script, PODS, "100", pace=FakePace()).follow(None)))

    assert [since for since, _ in script.asked] == asked
    if delivered is not None:
        assert versions(changes) == delivered


def iter_into(into, changes):
    for change in changes:
        into.append(change)
    return ()


@pytest.mark.parametrize(
    "stream",
    [[failure(410)], FakeStream(b'{"kind":"Status","code":410}', status=410)],
    ids=["event", "answer"],
)
@pytest.mark.parametrize("before", [[], [[event(101)]]], ids=["at once", "later"])
def test_a_version_that_is_too_old(stream, before):
    script = Script(*before, stream)

    with pytest.raises(ExpiredError):
        list(Watch(script, PODS, "100", pace=FakePace()).follow(None))


def test_every_stream_is_closed():
    streams = [FakeStream(event(101)), FakeStream(event(102), BROKEN), FakeStream(b"gone", status=410)]

    with pytest.raises(ExpiredError):
        list(Watch(Script(*streams), PODS, "100", pace=FakePace()).follow(None))

    assert all(stream.closed for stream in streams)


def test_a_watch_that_cannot_begin_is_not_tried_again():
    script = Script(BROKEN)

    with pytest.raises(UnreachableError):
        list(Watch(script, PODS, "100", pace=FakePace()).follow(None))

    assert len(script.asked) == 1


def test_who_may_list_and_not_watch_is_told_so():
    refusal = {"code": 403, "message": 'pods is forbidden: User "u" cannot watch resource "pods"'}
    script = Script(FakeStream(json.dumps(refusal).encode(), status=403))

    with pytest.raises(NotAllowedError) as refused:
        list(Watch(script, "/api/v1/namespaces/shop/pods", "100", pace=FakePace()).follow(None))

    assert refused.value.message == "not allowed to watch pods in namespace shop"
    assert refused.value.hint == "kubectl auth can-i watch pods -n shop"


def test_a_server_that_stays_away_ends_the_watch():
    pace = FakePace()
    script = Script([event(101)], *[BROKEN] * 100)

    with pytest.raises(UnreachableError):
        list(Watch(script, PODS, "100", pace=pace).follow(None))

    assert PATIENCE < pace.now - 1000 < PATIENCE + 10
    assert pace.pauses[:6] == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0]


def test_whoever_asks_is_told_that_the_server_is_away_and_that_it_is_back():
    told = []
    script = Script([event(101)], BROKEN, BROKEN, [event(102)], NotAllowedError("the script is over"))

    with pytest.raises(NotAllowedError):
        list(Watch(script, PODS, "100", pace=FakePace(), away=told.append).follow(None))

    assert told == [BROKEN, BROKEN, None]


def test_streams_that_bring_nothing_are_asked_for_ever_more_slowly():
    pace = FakePace()
    script = Script([], [], [], [event(101)], [], NotAllowedError("over"))

    with pytest.raises(NotAllowedError):
        list(Watch(script, PODS, "100", pace=pace).follow(None))

    assert pace.pauses == [0.2, 0.4, 0.2]


def test_the_timeout_counts_from_the_start_over_all_streams():  # fault B186
    pace = FakePace()

    def pass_time(seconds):
        return lambda: setattr(pace, "now", pace.now + seconds)

    script = Script([event(101), pass_time(25)], [event(102), pass_time(20)], [pass_time(20)])

    changes = list(Watch(script, PODS, "100", pace=pace).follow(60))

    assert versions(changes) == [101, 102]
    assert script.asked == [("100", 60), ("101", 35), ("102", 15)]


def test_a_timeout_ends_a_silent_stream(client):
    with Loopback(lambda _: Reply(chunks=[event(101) + b"\n"], then="hold")) as server:
        assert versions(client(server.url).watch(PODS, "100", timeout=0.1)) == [101]


def test_one_stream_only_without_follow():
    script = Script([event(101)])

    assert versions(Watch(script, PODS, "100", pace=FakePace()).once()) == [101]


@pytest.mark.parametrize("since", ["", "0"])
def test_a_watch_begins_after_a_list(since):
    with pytest.raises(ValueError, match="resourceVersion of a list"):
        Watch(Script(), PODS, since)


def test_over_the_wire_the_stream_is_resumed_with_its_selectors(client):  # faults B184, B186
    def answer(request: Received) -> Reply:
        if "resourceVersion=100" in request.target:
            return Reply(chunks=[event(101) + b"\n", event(102) + b"\n" + event(103)[:20]])
        if "resourceVersion=102" in request.target:
            return Reply(chunks=[event(101) + b"\n" + event(103) + b"\n"], then="cut")
        return Reply(403, b"no")

    delivered = []
    with Loopback(answer) as server, pytest.raises(NotAllowedError):
        iter_into(delivered, client(server.url).watch(PODS, "100", labels="app=web"))

    assert versions(delivered) == [101, 102, 103]
    assert server.received[0].target == (
        f"{PODS}?watch=true&allowWatchBookmarks=true&labelSelector=app%3Dweb&resourceVersion=100"
    )
    assert [request.target.rpartition("=")[2] for request in server.received] == ["100", "102", "103"]


def test_follow_list_tells_the_difference_after_410(client):
    lists = itertools.chain(
        [
            {"a": 1, "b": 2, "c": 3},
            {"a": 1, "c": 9, "d": 8},
        ]
    )

    def answer(request: Received) -> Reply:
        if "watch=true" not in request.target:
            items = [
                {"metadata": {"name": name, "uid": name, "resourceVersion": str(version)}}
                for name, version in next(lists).items()
            ]
            return reply_json({"kind": "PodList", "metadata": {"resourceVersion": "10"}, "items": items})
        if len(server.received) == 2:
            return Reply(chunks=[event(11, "DELETED", "b") + b"\n", failure(410) + b"\n"])
        return Reply(403, b"no")

    came = []
    with Loopback(answer) as server, pytest.raises(NotAllowedError):
        iter_into(came, follow_list(client(server.url), PODS))

    assert [(change.type, change.object["metadata"].get("name", "")) for change in came] == [
        ("ADDED", "a"),
        ("ADDED", "b"),
        ("ADDED", "c"),
        ("BOOKMARK", ""),
        ("DELETED", "b"),
        ("MODIFIED", "c"),
        ("ADDED", "d"),
        ("BOOKMARK", ""),
    ]


def test_another_error_event_is_an_error():
    with pytest.raises(ServerError):
        list(Watch(Script([failure(422)]), PODS, "100", pace=FakePace()).follow(None))

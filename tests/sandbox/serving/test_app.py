"""The application between HTTP and the handler: bodies that end too soon, watches of clients that read slowly."""

import asyncio
import json
from collections import deque
from typing import Any

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Request
from kubectl_kruise.sandbox.assembly import Server
from kubectl_kruise.sandbox.serving.app import App

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def _scope(method: str, path: str) -> dict[str, Any]:
    return {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:1"), (b"content-type", b"application/json")],
    }  # fmt: skip


def _play(
    server: Server, scope: dict[str, Any], messages: list[dict[str, Any]], *, token: str = ""
) -> list[dict[str, Any]]:
    given, sent = deque(messages), []

    async def receive():
        return given.popleft()

    async def send(message):
        sent.append(message)

    asyncio.run(App(server.handler, token=token)(scope, receive, send))
    return sent


def test_a_request_whose_client_left_before_its_end_is_not_carried_out():
    server = Server(VirtualClock(), kruise=False)
    whole = b'{"metadata":{"name":"a"}}'
    half = {"type": "http.request", "body": whole, "more_body": True}

    assert _play(server, _scope("POST", CONFIG_MAPS), [half, {"type": "http.disconnect"}]) == []
    assert server.store.items("configmaps", "default") == []


def test_a_deletion_whose_options_never_came_deletes_nothing():
    server = Server(VirtualClock(), kruise=False)
    server.make("v1", "ConfigMap", {"metadata": {"name": "a", "namespace": "default"}})

    half = {"type": "http.request", "body": b"", "more_body": True}
    _play(server, _scope("DELETE", f"{CONFIG_MAPS}/a"), [half, {"type": "http.disconnect"}])

    assert [stored.name for stored in server.store.items("configmaps", "default")] == ["a"]


def test_a_watch_hands_over_a_little_at_a_time_and_everything_in_the_end():
    server = Server(VirtualClock(), kruise=False)
    for number in range(20):
        meta = {"name": f"a{number:02}", "namespace": "default"}
        server.make("v1", "ConfigMap", {"metadata": meta, "data": {"k": "x" * 1000}})
    answer = server.handler.handle(Request("GET", f"{CONFIG_MAPS}?watch=true", {}, None))
    watch, parts = answer.watch, []
    assert watch is not None

    server.make("v1", "ConfigMap", {"metadata": {"name": "z", "namespace": "default"}})
    while True:
        parts.append(watch.pull(3000))
        if not watch.more:
            break

    names = [json.loads(line)["object"]["metadata"]["name"] for line in b"".join(parts).splitlines()]
    assert names == [*(f"a{number:02}" for number in range(20)), "z"]
    assert len(parts) > 3
    assert all(len(part) < 6000 for part in parts)


def test_a_token_that_is_not_ascii_is_a_wrong_one():
    scope = _scope("GET", CONFIG_MAPS)
    scope["headers"].append((b"authorization", b"Bearer \xff\xfe"))

    start, *_ = _play(Server(VirtualClock(), kruise=False), scope, [], token="right")

    assert start["status"] == 401

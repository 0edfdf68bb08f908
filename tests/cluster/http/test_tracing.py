import io
import json

import pytest

from kubectl_kruise.cluster.http.tracing import LONGEST_BODY, MASK, TracingTransport, show_body
from kubectl_kruise.cluster.port import Request, Response


class Inner:
    status, headers = 200, {"set-cookie": "session"}

    def send(self, request):
        return Response(200, {"warning": "w"}, b'{"kind":"Secret","data":{"a":"c2VjcmV0"}}')

    def open(self, request):
        return self

    def lines(self):
        yield b'{"type":"ADDED","object":{"kind":"Secret","stringData":{"a":"secret"}}}'

    def close(self):
        self.closed = True


REQUEST = Request("GET", "/api?token=abc&x=1", {"Authorization": "Bearer abc", "Accept": "json"}, b"{}")


@pytest.mark.parametrize(("level", "lines"), [(6, 1), (7, 5), (8, 7)])
def test_each_level_tells_more_and_no_secret(level, lines):
    out = io.StringIO()

    TracingTransport(Inner(), "https://k", level, out).send(REQUEST)

    told = out.getvalue()
    assert len(told.splitlines()) == lines
    assert f"GET https://k/api?token={MASK}&x=1 200 in" in told
    assert not [secret for secret in ("abc", "c2VjcmV0") if secret in told]


def test_a_stream_tells_its_events():
    out, inner = io.StringIO(), Inner()
    stream = TracingTransport(inner, "https://k", 8, out).open(REQUEST)

    lines = list(stream.lines())
    stream.close()

    assert len(lines) == 1
    assert inner.closed
    assert (
        f'event: {{"type": "ADDED", "object": {{"kind": "Secret", "stringData": "{MASK}"}}}}'
        in out.getvalue()
    )
    assert "session" not in out.getvalue()


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"404 page not found", "404 page not found"),
        (b'{"status":{"token":"abc"}}', f'{{"status": {{"token": "{MASK}"}}}}'),
        (
            b'{"kind":"SecretList","items":[{"metadata":{"annotations":{"last":"x"},"name":"s"},"data":{"a":"b"}}]}',
            f'{{"kind": "SecretList", "items": [{{"metadata": {{"annotations": "{MASK}", "name": "s"}}, "data": "{MASK}"}}]}}',
        ),
        (b'{"kind":"ConfigMap","data":{"a":"b"}}', '{"kind": "ConfigMap", "data": {"a": "b"}}'),
    ],
)
def test_bodies(body, shown):
    assert show_body(body) == shown


def test_a_long_body_is_cut():
    shown = show_body(json.dumps({"a": "x" * LONGEST_BODY}).encode())

    assert shown.endswith(f"… ({LONGEST_BODY + 9} characters)")
    assert len(shown) < LONGEST_BODY + 40

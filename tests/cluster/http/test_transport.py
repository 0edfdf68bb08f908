import gzip
import socket
import threading

import pytest

from kubectl_kruise.cluster.http.connecting import parse_server
from kubectl_kruise.cluster.http.failures import hint_for, unreachable
from kubectl_kruise.cluster.http.tls import tls_context
from kubectl_kruise.cluster.port import Request
from kubectl_kruise.errors import UnreachableError, UsageError
from tests.cluster.certificates import authority, pair, server_tls
from tests.cluster.loopback import Loopback, Received, Reply

GET = Request("GET", "/version", {"Accept": "application/json"})
POST = Request("POST", "/api/v1/pods", {}, b"{}")


def test_requests_share_a_connection_and_carry_who_asks(transport):
    with Loopback(lambda request: Reply(body=request.target.encode())) as server:
        over = transport(f"{server.url}/prefix/", authorize=lambda: {"Authorization": "Bearer t"})

        bodies = [over.send(GET).body, over.send(GET).body]

    assert bodies == [b"/prefix/version"] * 2
    assert server.connections == 1
    assert server.received[0].headers["authorization"] == "Bearer t"


def test_a_connection_the_server_closed_is_made_again(transport):
    with Loopback(lambda _: Reply(then="close")) as server:
        over = transport(server.url)

        statuses = [over.send(request).status for request in (GET, GET)]

    assert statuses == [200, 200]
    assert server.connections == 2


def close_the_second(request: Received) -> Reply:
    """Keep the first connection until the second request is there, and drop it unanswered."""
    return Reply(then="drop") if request.connection == 1 and request.target == "/second" else Reply()


def test_a_read_is_sent_again_when_a_kept_connection_dies_under_it(transport):
    with Loopback(close_the_second) as server:
        over = transport(server.url)
        over.send(GET)

        assert over.send(GET._replace(target="/second")).status == 200

    assert [request.target for request in server.received] == ["/version", "/second", "/second"]


def test_a_write_is_never_sent_twice(transport):
    with Loopback(close_the_second) as server:
        over = transport(server.url)
        over.send(GET)

        with pytest.raises(UnreachableError, match="broke off"):
            over.send(POST._replace(target="/second"))

    assert [request.method for request in server.received] == ["GET", "POST"]


def test_nobody_listens(transport):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    with pytest.raises(UnreachableError) as caught:
        transport(f"http://127.0.0.1:{port}").send(GET)

    assert caught.value.lines() == [
        f"error: no server answers at http://127.0.0.1:{port}",
        "  cause: connection refused",
        "  hint: kubectl cluster-info",
    ]


@pytest.mark.parametrize(
    ("context", "hint"),
    [("kruise-sandbox", "kubectl kruise sandbox start"), ("prod", "kubectl cluster-info")],
)
@pytest.mark.parametrize("error", [ConnectionRefusedError(), TimeoutError()], ids=["refused", "timed out"])
def test_what_to_try_depends_on_the_context(context, hint, error):
    assert unreachable("https://127.0.0.1:1", error, None, hint_for(context)).hint == hint


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(then="drop"), "broke off"),
        (Reply(body=b"{", length=10, then="close"), "broke off"),
        (Reply(chunks=[b"{"], then="cut"), "broke off"),
        (Reply(body=b"{", length=10, then="reset"), "broke off"),
        (Reply(headers=(("Content-Encoding", "gzip"),), body=b"no gzip"), "broke off"),
    ],
    ids=["no answer", "short body", "cut chunks", "reset", "false gzip"],
)
@pytest.mark.parametrize("timeout", [None, 5.0], ids=["unbounded", "bounded"])
def test_an_answer_that_breaks_off(transport, reply, message, timeout):
    with Loopback(lambda _: reply) as server, pytest.raises(UnreachableError, match=message):
        transport(server.url, timeout=timeout).send(GET)


@pytest.mark.parametrize(
    "reply",
    [Reply(chunks=[], then="hold"), Reply(body=b"{", length=10, then="hold")],
    ids=["no body", "half a body"],
)
def test_a_slow_server_runs_into_the_request_timeout(transport, reply):
    with Loopback(lambda _: reply) as server, pytest.raises(UnreachableError) as caught:
        transport(server.url, timeout=0.1).send(GET)

    assert caught.value.message == f"{server.url} did not answer within 0.1s"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(chunks=[], then="hold"), "did not answer within 0.1s"),
        (Reply(headers=(("Content-Encoding", "gzip"),), body=b"no gzip"), "broke off"),
    ],
    ids=["too slow", "not what it says"],
)
def test_a_kept_connection_fails_in_the_same_words(transport, reply, message):
    with Loopback(lambda request: reply if request.target == "/second" else Reply()) as server:
        over = transport(server.url, timeout=0.1)
        over.send(GET)

        with pytest.raises(UnreachableError, match=message):
            over.send(GET._replace(target="/second"))

    assert server.connections == 1


def test_a_bounded_answer_is_whole(transport):
    with Loopback(lambda _: Reply(body=b"x" * 300_000)) as server:
        assert len(transport(server.url, timeout=5).send(GET).body) == 300_000


def test_answers_come_compressed_unless_switched_off(transport):
    def answer(request: Received) -> Reply:
        if request.headers.get("accept-encoding") == "gzip":
            return Reply(body=gzip.compress(b"packed"), headers=(("Content-Encoding", "gzip"),))
        return Reply(body=b"plain")

    with Loopback(answer) as server:
        assert transport(server.url).send(GET).body == b"packed"
        assert transport(server.url, compress=False).send(GET).body == b"plain"


@pytest.fixture
def dialled(monkeypatch):
    """Give all sockets that are made to servers from now on."""
    made = []

    def dial(*args, dial=socket.create_connection):
        made.append(dial(*args))
        return made[-1]

    monkeypatch.setattr(socket, "create_connection", dial)
    return made


def test_an_answer_that_fails_leaves_no_socket_open(transport, dialled):
    # http.client lets go of a connection that ends with the answer: then only the answer holds the socket.
    reply = Reply(headers=(("Connection", "close"),), chunks=[], then="hold")
    with Loopback(lambda _: reply) as server, pytest.raises(UnreachableError, match="did not answer"):
        transport(server.url, timeout=0.1).send(GET)

    assert [sock.fileno() for sock in dialled] == [-1]


def test_once_closed_it_keeps_no_connection(transport, dialled):
    with Loopback(lambda _: Reply()) as server:
        over = transport(server.url)
        over.close()

        assert over.send(GET).status == 200

    assert [sock.fileno() for sock in dialled] == [-1]


def test_repeated_headers_are_joined(transport):
    with Loopback(lambda _: Reply(headers=(("Warning", '299 - "a"'), ("Warning", '299 - "b"')))) as server:
        assert transport(server.url).send(GET).headers["warning"] == '299 - "a", 299 - "b"'


@pytest.mark.parametrize("server", ["ftp://x", "x", "https://", "https://x:port", "https://[::1"])
def test_an_address_that_is_none(server):
    with pytest.raises(UsageError, match="server address"):
        parse_server(server)


class TestTls:
    def test_the_certificate_is_verified_and_the_client_shows_its_own(self, transport, tmp_path):
        tls = server_tls(tmp_path, pair("server", "127.0.0.1"), asks_for_client=True)
        me = pair("me")
        with Loopback(lambda _: Reply(), tls) as server:
            context = tls_context(authority=authority().pem, certificate=me.certificate, key=me.key)

            assert transport(server.url, tls=context).send(GET).status == 200

    def test_another_authority(self, transport, tmp_path):
        tls = server_tls(tmp_path, pair("server", "127.0.0.1", signer="stranger"))
        with Loopback(lambda _: Reply(), tls) as server, pytest.raises(UnreachableError) as caught:
            transport(server.url, tls=tls_context(authority=authority().pem)).send(GET)

        assert caught.value.message == f"cannot verify the certificate of {server.url}"
        assert caught.value.hint.startswith("check certificate-authority")

    def test_another_host_name_and_the_flag_that_names_it(self, transport, tmp_path):
        tls = server_tls(tmp_path, pair("server", "kubernetes.example"))
        context = tls_context(authority=authority().pem)
        with Loopback(lambda _: Reply(), tls) as server:
            with pytest.raises(UnreachableError, match="is for another name") as caught:
                transport(server.url, tls=context).send(GET)
            assert "--tls-server-name" in caught.value.hint

            assert (
                transport(server.url, tls=context, server_name="kubernetes.example").send(GET).status == 200
            )

    def test_no_verification(self, transport, tmp_path):
        tls = server_tls(tmp_path, pair("server", "elsewhere", signer="stranger"))
        with Loopback(lambda _: Reply(), tls) as server:
            assert transport(server.url, tls=tls_context(insecure=True)).send(GET).status == 200

    def test_a_server_that_wants_a_client_certificate(self, transport, tmp_path):
        tls = server_tls(tmp_path, pair("server", "127.0.0.1"), asks_for_client=True)
        with Loopback(lambda _: Reply(), tls) as server, pytest.raises(UnreachableError):
            transport(server.url, tls=tls_context(authority=authority().pem)).send(GET)

    def test_a_server_that_does_not_speak_tls(self, transport):
        with Loopback(lambda _: Reply()) as server:
            url = server.url.replace("http:", "https:")
            with pytest.raises(UnreachableError, match="does not speak TLS"):
                transport(url, tls=tls_context(insecure=True)).send(GET)


class TestStream:
    def lines(self, transport, reply):
        with Loopback(lambda _: reply) as server:
            stream = transport(server.url).open(GET)
            try:
                return [line.decode() for line in stream.lines()]
            finally:
                stream.close()

    def test_a_character_cut_by_a_chunk_border_arrives_whole(self, transport):  # fault B182
        text = '{"note":"滚动发布✓"}\n'

        assert self.lines(transport, Reply(chunks=[bytes([b]) for b in text.encode()])) == [text.strip()]

    def test_a_half_line_is_no_event(self, transport):  # fault B186
        assert self.lines(transport, Reply(chunks=[b"one\ntw", b"o\n\nthr"])) == ["one", "two"]

    def test_the_body_of_an_error_needs_no_newline(self, transport):
        assert self.lines(transport, Reply(403, chunks=[b"Forbidden"])) == ["Forbidden"]

    @pytest.mark.parametrize("then", ["cut", "reset"])
    def test_a_stream_that_breaks_says_so_after_what_came(self, transport, then):
        came = []
        with Loopback(lambda _: Reply(chunks=[b"one\ntwo\n"], then=then)) as server:
            stream = transport(server.url).open(GET)
            with pytest.raises(UnreachableError, match="broke off"):
                came.extend(stream.lines())
            stream.close()

        assert came in ([b"one", b"two"], [])  # a reset may overtake what was sent before it

    def test_another_thread_ends_a_stream_that_waits(self, transport, tmp_path):
        tls = server_tls(tmp_path, pair("server", "127.0.0.1"))
        with Loopback(lambda _: Reply(chunks=[b"one\n"], then="hold"), tls) as server:
            stream = transport(server.url, tls=tls_context(authority=authority().pem)).open(GET)
            lines = stream.lines()
            first = next(lines)
            threading.Timer(0.05, stream.close).start()

            assert [first, *lines] == [b"one"]

    def test_a_server_that_does_not_begin_to_answer(self, transport):
        def wait(_: Received) -> Reply:
            blocked.wait(5)
            return Reply()

        blocked = threading.Event()
        with Loopback(wait) as server:
            over = transport(server.url)
            with pytest.raises(UnreachableError, match="did not answer"):
                over.open(GET._replace(timeout=0.05))
            blocked.set()

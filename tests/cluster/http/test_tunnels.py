"""Requests and watches by way of proxies, over real sockets."""

import socket
import threading

import pytest

from kubectl_kruise.cluster.http.proxies import Proxy
from kubectl_kruise.cluster.http.tls import tls_context
from kubectl_kruise.cluster.port import Request
from kubectl_kruise.errors import UnreachableError
from tests.cluster.certificates import authority, pair, server_tls
from tests.cluster.loopback import Loopback, Reply
from tests.cluster.proxying import LoopbackProxy

GET = Request("GET", "/version", {"Accept": "application/json"})
LOGIN = ("me", "s:ecret")
NAME = "kubernetes.example"
CONTEXT = tls_context(authority=authority().pem)


@pytest.fixture(params=["http", "https", "socks5"])
def scheme(request):
    return request.param


@pytest.fixture
def proxied(tmp_path, transport, scheme):
    """Give a function: a server with TLS behind a proxy of the scheme, the proxy, and a transport to the first."""
    stack = []

    def make(answer=lambda _: Reply(body=b"x" * 100_000), *, login=None, given=None, refuses="", **settings):
        (tmp_path / "p").mkdir()
        server = Loopback(answer, server_tls(tmp_path, pair("server", NAME))).__enter__()
        tls = server_tls(tmp_path / "p", pair("proxy", "127.0.0.1")) if scheme == "https" else None
        way = LoopbackProxy(scheme, server.port, tls=tls, login=login, refuses=refuses).__enter__()
        stack.extend([server, way])
        proxy = Proxy(scheme, "127.0.0.1", way.port, given)
        over = transport(
            f"https://{NAME}:6443", tls=CONTEXT, proxy=proxy, authority=authority().pem, **settings
        )
        return server, way, over

    yield make
    for each in stack:
        each.__exit__()


def test_the_proxy_finds_the_server_and_sees_nothing_but_its_name(proxied):
    server, proxy, over = proxied(authorize=lambda: {"Authorization": "Bearer t"})

    answers = [over.send(GET), over.send(GET._replace(method="POST", body=b"{}" * 50_000))]

    assert [len(answer.body) for answer in answers] == [100_000] * 2
    assert [request.headers["authorization"] for request in server.received] == ["Bearer t"] * 2
    assert len(server.received[1].body) == 100_000
    assert proxy.asked == [f"{NAME}:6443"]
    assert server.connections == 1


@pytest.mark.parametrize(
    ("host", "asked"),
    [
        ("10.1.2.3", {"10.1.2.3:7"}),
        ("[fd00::1]", {"fd00::1:7", "[fd00::1]:7"}),
        ("bücher.example", {"xn--bcher-kva.example:7"}),
    ],
)
def test_an_address_of_any_kind(proxied, transport, scheme, host, asked):
    _, proxy, _ = proxied()
    way = Proxy(scheme, "127.0.0.1", proxy.port)
    over = transport(f"https://{host}:7", tls=CONTEXT, server_name=NAME, proxy=way, authority=authority().pem)

    assert over.send(GET).status == 200
    assert set(proxy.asked) <= asked


def test_a_user_name_and_password_for_the_proxy(proxied):
    server, _, over = proxied(login=LOGIN, given=LOGIN)

    assert over.send(GET).status == 200
    assert "proxy-authorization" not in server.received[0].headers


def test_a_watch_ends_when_another_thread_closes_it(proxied):
    _, _, over = proxied(lambda _: Reply(chunks=[b"one\n", b"two\n"], then="hold"))

    stream = over.open(GET)
    lines = stream.lines()
    read = [next(lines), next(lines)]
    closing = threading.Thread(target=stream.close)
    closing.start()
    rest = list(lines)
    closing.join()

    assert (read, rest) == ([b"one", b"two"], [])


def test_a_watch_that_breaks_off(proxied):
    _, _, over = proxied(lambda _: Reply(chunks=[b"one\n"], then="cut"))
    stream = over.open(GET)
    lines = stream.lines()

    assert next(lines) == b"one"
    with pytest.raises(UnreachableError, match="broke off"):
        next(lines)
    stream.close()


def test_an_answer_that_ends_with_the_connection(proxied):
    _, _, over = proxied(lambda _: Reply(headers=(("Connection", "close"),), then="close"))

    assert [over.send(GET).status for _ in range(2)] == [200, 200]


def test_a_slow_server_behind_it(proxied):
    _, _, over = proxied(lambda _: Reply(body=b"{", length=10, then="hold"), timeout=0.3)

    with pytest.raises(UnreachableError, match="did not answer within"):
        over.send(GET)


@pytest.mark.parametrize("given", [None, ("me", "wrong")], ids=["none", "wrong"])
def test_where_it_wants_another_login_no_password_is_shown(proxied, given):
    _, proxy, over = proxied(login=LOGIN, given=given)

    with pytest.raises(UnreachableError) as caught:
        over.send(GET)

    assert caught.value.message == f"the proxy {proxy.url} does not lead to https://{NAME}:6443"
    assert "user name and password" in caught.value.cause
    assert bool(caught.value.hint) is (given is None)
    assert "wrong" not in "".join(caught.value.lines())


def test_what_the_proxy_says_is_passed_on(proxied, scheme):
    _, _, over = proxied(refuses=2 if scheme == "socks5" else "403 Forbidden by policy")

    with pytest.raises(UnreachableError) as caught:
        over.send(GET)

    said = {"socks5": "the rules of the proxy forbid it"}.get(scheme, "it answered 403 Forbidden by policy")
    assert caught.value.cause == said


def test_the_server_behind_it_is_verified(proxied, transport, scheme):
    server, proxy, _ = proxied()
    stranger = tls_context(authority=authority("stranger").pem)
    over = transport(
        f"https://{NAME}:6443",
        tls=stranger,
        proxy=Proxy(scheme, "127.0.0.1", proxy.port),
        authority=authority().pem,
    )

    with pytest.raises(UnreachableError, match="cannot verify the certificate"):
        over.send(GET)
    assert server.received == []


def test_nobody_is_where_the_proxy_should_be(transport, scheme):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    with pytest.raises(UnreachableError) as caught:
        transport(f"https://{NAME}", tls=CONTEXT, proxy=Proxy(scheme, "127.0.0.1", port)).send(GET)

    assert caught.value.cause == "cannot reach it: Connection refused"


@pytest.mark.parametrize(
    ("said", "cause"),
    [(b"", "it closed the connection"), (b"HTTP/1.1 400 Bad\r\n\r\n", "it does not speak SOCKS5")],
    ids=["nothing", "HTTP"],
)
def test_a_proxy_that_is_none(transport, said, cause):
    def answer() -> None:
        sock = listener.accept()[0]
        with sock:
            sock.recv(3)
            sock.sendall(said)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        proxy = Proxy("socks5", "127.0.0.1", listener.getsockname()[1])
        with pytest.raises(UnreachableError) as caught:
            transport(f"https://{NAME}", tls=CONTEXT, proxy=proxy).send(GET)
        thread.join()

    assert caught.value.cause == cause


def test_a_proxy_that_breaks_off(transport):
    def answer() -> None:
        with listener.accept()[0] as sock:
            sock.recv(20)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        way = Proxy("http", "127.0.0.1", listener.getsockname()[1])
        over = transport(f"https://{NAME}", tls=CONTEXT, proxy=way)
        with pytest.raises(UnreachableError) as caught:
            over.send(GET)
        thread.join()

    assert caught.value.cause == "it broke off"


def test_a_proxy_that_does_not_answer(transport):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        way = Proxy("socks5", "127.0.0.1", listener.getsockname()[1])
        over = transport(f"https://{NAME}", tls=CONTEXT, proxy=way, timeout=0.1)
        with pytest.raises(UnreachableError) as caught:
            over.send(GET)

    assert caught.value.cause == "it did not answer in time"


@pytest.mark.parametrize(
    ("host", "login", "cause"),
    [
        ("k" * 256, None, "the name of the server is too long for it"),
        ("k", ("", "p"), "the user name or password for it is empty or too long"),
        ("k", ("u", "p" * 256), "the user name or password for it is empty or too long"),
    ],
    ids=["host", "no user name", "password"],
)
def test_what_socks_cannot_carry(transport, host, login, cause):
    with LoopbackProxy("socks5", 1, login=login) as proxy:
        way = Proxy("socks5", "127.0.0.1", proxy.port, login)
        with pytest.raises(UnreachableError) as caught:
            transport(f"https://{host}", tls=CONTEXT, proxy=way).send(GET)

    assert caught.value.cause == cause


class TestPlainHttp:
    """A proxy for plain HTTP is given whole requests."""

    def test_the_request_says_whose_it_is(self, transport):
        with Loopback(lambda _: Reply()) as proxy:
            over = transport("http://k:8080/prefix", proxy=Proxy("http", "127.0.0.1", proxy.port, LOGIN))
            over.send(GET)

        assert proxy.received[0].target == "http://k:8080/prefix/version"
        assert proxy.received[0].headers["host"] == "k:8080"
        assert proxy.received[0].headers["proxy-authorization"] == "Basic bWU6czplY3JldA=="

    def test_it_may_be_reached_by_tls(self, transport, tmp_path):
        tls = server_tls(tmp_path, pair("proxy", "127.0.0.1"))
        with Loopback(lambda _: Reply(), tls) as proxy:
            way = Proxy("https", "127.0.0.1", proxy.port)
            transport("http://k", proxy=way, authority=authority().pem).send(GET)

        assert proxy.received[0].target == "http://k/version"

    def test_one_whose_certificate_nobody_vouches_for(self, transport, tmp_path):
        tls = server_tls(tmp_path, pair("proxy", "127.0.0.1", signer="stranger"))
        with Loopback(lambda _: Reply(), tls) as proxy:
            over = transport(
                "http://k", proxy=Proxy("https", "127.0.0.1", proxy.port), authority=authority().pem
            )
            with pytest.raises(UnreachableError) as caught:
                over.send(GET)

        assert caught.value.cause.startswith("TLS with it failed: unable to get local issuer certificate")
        assert proxy.received == []

    def test_a_proxy_that_wants_a_login(self, transport):
        with (
            Loopback(lambda _: Reply(407)) as proxy,
            pytest.raises(UnreachableError, match="the proxy http:"),
        ):
            transport("http://k", proxy=Proxy("http", "127.0.0.1", proxy.port)).send(GET)

    def test_socks_carries_it_as_it_is(self, transport):
        with Loopback(lambda _: Reply()) as server, LoopbackProxy("socks5", server.port) as proxy:
            transport("http://k:8080", proxy=Proxy("socks5", "127.0.0.1", proxy.port)).send(GET)

        assert (server.received[0].target, proxy.asked) == ("/version", ["k:8080"])

import pytest

from kubectl_kruise.cluster.http.proxies import Proxy, pick_proxy
from kubectl_kruise.errors import UsageError

PROXY = "http://proxy:3128"
THE_PROXY = Proxy("http", "proxy", 3128)


@pytest.mark.parametrize(
    ("server", "environ", "proxy"),
    [
        ("https://k", {}, None),
        ("https://k", {"HTTPS_PROXY": PROXY}, THE_PROXY),
        ("https://k", {"https_proxy": PROXY}, THE_PROXY),
        ("https://k", {"HTTPS_PROXY": PROXY, "https_proxy": "http://other"}, THE_PROXY),
        ("https://k", {"HTTPS_PROXY": "", "https_proxy": PROXY}, THE_PROXY),
        ("https://k", {"HTTP_PROXY": PROXY}, None),
        ("https://k", {"ALL_PROXY": PROXY}, None),
        ("http://k", {"HTTPS_PROXY": PROXY}, None),
        ("http://k", {"HTTP_PROXY": PROXY}, THE_PROXY),
        ("https://k", {"HTTPS_PROXY": "proxy:3128"}, THE_PROXY),
        ("https://k", {"HTTPS_PROXY": "proxy"}, Proxy("http", "proxy", 80)),
        ("https://k", {"HTTPS_PROXY": "https://proxy"}, Proxy("https", "proxy", 443)),
        ("https://k", {"HTTPS_PROXY": "socks5://proxy"}, Proxy("socks5", "proxy", 1080)),
        ("https://k", {"HTTPS_PROXY": "socks5h://proxy:1"}, Proxy("socks5h", "proxy", 1)),
        ("https://k", {"HTTPS_PROXY": "me:p%40ss@proxy:1"}, Proxy("http", "proxy", 1, ("me", "p@ss"))),
        ("https://k", {"HTTPS_PROXY": "http://me@[fd00::1]:1"}, Proxy("http", "fd00::1", 1, ("me", ""))),
        ("https://127.0.0.1:6443", {"HTTPS_PROXY": PROXY}, None),
        ("https://localhost:6443", {"HTTPS_PROXY": PROXY}, None),
        ("https://[::1]:6443", {"HTTPS_PROXY": PROXY}, None),
    ],
)
def test_which_proxy_the_environment_asks_for(server, environ, proxy):
    assert pick_proxy(server, "", environ) == proxy


def test_the_cluster_entry_wins_and_knows_no_exceptions():  # fault B176
    environ = {"HTTPS_PROXY": "http://other:1", "NO_PROXY": "*"}

    assert pick_proxy("https://127.0.0.1:6443", PROXY, environ) == THE_PROXY


@pytest.mark.parametrize(
    ("entry", "environ", "message"),
    [
        ("ftp://me:secret@p", {}, 'the proxy-url of the cluster has the scheme "ftp"'),
        ("socks5h://p", {}, 'has the scheme "socks5h"'),
        ("proxy:3128", {}, 'has the scheme "proxy"'),
        ("http://me:secret@", {}, "the proxy-url of the cluster names no host"),
        ("http://me:secret@p:port", {}, "the proxy-url of the cluster is not a URL"),
        ("http://[me:secret@", {}, "the proxy-url of the cluster is not a URL"),
        ("", {"HTTPS_PROXY": "socks4://me:secret@p"}, 'HTTPS_PROXY has the scheme "socks4"'),
        ("", {"https_proxy": "http://me:secret@p:port"}, "HTTPS_PROXY is not a URL"),
    ],
)
def test_what_is_no_proxy_is_said_without_its_password(entry, environ, message):
    with pytest.raises(UsageError, match=message) as caught:
        pick_proxy("https://k", entry, environ)

    assert "secret" not in "".join(caught.value.lines())


def test_a_program_that_answers_web_requests_lets_nobody_choose_its_proxy():
    with pytest.raises(UsageError, match="CGI"):
        pick_proxy("http://k", "", {"HTTP_PROXY": PROXY, "REQUEST_METHOD": "GET"})


@pytest.mark.parametrize(
    ("proxy", "address"),
    [
        (Proxy("http", "p", 1, ("me", "secret")), "http://p:1"),
        (Proxy("socks5", "fd00::1", 1080), "socks5://[fd00::1]:1080"),
    ],
)
def test_its_address_may_be_shown(proxy, address):
    assert proxy.address == address

import pytest

from kubectl_kruise.cluster.http.proxies import proxy_for

PROXY = "http://proxy:3128"


@pytest.mark.parametrize(
    ("server", "environ", "proxy"),
    [
        ("https://k", {"HTTPS_PROXY": PROXY}, PROXY),
        ("https://k", {"https_proxy": PROXY}, PROXY),
        ("http://k", {"HTTPS_PROXY": PROXY}, ""),
        ("http://k", {"HTTP_PROXY": PROXY}, PROXY),
        ("https://k", {"HTTPS_PROXY": "http://user:secret@proxy:1"}, "proxy:1"),
        ("https://127.0.0.1:6443", {"HTTPS_PROXY": PROXY}, ""),
        ("https://localhost:6443", {"HTTPS_PROXY": PROXY}, ""),
        ("https://[::1]:6443", {"HTTPS_PROXY": PROXY}, ""),
    ],
)
def test_which_proxy_is_asked_for(server, environ, proxy):
    assert proxy_for(server, environ) == proxy


@pytest.mark.parametrize(
    ("excluded", "server", "direct"),
    [
        ("*", "https://k", True),
        ("k", "https://k", True),
        ("other, K.Example", "https://k.example:6443", True),
        ("example", "https://k.example", True),
        (".example", "https://k.example", True),
        ("*.example", "https://k.example", True),
        (".example", "https://example", False),
        ("ample", "https://k.example", False),
        ("10.0.0.0/8", "https://10.1.2.3", True),
        ("10.0.0.0/8", "https://11.1.2.3", False),
        ("10.0.0.0/8", "https://k", False),
        ("10.1.2.3", "https://10.1.2.3:6443", True),
        ("k:6443", "https://k:6443", True),
        ("k:443", "https://k", True),
        ("k:443", "https://k:6443", False),
        ("fd00::/8", "https://[fd00::1]:6443", True),
        (" , ", "https://k", False),
    ],
)
def test_what_no_proxy_excludes(excluded, server, direct):
    environ = {"HTTPS_PROXY": PROXY, "NO_PROXY": excluded}

    assert (proxy_for(server, environ) == "") is direct

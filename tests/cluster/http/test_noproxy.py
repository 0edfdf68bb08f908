"""Every row was answered by Go's `net/http` (1.26), on which kubectl stands."""

import pytest

from kubectl_kruise.cluster.http.noproxy import goes_direct


@pytest.mark.parametrize(
    ("excluded", "host", "port", "direct"),
    [
        ("*", "k", 443, True),
        ("other,*", "10.1.2.3", 443, True),
        ("k", "k", 443, True),
        ("other, K.Example", "k.example", 6443, True),
        ("k.example", "K.EXAMPLE", 443, True),
        ("example", "k.example", 443, True),
        (".example", "k.example", 443, True),
        ("*.example", "k.example", 443, True),
        (".example", "example", 443, False),
        ("*.example", "example", 443, False),
        ("*ample", "k.example", 443, False),
        ("ample", "k.example", 443, False),
        ("example.", "k.example", 443, False),
        ("10.0.0.0/8", "10.1.2.3", 443, True),
        ("10.9.9.9/8", "10.1.2.3", 443, True),
        ("10.0.0.0/8", "11.1.2.3", 443, False),
        ("10.0.0.0/8", "k", 443, False),
        ("10.0.0.0/33", "10.1.2.3", 443, False),
        ("10.0.0.0/255.0.0.0", "10.1.2.3", 443, False),
        ("10.0.0.0/8:443", "10.1.2.3", 443, False),
        ("10.1.2.3", "10.1.2.3", 6443, True),
        ("10.1.2.3:6443", "10.1.2.3", 6443, True),
        ("10.1.2.3:443", "10.1.2.3", 6443, False),
        ("10.1.2", "10.1.2.3", 443, False),
        (".2.3", "10.1.2.3", 443, False),
        ("10.0.0.0/8", "::ffff:10.1.2.3", 443, True),
        ("::ffff:10.1.2.3", "10.1.2.3", 443, True),
        ("k:6443", "k", 6443, True),
        ("k:443", "k", 443, True),
        ("k:443", "k", 6443, False),
        ("k:https", "k", 443, False),
        ("k:", "k", 6443, True),
        (":443", "k", 443, False),
        (".example:443", "k.example", 443, True),
        (".example:443", "k.example", 444, False),
        ("fd00::/8", "fd00::1", 6443, True),
        ("fd00::1", "fd00::1", 6443, True),
        ("[fd00::1]:6443", "fd00::1", 6443, True),
        ("[fd00::1]:443", "fd00::1", 6443, False),
        ("[fd00::1]", "fd00::1", 443, False),
        ("http://k", "k", 443, False),
        ("bücher.example", "xn--bcher-kva.example", 443, True),
        ("xn--bcher-kva.example", "bücher.example", 443, True),
        (" , ", "k", 443, False),
        ("", "k", 443, False),
        ("", "localhost", 443, True),
        ("", "127.8.8.8", 443, True),
        ("", "::1", 443, True),
        ("", "my.localhost", 443, False),
    ],
)
def test_what_no_proxy_excludes(excluded, host, port, direct):
    assert goes_direct(host, port, excluded) is direct

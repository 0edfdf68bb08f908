"""Transports and clients that are closed when the test ends."""

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.http.connecting import Route, parse_server
from kubectl_kruise.cluster.http.transport import HttpTransport


@pytest.fixture
def transport():
    made = []

    def make(url, *, tls=None, server_name="", proxy=None, authority=b"", **settings):
        route = Route(parse_server(url), (lambda: tls) if tls else None, server_name, proxy, authority)
        made.append(HttpTransport(route, **settings))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def client(transport):
    return lambda url, **settings: Client(transport(url), server=url, **settings)

"""Transports and clients that are closed when the test ends."""

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.http.transport import HttpTransport


@pytest.fixture
def transport():
    made = []

    def make(url, **settings):
        made.append(HttpTransport(url, **settings))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def client(transport):
    return lambda url, **settings: Client(transport(url), server=url, **settings)

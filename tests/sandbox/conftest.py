"""A fresh sandbox in this process, without anybody at work but the server's own controllers."""

import pytest

from kubectl_kruise.sandbox.embedded import Sandbox


@pytest.fixture
def sandbox():
    return Sandbox(kruise=False)


@pytest.fixture
def client(sandbox):
    return sandbox.client("tests")

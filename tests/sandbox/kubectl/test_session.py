"""A whole session with kubectl prints against the sandbox what it printed against a real server."""

import json
from functools import cache

import pytest

from tests.conformance.sessions import replay_session
from tests.places import DATA
from tests.sandbox.process import KUBECTL

pytestmark = [
    pytest.mark.skipif(KUBECTL is None, reason="no kubectl here"),
    pytest.mark.long,
]

PATH = DATA / "recordings" / "sessions" / "kubectl.json"
RECORDING = json.loads(PATH.read_text("utf-8"))
TITLES = {step["id"]: " ".join(step["argv"]) for step in RECORDING["session"]}


@cache
def _differences() -> dict[str, str]:
    return dict(replay_session(RECORDING))


@pytest.mark.parametrize("name", [case["id"] for case in RECORDING["cases"]], ids=TITLES.__getitem__)
def test_prints_as_recorded(name: str) -> None:
    assert _differences()[name] == ""

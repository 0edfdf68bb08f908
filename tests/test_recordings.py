import json
from pathlib import Path

import pytest

from tests.conformance.flows import replay_flow
from tests.conformance.questions.entries import replay_entries
from tests.conformance.scenarios.replay import replay
from tests.conformance.scenarios.restarts import replay_restarts
from tests.places import DATA

RECORDINGS = DATA / "recordings"
SCENARIOS = sorted([*(RECORDINGS / "cloneset").glob("*.json"), *(RECORDINGS / "statefulset").glob("*.json")])
NATIVE = sorted(RECORDINGS.glob("native-*/*.json"))
RESTARTS = sorted((RECORDINGS / "restarts").glob("*.json"))
MIGRATIONS = sorted((RECORDINGS / "migration").glob("*.json"))
QUESTIONS = sorted([*(RECORDINGS / "crds").glob("*.json"), *(RECORDINGS / "admission").glob("*.json")])


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_the_controller_does_what_the_real_one_did(path: Path) -> None:
    assert replay(json.loads(path.read_text("utf-8"))) == ""


@pytest.mark.parametrize("path", NATIVE, ids=lambda path: path.stem)
def test_the_sandbox_runs_native_workloads_as_kubernetes_does(path: Path) -> None:
    assert replay(json.loads(path.read_text("utf-8"))) == ""


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_the_server_answers_as_the_real_one(path: Path) -> None:
    answers = dict(replay_entries(json.loads(path.read_text("utf-8"))))

    assert {name: difference for name, difference in answers.items() if difference} == {}


@pytest.mark.parametrize("path", RESTARTS, ids=lambda path: path.stem)
def test_requests_to_restart_containers_end_as_with_the_real_manager(path: Path) -> None:
    assert replay_restarts(json.loads(path.read_text("utf-8"))) == ""


@pytest.mark.parametrize("path", MIGRATIONS, ids=lambda path: path.stem)
def test_pods_change_hands_as_on_the_real_cluster(path: Path) -> None:
    assert replay_flow(json.loads(path.read_text("utf-8"))) == ""

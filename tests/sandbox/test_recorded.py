"""What a real API server answered, request by request, is what the sandbox answers: codes, headers, bodies, events."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.questions.served import Topic
from tests.places import DATA

FOLDER = DATA / "apiserver"
GADGET = json.loads((FOLDER / "gadget.json").read_text("utf-8"))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@cache
def _topic(name: str) -> Topic:
    return Topic(_lines(FOLDER / f"{name}.jsonl")[0], GADGET)


CASES = [case for path in sorted(FOLDER.glob("*.jsonl")) for case in _lines(path)[1:]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['promise']}")
def test_answers_as_recorded(case):
    assert _topic(case["id"].rpartition("-")[0]).check(case) == ""

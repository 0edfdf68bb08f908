"""The comparison of migrations notices what differs: a recording that is changed a little fails."""

import copy
import json
from typing import Any

import pytest

from tests.conformance.flows import replay_flow
from tests.places import DATA

RECORDING = json.loads((DATA / "recordings" / "migration" / "mg-012.json").read_text("utf-8"))


def _request(flow: dict[str, Any], step: str, resource: str) -> dict[str, Any]:
    return next(each for each in flow["requests"] if (each["step"], each.get("resource")) == (step, resource))


def _other_code(flow: dict[str, Any]) -> None:
    _request(flow, "D6", "deployments")["code"] = 404


def _other_finalizers(flow: dict[str, Any]) -> None:
    _request(flow, "D8", "replicasets")["answer"]["finalizers"] = ["orphan"]


def _other_owner(flow: dict[str, Any]) -> None:
    flow["after"]["pods"][0]["owner"] = "ReplicaSet/web"


def _other_pod(flow: dict[str, Any]) -> None:
    flow["after"]["pods"][0]["uid"] = "uid-p9"


def _more_writes(flow: dict[str, Any]) -> None:
    found = next(each for each in flow["controllers"] if each["by"] == "gc")
    flow["controllers"].insert(0, found | {"verb": "delete", "options": {"propagationPolicy": "Background"}})


def _fewer_writes(flow: dict[str, Any]) -> None:
    flow["controllers"] = [each for each in flow["controllers"] if each["by"] != "gc"]


def _other_counters(flow: dict[str, Any]) -> None:
    flow["controllers"][-1]["status"]["replicas"] = 7


CHANGES = {
    "another code": (_other_code, "recorded 404, ours 200"),
    "another answer": (_other_finalizers, "answer.finalizers"),
    "another owner in the end": (_other_owner, "after[0].owner"),
    "another pod in the end": (_other_pod, "after[0].uid"),
    "a write that nobody sends": (_more_writes, "controllers have not done gc delete"),
    "a write that is not recorded": (_fewer_writes, "controllers have also done gc patch"),
    "other counters in the end": (_other_counters, "status"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_difference_is_told(name: str) -> None:
    change, told = CHANGES[name]
    flow: dict[str, Any] = copy.deepcopy(RECORDING)
    change(flow)

    assert told in replay_flow(flow)

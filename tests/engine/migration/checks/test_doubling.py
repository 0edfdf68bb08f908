"""What two generations of pods at a time would share (migration.md §10 P-SURGE, §11.1 row 6)."""

from typing import Any

import pytest

from kubectl_kruise.engine.migration.checks.doubling import check_doubling
from kubectl_kruise.facts.kinds import DEPLOYMENT
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload
from tests.convert import sources

CLAIMED = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}


def claim(*modes: str, name: str = "data") -> Raw:
    return {"metadata": {"name": name}, "spec": {"accessModes": list(modes)}}


def quota(hard: str, used: str, key: str = "pods") -> Raw:
    return {"metadata": {"name": "small"}, "status": {"hard": {key: hard}, "used": {key: used}}}


def container(**port: Any) -> Raw:
    return {"containers": [{"name": "main", "image": "web:1", "ports": [{"containerPort": 80, **port}]}]}


@pytest.mark.parametrize(
    ("pod", "claims", "quotas", "about"),
    [
        pytest.param({}, [], [], None, id="nothing"),
        pytest.param(CLAIMED, [claim("ReadWriteOnce")], [], "claim data (ReadWriteOnce)", id="row 6: one node's claim"),
        pytest.param(CLAIMED, [claim("ReadWriteOncePod")], [], "claim data (ReadWriteOncePod)", id="one pod's claim"),
        pytest.param(CLAIMED, [claim("ReadWriteOnce", "ReadWriteMany")], [], None, id="a claim for many"),
        pytest.param(CLAIMED, [claim("ReadWriteOnce", name="x")], [], None, id="a claim of others"),
        pytest.param(container(hostPort=8080), [], [], "host port 8080", id="a port of the node"),
        pytest.param(container(), [], [], None, id="a port of its own"),
        pytest.param({**container(), "hostNetwork": True}, [], [], "the network of its node", id="the node's network"),
        pytest.param({}, [], [quota("4", "3")], "leaves room for 1 pods", id="a quota that is nearly used up"),
        pytest.param({}, [], [quota("4", "3", "count/pods")], "leaves room for 1 pods", id="the same by its other name"),
        pytest.param({}, [], [quota("5", "3")], None, id="a quota with room"),
    ],
)  # fmt: skip
def test_two_at_a_time(pod: Raw, claims: list[Raw], quotas: list[Raw], about: str | None) -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {**container(), **pod}}
    workload = Workload(sources.deployment(template=template), DEPLOYMENT)

    (check,) = check_doubling(workload, 2, claims, quotas)

    assert (check.code, check.passed) == ("P-SURGE", about is None)
    assert (about or "nothing speaks against 2 more pods") in check.evidence

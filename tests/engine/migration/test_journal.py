"""A journal is read as it was written, whatever it holds, and nothing else is taken for one (migration.md §4.1)."""

import json
from dataclasses import replace

import pytest

from kubectl_kruise.engine.migration.journal import Journal, Mode, Phase, Reference, Rewrite, journal_name
from kubectl_kruise.engine.migration.marks import PodMark
from tests.engine.migration.objects import cloneset, deployment, replicaset

CONFIGMAP_MAX = 1024 * 1024
SMALL = Journal(
    "6e1b", Mode.ADOPT, Reference("Deployment", "web", "apps/v1", "d"),
    Reference("CloneSet", "web", "apps.kruise.io/v1alpha1"), 2, "2026-01-01T00:00:00Z",
)  # fmt: skip
FULL = replace(
    SMALL,
    phase=Phase.MOVED,
    holder="host/7",
    renewed_at="2026-01-01T00:01:00Z",
    options={"unprotect": True},
    counters={"fewest": 3},
    source_manifest=deployment(),
    target_manifest=cloneset(),
    replicaset=replicaset("d"),
    zero_sized=[replicaset("d", uid="r0")],
    pods=[PodMark("web-p1", "p1", 3, "web-1", "1"), PodMark("web-p2", "p2")],
    rewrites=[
        Rewrite("autoscaling/v2", "HorizontalPodAutoscaler", "web", ("spec", "scaleTargetRef"), {"kind": "A"}, None),
        Rewrite("autoscaling/v2", "HorizontalPodAutoscaler", "web", ("spec", "minReplicas"), 2, 1, temporary=True),
    ],
)  # fmt: skip


@pytest.mark.parametrize("journal", [pytest.param(SMALL, id="fresh"), pytest.param(FULL, id="full")])
def test_a_journal_is_read_as_written(journal: Journal) -> None:
    data = journal.data()

    assert Journal.read(data).data() == data
    assert Journal.read(data).pods == list(journal.pods)
    assert Journal.read(data).rewrites == list(journal.rewrites)
    assert all(text.startswith(("{", "[")) for text in data.values())


def test_a_long_manifest_is_packed_and_fits() -> None:
    long = deployment() | {"metadata": {"annotations": {str(at): f"line {at} " * 50 for at in range(3000)}}}
    journal = replace(SMALL, source_manifest=long)
    data = journal.data()

    assert data["source.json"].startswith("gzip:")
    assert sum(map(len, data.values())) < CONFIGMAP_MAX
    assert Journal.read(data).source_manifest == long


@pytest.mark.parametrize(
    ("count", "restarts"),
    [
        pytest.param(3000, 4, id="3000 with all that is known"),
        pytest.param(5000, 0, id="above, name and uid alone"),
    ],
)
def test_many_pods_fit(count: int, restarts: int) -> None:
    pods = [
        PodMark(f"web-7cffcc7b48-{at:05}", f"{at:08}-0000-4000-8000-000000000000", 4, "web-1", "1")
        for at in range(count)
    ]
    data = replace(SMALL, pods=pods).data()
    found = Journal.read(data).pods

    assert [(pod.name, pod.uid) for pod in found] == [(pod.name, pod.uid) for pod in pods]
    assert {pod.restarts for pod in found} == {restarts}
    assert sum(map(len, data.values())) < CONFIGMAP_MAX


def _without(key: str) -> dict[str, str]:
    return {name: text for name, text in FULL.data().items() if name != key}


def _state(**changes: object) -> dict[str, str]:
    return FULL.data() | {"state.json": json.dumps(json.loads(FULL.data()["state.json"]) | changes)}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({}, id="empty"),
        pytest.param({"notes": "of others"}, id="of others"),
        pytest.param(_without("pods.json"), id="a part is missing"),
        pytest.param(FULL.data() | {"source.json": "{"}, id="broken off"),
        pytest.param(FULL.data() | {"source.json": "gzip:AAAA"}, id="not packed"),
        pytest.param(FULL.data() | {"source.json": "gzip:!"}, id="not even text"),
        pytest.param(FULL.data() | {"state.json": "[]"}, id="another shape"),
        pytest.param(_state(schema=2), id="another schema"),
        pytest.param(_state(mode="sideways"), id="another mode"),
        pytest.param(_state(phase="Armed2"), id="another phase"),
        pytest.param(_state(source={"kind": "Deployment"}), id="half a reference"),
    ],
)
def test_what_is_no_journal_is_told(data: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"."):
        Journal.read(data)


def test_the_direction_says_which_manifest_is_which() -> None:
    back = replace(FULL, source=Reference("CloneSet", "web", "apps.kruise.io/v1alpha1"))

    assert (FULL.forward, FULL.native_manifest["kind"], FULL.kruise_manifest["kind"]) == (
        True, "Deployment", "CloneSet",
    )  # fmt: skip
    assert (back.forward, back.kruise_manifest["kind"]) == (False, "Deployment")


@pytest.mark.parametrize(
    ("name", "length"),
    [pytest.param("web", 29, id="short"), pytest.param("w" * 253, 253, id="cut, with a digest")],
)
def test_two_runs_for_one_workload_meet_at_one_name(name: str, length: int) -> None:
    found = journal_name(Reference("Deployment", name, "apps/v1"))

    assert found.startswith("kruise-migrate-deployment-w")
    assert len(found) == length
    assert found != journal_name(Reference("Deployment", name[:-1] + "x", "apps/v1"))

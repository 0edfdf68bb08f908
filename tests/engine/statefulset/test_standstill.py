"""What holds a set up, as its controller would find it: advanced-statefulset.md §18 no. 6, §12, §16, §22."""

from typing import Any

import pytest

from kubectl_kruise.engine.statefulset.standstill import why_waiting
from kubectl_kruise.facts.kinds import STATEFULSET
from kubectl_kruise.objects.workload import Workload
from tests.engine.statefulset.builders import NOW, pod, pods, revision, statefulset

OBSERVED = {"observedGeneration": 1, "currentRevision": "r1", "updateRevision": "r2"}
CLAIM = {"metadata": {"name": "data"}, "spec": {}}
GOING = {"data-web-1": {"metadata": {"name": "data-web-1", "deletionTimestamp": "2026-01-01T00:00:00Z"}}}
STALE = {
    "data-web-1": {
        "metadata": {
            "name": "data-web-1",
            "ownerReferences": [{"kind": "Pod", "name": "web-1", "uid": "old"}],
        }
    }
}
HOOK = {"inPlaceUpdate": {"labelsHandler": {"drain": "true"}}}


def waiting(text: str, listed: Any, claims: Any = None, **spec: Any) -> tuple[str, ...]:
    status = spec.pop("status", OBSERVED)
    workload = Workload(statefulset(text, status=status, **spec).raw, STATEFULSET)
    return why_waiting(workload, listed, [revision("r1"), revision("r2")], claims or {}, NOW)


@pytest.mark.parametrize(
    ("text", "listed", "reasons"),
    [
        pytest.param("PA", "0 1 2", (), id="nothing: the next pass updates"),
        pytest.param(
            "PA", "0- 1 2", ("pod web-2 waits: at most 1 may be unavailable, web-0 is",),
            id="§22 no. 1, X-51: a broken pod of a low ordinal starves the whole rollout",
        ),
        pytest.param(
            "PA mu 2", "0:r2- 1- 2",
            ("pod web-2 waits: at most 2 may be unavailable, web-0, web-1 are",), id="[P-59] wherever they are",
        ),
        pytest.param("OR", "0 1- 2", ("pod web-1 has to be available first",), id="[P-25] OrderedReady"),
        pytest.param("OR", "0 1T 2", ("pod web-1 has to be gone first",), id="[P-23]"),
        pytest.param("PA paused", "0 1 2", ("paused",), id="[P-53]"),
        pytest.param(
            "PA part 3", "0 1 2", ("partition 3 keeps all pods as they are",), id="§18: partition ≥ replicas"
        ),
        pytest.param(
            "PA smu 1", "0- 2", ("scaling waits: pod web-0 is not available, and no more pods may be unavailable",
            "pod web-2 waits: at most 1 may be unavailable, web-0, web-1 are"), id="[P-27]: the throttle of scaling",
        ),
    ],
)  # fmt: skip
def test_blockers_in_words(text: str, listed: str, reasons: tuple[str, ...]) -> None:
    assert waiting(text, pods(listed)) == reasons


def test_a_claim_in_the_way_of_a_new_pod_is_named() -> None:
    claims, there = (
        {"volumeClaimTemplates": [CLAIM]},
        {f"data-web-{n}": {"metadata": {"name": ""}} for n in (0, 2)},
    )
    policy = {"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete", "whenDeleted": "Retain"}}

    # [V-2]
    assert waiting("PA", pods("0:r2 2:r2"), there | GOING, **claims) == (
        "pod web-1 is made when its old volume claim data-web-1 is gone, which is being deleted",
    )
    # [V-20]
    assert waiting("PA", pods("0:r2 2:r2"), there | STALE, **claims, **policy) == (
        "a volume claim of pod web-1 still belongs to the one before it",
    )


def test_a_claim_template_that_came_after_its_pods_is_named() -> None:  # §22 no. 7
    found = waiting("PA", pods("0 1 2"), volumeClaimTemplates=[CLAIM])

    assert found[0].startswith("claim template data came after pods that have no volume of it")
    assert not waiting("PA", pods("0P"), volumeClaimTemplates=[CLAIM])


def test_a_hook_that_is_not_released_is_told_with_its_pod() -> None:  # §15.1
    held = pod(2, state="PreparingUpdate", labels={"drain": "true"})
    found = waiting("PA InPlaceIfPossible", [*pods("0 1"), held], lifecycle=HOOK)

    assert found[0] == "pod web-2: the inPlaceUpdate hook is not released"


def test_nothing_is_told_of_a_set_that_its_controller_has_not_seen() -> None:
    assert waiting("PA", pods("0- 1 2"), status={**OBSERVED, "observedGeneration": 0}) == ()
    assert waiting("PA", pods("0- 1 2"), status={**OBSERVED, "updateRevision": "r9"}) == ()


@pytest.mark.parametrize(("listed", "missing"), [("3 5", "web-4"), ("0 2", "web-1")])
def test_the_pods_tell_whether_a_start_counts(listed: str, missing: str) -> None:
    start = {"ordinals": {"start": 3}, "volumeClaimTemplates": [CLAIM]}
    there = {f"data-web-{ordinal}": {"metadata": {"name": ""}} for ordinal in listed.split()}
    going = there | {f"data-{missing}": GOING["data-web-1"]}

    assert waiting("PA", pods(listed), going, **start)[0].startswith(f"pod {missing} is made when")

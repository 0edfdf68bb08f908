"""ImagePullJobs at their webhook (small-kinds.md §6.1)."""

from typing import Any

import pytest

from kubectl_kruise.engine.admission.pull_job import default_pull_job, why_job_refused
from kubectl_kruise.engine.gates import Gates

ON = Gates(image_pull_jobs=True)


def job(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "job"}, "spec": {"image": "app:1", "completionPolicy": {}, **spec}}


def test_defaults() -> None:
    assert default_pull_job(job())["spec"] == {
        "image": "app:1",
        "completionPolicy": {"type": "Always"},
        "pullPolicy": {"timeoutSeconds": 600, "backoffLimit": 3},
        "imagePullPolicy": "IfNotPresent",
    }


def test_zeroes_are_kept_and_a_full_job_is_left_alone() -> None:
    full = default_pull_job(
        job(pullPolicy={"timeoutSeconds": 0, "backoffLimit": 0}, imagePullPolicy="Always")
    )

    assert full["spec"]["pullPolicy"] == {"timeoutSeconds": 0, "backoffLimit": 0}
    assert default_pull_job(full) is full


NEVER = "activeDeadlineSeconds and ttlSecondsAfterFinished can only work with Always CompletionPolicyType"
LONGER = "completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds(default 600)"


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        ({}, (0, "")),
        ({"image": ""}, (400, "image can not be empty")),
        (
            {"image": "UPPER/x:1"},
            (400, "invalid image UPPER/x:1: invalid reference format: repository name must be lowercase"),
        ),
        ({"image": "x@sha256:abc"}, (400, "invalid image x@sha256:abc: invalid reference format")),
        ({"image": f"reg.example.com:5000/a/b_c:1.2@sha256:{'a' * 64}"}, (0, "")),
        (
            {"selector": {"matchExpressions": [{"key": "a", "operator": "Nope"}]}},
            (400, 'invalid selector: "Nope" is not a valid label selector operator'),
        ),
        ({"parallelism": -1}, (400, "parallelism must be non-negative")),
        ({"parallelism": "2"}, (0, "")),
        ({"parallelism": "10%"}, (400, "parallelism does not support percentage value")),
        (
            {"parallelism": "x"},
            (400, 'parallelism must be a valid integer: strconv.ParseInt: parsing "x": invalid syntax'),
        ),
        ({"selector": {"names": ["a", "a"]}}, (400, "duplicated name in selector names")),
        (
            {"selector": {"names": ["a"], "matchLabels": {"b": "c"}}},
            (400, "can not set both names and labelSelector in this spec.selector"),
        ),
        ({"selector": {}, "podSelector": {}}, (400, "can not set both selector and podSelector")),
        ({"completionPolicy": {"type": "Never"}}, (0, "")),
        ({"completionPolicy": {"type": "Never", "ttlSecondsAfterFinished": 1}}, (400, NEVER)),
        ({"completionPolicy": {"activeDeadlineSeconds": 599}}, (400, LONGER)),
        ({"completionPolicy": {"activeDeadlineSeconds": 600}}, (0, "")),
        ({"completionPolicy": {"type": "Maybe"}}, (400, "unknown type of completionPolicy: Maybe")),
    ],
)
def test_judgement(spec: dict[str, Any], answer: tuple[int, str]) -> None:
    assert why_job_refused(default_pull_job(job(**spec)), ON) == answer


def test_without_the_gate_there_are_none() -> None:
    assert why_job_refused(default_pull_job(job()), Gates()) == (
        403,
        "feature-gate ImagePullJobGate is not enabled",
    )

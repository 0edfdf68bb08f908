"""Which API version a CloneSet is written through (cloneset.md §1.8, §26)."""

from typing import Any

import pytest

from kubectl_kruise.engine.changes.versions import dropped, other_version
from kubectl_kruise.facts.names import EXCLUDE_PREPARING_DELETE_LABEL
from kubectl_kruise.objects.raw import Raw
from tests.engine.changes.workloads import cloneset

GROUP = "apps.kruise.io"
FIELDS = {"f:spec": {"f:scaleStrategy": {"f:excludePreparingDelete": {}}}}
LOSS = "a write through v1alpha1 drops scaleStrategy.excludePreparingDelete, which only v1beta1 has"
ZERO = "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: maxUnavailable and maxSurge cannot both be 0"
SHARE = (
    "spec.updateStrategy.rollingUpdate.inPlaceUpdateStrategy.imagePreDownloadParallelism: Invalid value: 10%"
)
TYPE = 'spec.updateStrategy.type: Invalid value: "OnDelete": must be one of ReCreate, InPlaceIfPossible, InPlaceOnly'
OLDER = "v1alpha1 takes it: clonesets.v1alpha1.apps.kruise.io/web"
NEWER = "v1beta1 takes it: clonesets.v1beta1.apps.kruise.io/web"


def live(version: str, strategy: dict[str, Any] | None = None, **meta: Any) -> Raw:
    raw = cloneset(strategy=strategy or {}).raw
    return {**raw, "apiVersion": f"{GROUP}/{version}", "metadata": {**raw["metadata"], **meta}}


def written(version: str, fields: Raw) -> list[Raw]:
    return [{"manager": "kubectl", "apiVersion": f"{GROUP}/{version}", "fieldsV1": fields}]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param(live("v1alpha1", managedFields=written("v1beta1", FIELDS)), LOSS, id="Q28: owned in v1beta1"),
        pytest.param(live("v1beta1", managedFields=written("v1beta1", FIELDS)), "", id="written through v1beta1"),
        pytest.param(
            live("v1alpha1", managedFields=written("v1beta1", FIELDS), labels={EXCLUDE_PREPARING_DELETE_LABEL: "true"}), "",
            id="the label means the same",
        ),
        pytest.param(live("v1alpha1", managedFields=written("v1beta1", {"f:spec": {}})), "", id="nobody has set it"),
        pytest.param(live("v1alpha1"), "", id="no word on owners"),
    ],
)  # fmt: skip
def test_what_a_write_through_the_older_version_drops(raw: Raw, expected: str) -> None:
    assert dropped(raw) == expected


@pytest.mark.parametrize(
    ("raw", "said", "expected"),
    [
        pytest.param(live("v1beta1", {"rollingUpdate": {"maxSurge": 1}}), ZERO, OLDER, id="Q1, ex. 58"),
        pytest.param(live("v1beta1", {"rollingUpdate": {}}), ZERO, "", id="Q1: both zero, nobody takes that"),
        pytest.param(live("v1beta1"), SHARE, OLDER, id="Q1: a percentage of pull jobs"),
        pytest.param(live("v1alpha1", {"maxSurge": 1}), ZERO, "", id="not refused by the newer version"),
        pytest.param(live("v1alpha1", {"type": "OnDelete"}), TYPE, NEWER, id="Q2"),
        pytest.param(live("v1alpha1", {"type": "Odd"}), TYPE, "", id="Q2: no type at all"),
        pytest.param(live("v1beta1"), "spec.replicas: Invalid value: -1", "", id="anything else"),
    ],
)
def test_the_version_that_takes_what_this_one_refuses(raw: Raw, said: str, expected: str) -> None:
    assert other_version(raw, said) == expected

import pytest

from kubectl_kruise.objects.qos import qos_class

FULL = {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1000m", "memory": "1024Mi"}}


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        pytest.param([{}], "BestEffort", id="nothing"),
        pytest.param([{"limits": {"ephemeral-storage": "1Gi"}}], "BestEffort", id="only other resources"),
        pytest.param([{"requests": {"cpu": "0"}}], "BestEffort", id="zero is nothing"),
        pytest.param([FULL], "Guaranteed", id="equal, however spelt"),
        pytest.param([FULL, FULL], "Guaranteed", id="equal in all containers"),
        pytest.param([FULL, {}], "Burstable", id="one container without"),
        pytest.param([{"limits": FULL["limits"]}], "Burstable", id="limits alone, as in a template"),
        pytest.param([{"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}], "Burstable", id="one resource alone"),
        pytest.param([{**FULL, "requests": {"cpu": "1", "memory": "1Mi"}}], "Burstable", id="less asked for than allowed"),
    ],
)  # fmt: skip
def test_the_class_follows_from_cpu_and_memory(resources: list[dict], expected: str) -> None:
    assert qos_class({"containers": [{"resources": each} for each in resources]}) == expected


def test_init_containers_count() -> None:
    assert qos_class({"containers": [{"resources": FULL}], "initContainers": [{}]}) == "Burstable"


def test_resources_of_the_whole_pod_take_their_place() -> None:
    assert qos_class({"resources": FULL, "containers": [{}]}) == "Guaranteed"

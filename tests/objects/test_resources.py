from kubectl_kruise.objects.resources import pod_limits, pod_requests


def container(cpu: str, **fields: object) -> dict:
    return {"resources": {"requests": {"cpu": cpu}}, **fields}


def asked(containers: list[dict], inits: list[dict]) -> str:
    return str(pod_requests({"containers": containers, "initContainers": inits})["cpu"])


def test_containers_add_up() -> None:
    assert asked([container("600m"), container("600m")], []) == "1200m"


def test_an_init_container_counts_where_it_needs_more_than_all_of_them() -> None:
    assert asked([container("1")], [container("2"), container("500m")]) == "2"
    assert asked([container("1")], [container("900m")]) == "1"


def test_sidecars_run_beside_the_containers_and_later_init_containers() -> None:
    sidecar = container("1", restartPolicy="Always")

    assert asked([container("1")], [sidecar]) == "2"
    assert asked([container("1")], [sidecar, container("3")]) == "4"
    assert asked([container("1")], [container("3"), sidecar]) == "3"


def test_only_resources_that_are_named_have_a_sum() -> None:
    spec = {"containers": [{"resources": {"limits": {"memory": "1Gi"}}}, {}]}

    assert pod_requests(spec) == {}
    assert {name: str(amount) for name, amount in pod_limits(spec).items()} == {"memory": "1Gi"}

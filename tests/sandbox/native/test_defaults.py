"""Defaults of native kinds that recordings do not show (sandbox-apiserver.md N1)."""

import base64

import pytest

from kubectl_kruise.sandbox.native import model


def made(api_version, kind, **fields):
    of_kind = model(api_version, kind)
    obj = of_kind.decode({"metadata": {"name": "a"}, **fields}).object
    obj.pop("status", None)  # as the registry does on create
    return of_kind.default(obj)


def pod(*containers, **spec):
    return made("v1", "Pod", spec={"containers": list(containers), **spec})


def limits(**amounts):
    return {"name": "c", "image": "i:1", "resources": {"limits": amounts}}


@pytest.mark.parametrize(
    ("container", "quality"),
    [
        ({"name": "c", "image": "i:1"}, "BestEffort"),
        (limits(cpu="1"), "Burstable"),
        (limits(cpu="1", memory="1Gi"), "Guaranteed"),
        ({"name": "c", "image": "i:1", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}}, "Burstable"),
        (limits(**{"ephemeral-storage": "1Gi"}), "BestEffort"),
    ],
)  # fmt: skip
def test_quality_of_service(container, quality):
    assert pod(container)["status"]["qosClass"] == quality


def test_a_gated_pod_says_so_from_the_start():
    (condition,) = pod({"name": "c", "image": "i"}, schedulingGates=[{"name": "a/b"}])["status"]["conditions"]

    assert (condition["type"], condition["status"], condition["reason"]) == (
        "PodScheduled",
        "False",
        "SchedulingGated",
    )


def test_a_negative_grace_period_counts_as_one_second():
    assert (
        pod({"name": "c", "image": "i"}, terminationGracePeriodSeconds=-5)["spec"][
            "terminationGracePeriodSeconds"
        ]
        == 1
    )


def test_tolerations_that_cover_the_default_ones_are_enough():
    assert pod({"name": "c", "image": "i"}, tolerations=[{"operator": "Exists"}])["spec"]["tolerations"] == [
        {"operator": "Exists"}
    ]


def test_text_of_a_secret_becomes_data():
    secret = made("v1", "Secret", stringData={"a": "x"}, data={"a": "eQ==", "b": "eg=="})

    assert secret["data"] == {"a": base64.b64encode(b"x").decode(), "b": "eg=="}
    assert "stringData" not in secret


def test_a_namespace_that_goes_is_not_opened_again():
    namespace = model("v1", "Namespace")
    going = made("v1", "Namespace") | {"spec": {}, "status": {"phase": "Terminating"}}

    assert made("v1", "Namespace")["spec"] == {"finalizers": ["kubernetes"]}
    assert namespace.default(namespace.decode(going).object)["spec"] == {}


def test_names_of_a_crd_are_completed():
    names = {"plural": "things", "kind": "Thing"}

    found = made("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"names": names})["spec"]

    assert found["names"] == {
        "plural": "things",
        "kind": "Thing",
        "singular": "thing",
        "listKind": "ThingList",
    }
    assert found["conversion"] == {"strategy": "None"}


def test_ports_on_the_host_network_are_ports_of_the_host():
    found = pod({"name": "c", "image": "i", "ports": [{"containerPort": 80}]}, hostNetwork=True)

    assert found["spec"]["containers"][0]["ports"] == [
        {"containerPort": 80, "hostPort": 80, "protocol": "TCP"}
    ]

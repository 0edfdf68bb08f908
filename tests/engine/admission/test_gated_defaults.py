"""What feature gates change of a CloneSet's defaults (cloneset.md §3, §4)."""

from typing import Any

import pytest

from kubectl_kruise.engine.admission.cloneset_defaults import default_cloneset
from kubectl_kruise.engine.gates import Gates

Raw = dict[str, Any]


def cloneset(**pod: Any) -> Raw:
    container = {
        "name": "app",
        "image": "a:1",
        "ports": [{"containerPort": 80}, {"containerPort": 81, "hostPort": 9}],
    }
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container], **pod}}
    return {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": template,
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}],
        },
    }


def test_templates_stay_bare_and_the_rest_is_filled_in() -> None:
    full = default_cloneset(cloneset(), gates=Gates(bare_templates=True))["spec"]

    assert full["replicas"] == 1
    assert full["updateStrategy"]["type"] == "ReCreate"
    assert "restartPolicy" not in full["template"]["spec"]
    assert "imagePullPolicy" not in full["template"]["spec"]["containers"][0]
    assert "phase" not in (full["volumeClaimTemplates"][0].get("status") or {})


@pytest.mark.parametrize(
    ("gates", "pod", "ports"),
    [
        (Gates(), {"hostNetwork": True}, [None, 9]),
        (Gates(host_ports=True), {"hostNetwork": True}, [80, 9]),
        (Gates(host_ports=True), {}, [None, 9]),
        (Gates(host_ports=True, bare_templates=True), {"hostNetwork": True}, [None, 9]),
    ],
    ids=["by default none", "on the host's network", "on a network of its own", "bare templates have none"],
)
def test_ports_of_the_host(gates: Gates, pod: Raw, ports: list[int | None]) -> None:
    full = default_cloneset(cloneset(**pod), gates=gates)["spec"]["template"]["spec"]

    assert [port.get("hostPort") for port in full["containers"][0]["ports"]] == ports

"""Gate KruisePodReady of pods that have it (cloneset.md §21.2)."""

from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.podreadiness import PodReadiness
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.embedded import Sandbox


def settled(*gates: str) -> tuple[Sandbox, Raw]:
    sandbox = Sandbox()
    client = sandbox.client()
    spec = {
        "containers": [{"name": "main", "image": "a:1"}],
        "readinessGates": [{"conditionType": gate} for gate in gates],
    }
    client.create(
        POD.path("default"), {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
    )
    sandbox.add(PodReadiness(client, sandbox.clock, Informer(client, POD.path())))
    sandbox.settle()
    return sandbox, client.get(POD.path("default", "p"))


def test_opens_the_gate() -> None:
    _, pod = settled("KruisePodReady")

    assert (condition(pod, "KruisePodReady") or {})["status"] == "True"


def test_leaves_other_pods_alone() -> None:
    _, pod = settled("other")

    assert condition(pod, "KruisePodReady") is None


def test_a_gate_that_was_shut_stays_shut() -> None:
    sandbox, pod = settled("KruisePodReady")
    shut = {"type": "KruisePodReady", "status": "False"}
    pod["status"]["conditions"] = [shut]
    sandbox.client().replace(POD.path("default", "p", subresource="status"), pod)
    sandbox.settle()

    assert (condition(sandbox.client().get(POD.path("default", "p")), "KruisePodReady") or {})[
        "status"
    ] == "False"

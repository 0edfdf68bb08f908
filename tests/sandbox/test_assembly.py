"""What a server begins with."""

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.facts.kinds import CLONESET, CRD
from kubectl_kruise.sandbox.embedded import Sandbox


def test_servers_share_nothing_of_their_definitions():
    path = CRD.path("", CLONESET.resource)
    first, second = Sandbox(), Sandbox()
    before = second.client().get(path)

    schema = {"x-kubernetes-preserve-unknown-fields": True, "type": "object"}
    versions = [{**version, "schema": {"openAPIV3Schema": schema}} for version in before["spec"]["versions"]]
    changed = first.client().patch(path, Patch(PatchType.MERGE, {"spec": {"versions": versions}}))

    assert changed["spec"] != before["spec"]
    assert second.client().get(path) == before
    assert Sandbox().client().get(path)["spec"] == before["spec"]


def test_every_definition_is_established_from_the_start():
    for crd in Sandbox().client().list(CRD.path(""))["items"]:
        states = {state["type"]: state["status"] for state in crd["status"]["conditions"]}
        assert states == {"NamesAccepted": "True", "Established": "True"}, crd["metadata"]["name"]

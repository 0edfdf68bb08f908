"""What the server gives to objects of itself belongs to no client (sandbox-apiserver.md F2)."""

from kubectl_kruise.cluster.port import Patch, PatchType

CORE = "/api/v1/namespaces/default"


def owned(raw):
    return {entry["manager"]: entry["fieldsV1"] for entry in raw["metadata"]["managedFields"]}


def test_a_new_claim_is_protected_and_an_old_one_is_left_alone(client):
    path = f"{CORE}/persistentvolumeclaims"
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    made = client.create(path, {"metadata": {"name": "a"}, "spec": spec})
    assert made["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    assert "f:metadata" not in owned(made)["tests"]

    freed = client.patch(f"{path}/a", Patch(PatchType.MERGE, {"metadata": {"finalizers": None}}))

    assert "finalizers" not in freed["metadata"]


def test_addresses_and_families_of_a_service_are_the_servers(client):
    made = client.create(f"{CORE}/services", {"metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}]}})

    assert made["spec"]["ipFamilies"] == ["IPv4"]
    assert not {"f:ipFamilies", "f:ipFamilyPolicy", "f:clusterIP"} & owned(made)["tests"]["f:spec"].keys()


def test_tolerations_and_account_of_a_pod_and_its_node_are_the_servers(client):
    spec = {"containers": [{"name": "c", "image": "i"}]}
    made = client.create(f"{CORE}/pods", {"metadata": {"name": "a"}, "spec": spec})
    assert not {"f:tolerations", "f:serviceAccountName", "f:priority"} & owned(made)["tests"]["f:spec"].keys()
    client.create("/api/v1/nodes", {"metadata": {"name": "n"}})

    client.create(
        f"{CORE}/pods/a/binding", {"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n"}}
    )

    bound = client.get(f"{CORE}/pods/a")
    assert bound["spec"]["nodeName"] == "n"
    assert owned(bound) == owned(made)

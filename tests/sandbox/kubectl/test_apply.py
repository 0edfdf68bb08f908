"""Real kubectl applies server-side, with its conflicts and its migration from client-side apply (sandbox-apiserver.md §17)."""

import json

import pytest

from kubectl_kruise.sandbox.state import Settings
from tests.sandbox.process import KUBECTL, Cluster

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl here")

APPLY = ("apply", "--server-side", "-f", "-")


def config_map(name, **data):
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})


def clones(name, **spec):
    labels = {"app": name}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
    }
    full = {"selector": {"matchLabels": labels}, "template": template, **spec}
    return json.dumps(
        {
            "apiVersion": "apps.kruise.io/v1alpha1",
            "kind": "CloneSet",
            "metadata": {"name": name},
            "spec": full,
        }
    )


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    running = Cluster(tmp_path_factory.mktemp("sandbox"), Settings(kruise="crds"))
    yield running
    running.close()


def owners(cluster, what):
    """Give who owns an object, as kubectl shows it on demand, by name."""
    path = "{range .metadata.managedFields[*]}{.manager} {.operation} {.subresource}{'\\n'}{end}".replace(
        "'", '"'
    )
    done = cluster.kubectl("get", what, "--show-managed-fields", "-o", f"jsonpath={path}")
    return sorted(line.strip() for line in done.out.splitlines())


def data(cluster, name):
    return json.loads(cluster.kubectl("get", "cm", name, "-o", "jsonpath={.data}").out or "{}")


def test_an_object_is_made_and_owned_and_let_go_field_by_field(cluster):
    made = cluster.kubectl(*APPLY, given=config_map("made", a="1", b="2"))
    assert made.out == "configmap/made serverside-applied\n"
    assert owners(cluster, "cm/made") == ["kubectl Apply"]
    assert "managedFields" not in cluster.kubectl("get", "cm", "made", "-o", "yaml").out

    cluster.kubectl(*APPLY, given=config_map("made", b="2"))

    assert data(cluster, "made") == {"b": "2"}


def test_another_manager_has_to_force_a_change(cluster):
    cluster.kubectl(*APPLY, given=config_map("taken", a="1"))

    refused = cluster.kubectl(*APPLY, "--field-manager=other", given=config_map("taken", a="2"))
    assert refused.code == 1
    assert 'error: Apply failed with 1 conflict: conflict with "kubectl": .data.a\n' in refused.err
    assert "--force-conflicts" in refused.err

    forced = cluster.kubectl(
        *APPLY, "--field-manager=other", "--force-conflicts", given=config_map("taken", a="2")
    )
    assert forced.code == 0
    assert owners(cluster, "cm/taken") == ["other Apply"]


def test_what_was_applied_client_side_moves_to_server_side_apply(cluster):
    assert cluster.kubectl("apply", "-f", "-", given=config_map("moved", a="1", b="2")).code == 0
    assert owners(cluster, "cm/moved") == ["kubectl-client-side-apply Update"]

    moved = cluster.kubectl(*APPLY, given=config_map("moved", a="1", c="3"))

    assert (moved.code, moved.err) == (0, "")
    assert owners(cluster, "cm/moved") == ["kubectl Apply", "kubectl-last-applied Apply"]
    assert data(cluster, "moved") == {"a": "1", "c": "3"}
    assert cluster.kubectl("apply", "-f", "-", given=config_map("moved", a="1")).code == 0
    assert data(cluster, "moved") == {"a": "1"}


def test_a_scaled_workload_keeps_its_size_where_the_manifest_names_none(cluster):
    cluster.kubectl(*APPLY, given=clones("grown", replicas=2))
    assert cluster.kubectl("scale", "clone/grown", "--replicas=5").code == 0

    refused = cluster.kubectl(*APPLY, given=clones("grown", replicas=2))
    assert (
        'conflict with "kubectl" with subresource "scale" using apps.kruise.io/v1alpha1: .spec.replicas'
        in refused.err
    )
    assert cluster.kubectl(*APPLY, given=clones("grown")).code == 0
    assert cluster.kubectl("get", "clone/grown", "-o", "jsonpath={.spec.replicas}").out == "5"
    assert owners(cluster, "clone/grown") == ["kubectl Apply", "kubectl Update scale"]


def test_other_commands_own_what_they_write(cluster):
    cluster.kubectl("create", "-f", "-", given=config_map("shared", a="one"))
    cluster.kubectl("patch", "cm", "shared", "-p", '{"data":{"b":"2"}}')
    cluster.kubectl("label", "cm", "shared", "c=3")
    cluster.run("env", "KUBE_EDITOR=sed -i s/one/two/", KUBECTL, "edit", "cm", "shared")

    assert owners(cluster, "cm/shared") == [
        "kubectl-create Update", "kubectl-edit Update", "kubectl-label Update", "kubectl-patch Update",
    ]  # fmt: skip


def test_a_dry_run_and_a_diff_change_nothing(cluster):
    cluster.kubectl(*APPLY, given=config_map("dry", a="1"))

    tried = cluster.kubectl(*APPLY, "--dry-run=server", given=config_map("dry", a="2"))
    differing = cluster.kubectl("diff", "--server-side", "-f", "-", given=config_map("dry", a="2"))

    assert tried.out == "configmap/dry serverside-applied (server dry run)\n"
    assert differing.code == 1
    assert '-  a: "1"\n+  a: "2"\n' in differing.out
    assert data(cluster, "dry") == {"a": "1"}

import signal
import subprocess
import sys

import pytest

from kubectl_kruise.controllers.lease import OWN_LEASE, OWN_NAMESPACE
from kubectl_kruise.facts.kinds import CLONESET, CRD, LEASE, NAMESPACE, POD
from kubectl_kruise.facts.names import MANAGER_LEASE, MANAGER_NAMESPACE
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.sandbox import processes
from kubectl_kruise.sandbox.state import Settings
from tests.sandbox.process import Cluster
from tests.verbs.conftest import Shell

RUN = "controller run --kinds clonesets"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "controller run --kinds deploy",
            'error: no controller for "deploy"\n  hint: --kinds clonesets,statefulsets\n',
        ),
        (
            "controller run --kinds cs,pods",
            'error: no controller for "pods"\n  hint: --kinds clonesets,statefulsets\n',
        ),
        (
            "controller run --kinds cs/web",
            'error: no controller for "cs/web"\n  hint: --kinds clonesets,statefulsets\n',
        ),
    ],
)
def test_kinds_that_nobody_here_controls(shell: Shell, words: str, said: str) -> None:
    shell.check(words, 2, "", said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            f"{RUN} --feature-gates CloneSetShortHsh=true",
            'error: unknown feature gate "CloneSetShortHsh"\n  hint: did you mean CloneSetShortHash?\n',
        ),
        (
            f"{RUN} --feature-gates CloneSetShortHash=true,Nonsense=false",
            'error: unknown feature gate "Nonsense"\n  hint: names are those of the Kruise manager\n',
        ),
        (
            f"{RUN} --feature-gates CloneSetShortHash",
            (
                "error: --feature-gates: feature gate 'CloneSetShortHash' has no value:"
                " CloneSetShortHash=true or CloneSetShortHash=false\n"
            ),
        ),
        (
            f"{RUN} --expectation-timeout soon",
            'error: --expectation-timeout: "soon" is not a duration such as 30s, 5m or 1m30s\n',
        ),
        (
            "sandbox start --feature-gates CloneSetShortHsh=true",
            'error: unknown feature gate "CloneSetShortHsh"\n  hint: did you mean CloneSetShortHash?\n',
        ),
    ],
)
def test_gates_and_flags_that_cannot_be_meant(shell: Shell, words: str, said: str) -> None:
    shell.check(words, 2, "", said)
    assert shell.writes == []


def test_a_missing_crd(shell: Shell) -> None:
    shell.admin.delete(CRD.path(name=CLONESET.resource))

    shell.check(
        RUN,
        4,
        "",
        "error: the server has no resource type clonesets.apps.kruise.io\n"
        "  hint: kubectl kruise install crds\n",
    )
    assert shell.writes == []


def test_beside_a_live_manager_nothing_is_written(shell: Shell) -> None:
    spec = {"holderIdentity": "mgr", "leaseDurationSeconds": 15, "renewTime": rfc3339(shell.clock.time())}
    shell.admin.create(NAMESPACE.path(), {"metadata": {"name": MANAGER_NAMESPACE}})
    shell.admin.create(LEASE.path(MANAGER_NAMESPACE), {"metadata": {"name": MANAGER_LEASE}, "spec": spec})

    shell.check(
        RUN,
        3,
        "",
        "error: a Kruise manager controls this cluster\n"
        "  cause: mgr renewed lease kruise-manager in namespace kruise-system\n"
        "  hint: stop it first: kubectl scale deployment kruise-controller-manager -n kruise-system --replicas=0\n",
    )
    assert shell.writes == []


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path, Settings(kruise="crds", nodes=1))
    yield made
    made.close()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_process_that_controls_until_a_signal_and_gives_its_lease_up(cluster, number, code):
    container = {"name": "app", "image": "shop/web:1"}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    with processes.client_of(cluster.state.kubeconfig) as client:
        since = client.list(POD.path())["metadata"]["resourceVersion"]
        client.create(CLONESET.path("default"), {
            "apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "metadata": {"name": "web"}, "spec": spec,
        })  # fmt: skip
        command = [sys.executable, "-m", "kubectl_kruise", *RUN.split()]
        with subprocess.Popen(command, env=cluster.environ, stderr=subprocess.PIPE, text=True) as process:
            made = set()
            for change in client.watch(POD.path("default"), since, timeout=30):
                if change.type == "ADDED":
                    made.add(change.object["metadata"]["name"])
                if len(made) == 2:
                    break
            held = client.get(LEASE.path(OWN_NAMESPACE, OWN_LEASE))["spec"]["holderIdentity"]
            process.send_signal(number)
            said = process.communicate(timeout=30)[1]
        left = client.get(LEASE.path(OWN_NAMESPACE, OWN_LEASE))["spec"]

    assert process.returncode == code
    assert f"holding lease {OWN_LEASE} as {held}" in said
    assert said.endswith("lease given up\n")
    assert left["holderIdentity"] == ""

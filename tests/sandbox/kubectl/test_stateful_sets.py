"""Real kubectl on a native StatefulSet: what it does, and what survives when the set alone is deleted."""

import json

import pytest

from tests.sandbox.process import KUBECTL, Cluster

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl here")

DB = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, labels: {app: db}}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: main, image: "nginx:1"}]
"""
SET = "statefulset.apps/db"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    running = Cluster(tmp_path_factory.mktemp("sandbox"))
    assert running.kubectl("apply", "-f", "-", given=DB).out == f"{SET} created\n"
    yield running
    running.close()


def test_a_session(cluster):
    def run(*words, code=0):
        done = cluster.kubectl(*words)
        assert done.code == code, done
        return (done.out or done.err).splitlines()

    def settled():
        return run("rollout", "status", SET, "--timeout=20s")[-1]

    def uids(kind):
        return run(
            "get", kind, "-o", r'jsonpath={range .items[*]}{.metadata.name}={.metadata.uid}{"\n"}{end}'
        )

    assert settled().startswith("partitioned roll out complete: 2 new pods have been updated")
    assert run("get", SET, "--no-headers")[0].split()[:2] == ["db", "2/2"]
    assert run("scale", SET, "--replicas=3") == [f"{SET} scaled"]
    assert run("set", "image", SET, "main=nginx:2") == [f"{SET} image updated"]
    settled()
    assert [line.split()[0] for line in run("rollout", "history", SET)[2:] if line] == ["1", "2"]
    assert run("rollout", "undo", SET) == [f"{SET} rolled back"]
    settled()
    assert [line.split()[0] for line in run("rollout", "history", SET)[2:] if line] == ["2", "3"]
    assert run("rollout", "pause", SET, code=1) == ['error: statefulsets.apps "db" pausing is not supported']
    assert run("rollout", "restart", SET) == [f"{SET} restarted"]
    settled()

    pods, history = uids("pods"), uids("controllerrevisions")
    assert [line.partition("=")[0] for line in pods] == ["db-0", "db-1", "db-2"]
    live = json.loads("".join(run("get", SET, "-o", "json")))
    run("delete", SET, "--cascade=orphan")
    assert (uids("pods"), uids("controllerrevisions")) == (pods, history)
    again = {**live, "metadata": {"name": "db", "labels": {"app": "db"}}}
    assert cluster.kubectl("create", "-f", "-", given=json.dumps(again)).code == 0
    settled()
    assert (uids("pods"), uids("controllerrevisions")) == (pods, history)
    owned = [line.split()[1:3] for line in run("get", "controllerrevisions", "--no-headers")]
    assert sorted(owned) == [[SET, "2"], [SET, "3"], [SET, "4"]]

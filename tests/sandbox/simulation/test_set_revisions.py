"""Revisions of native StatefulSets have the names that a real cluster of 1.36 gave those of the same templates (SS2)."""

from typing import Any

import pytest

from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET
from kubectl_kruise.objects.raw import Raw
from tests.sandbox.simulation.sets import revisions, stateful_set
from tests.sandbox.simulation.world import World

VOLUMES = [
    {"name": "a", "configMap": {"name": "c", "items": [{"key": "k", "path": "p"}]}},
    {"name": "b", "emptyDir": {"sizeLimit": "1024Mi", "medium": "Memory"}},
    {"name": "p", "projected": {"sources": [
        {"serviceAccountToken": {"path": "t"}},
        {"downwardAPI": {"items": [{"path": "l", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
    ]}},
    {"name": "h", "hostPath": {"path": "/x"}},
    {"name": "e", "ephemeral": {"volumeClaimTemplate": {
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }}},
    {"name": "csi", "csi": {"driver": "d"}},
]  # fmt: skip
MOUNTS = [
    {"name": "a", "mountPath": "/a"},
    {"name": "b", "mountPath": "/b", "subPath": "x", "readOnly": True},
]
RULE = {"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}


def template(container: Raw, **spec: Any) -> Raw:
    main = {"name": "main", "image": "nginx:1", **container}
    annotations = {"e": "ü<&>\u2028", "n": "1"}
    return {
        "metadata": {"labels": {"app": "web"}, "annotations": annotations},
        "spec": {"containers": [main], **spec},
    }


@pytest.mark.parametrize(
    ("given", "name"),
    [
        pytest.param(template({}), "web-6954f849c8", id="letters that Go writes in its own way"),
        pytest.param(template({"image": "repo:5000/x"}), "web-6474554cc5", id="a defaulted pull policy"),
        pytest.param(template({"volumeMounts": MOUNTS}, volumes=VOLUMES), "web-597cc6f87d", id="volumes"),
        pytest.param(
            template(
                {"restartPolicy": "Never", "restartPolicyRules": [RULE]}, resources={"limits": {"cpu": "1"}}
            ),
            "web-7565ff6d86",
            id="rules of restarts",
        ),
        pytest.param(
            template({}, hostnameOverride="abc", schedulingGates=[{"name": "a/b"}]),
            "web-56c549964",
            id="a name of its own",
        ),
    ],
)
def test_the_template_gives_the_name(given: Raw, name: str) -> None:
    world = World()
    world.create(NATIVE_STATEFULSET, stateful_set(0, template=given))
    world.run(1)

    assert revisions(world) == {1: name}

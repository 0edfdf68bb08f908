"""Workloads with a past, for the tests of undo and history."""

from typing import Any

from kubectl_kruise.engine.admission.cloneset_defaults import default_cloneset
from kubectl_kruise.engine.revisions.choice import build_revision
from kubectl_kruise.facts.kinds import CLONESET, CONTROLLER_REVISION, REPLICASET
from kubectl_kruise.objects.raw import Raw, name_of
from tests.verbs.conftest import Shell


def template(image: str = "shop/web:1", **pod: Any) -> Raw:
    labels = {"app": "web"}
    return {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": image}], **pod}}


def cloneset_with(shell: Shell, *templates: Raw, causes: tuple[str, ...] = (), **spec: Any) -> list[str]:
    """Make a CloneSet whose template is the last one, and a revision of each; give the revisions' names."""
    live = shell.cloneset(template=templates[-1], **spec)
    names = []
    for number, each in enumerate(templates, 1):
        past = default_cloneset({**live, "spec": {**live["spec"], "template": each}})
        revision = build_revision(past, number)
        if number <= len(causes):
            revision["metadata"]["annotations"]["kubernetes.io/change-cause"] = causes[number - 1]
        names.append(name_of(shell.admin.create(CONTROLLER_REVISION.path("shop"), revision)))
    status = {
        "observedGeneration": live["metadata"]["generation"], "updateRevision": names[-1], "currentRevision": names[0],
        "replicas": 0, "readyReplicas": 0, "availableReplicas": 0, "updatedReplicas": 0, "updatedReadyReplicas": 0,
    }  # fmt: skip
    shell.admin.replace(CLONESET.path("shop", "web", subresource="status"), {**live, "status": status})
    return names


def cloneset_pod(shell: Shell, name: str, revision: str) -> None:
    shell.pod(name, shell.get("web"), labels={"app": "web", "controller-revision-hash": revision})


def deployment_with(shell: Shell, *images: str, **spec: Any) -> list[str]:
    """Make a Deployment that runs the last image, and a ReplicaSet per image; give their names."""
    live = shell.deployment(template=template(images[-1]), **spec)
    names = []
    for number, image in enumerate(images, 1):
        labels = {"app": "web", "pod-template-hash": f"hash{number}"}
        past = template(image)
        past["metadata"]["labels"] = labels
        owner = {
            "apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": live["metadata"]["uid"],
            "controller": True,
        }  # fmt: skip
        body = {
            "metadata": {
                "name": f"web-hash{number}",
                "labels": labels,
                "annotations": {
                    "deployment.kubernetes.io/revision": str(number),
                    "kubernetes.io/change-cause": f"cause {number}",
                },
                "ownerReferences": [owner],
            },
            "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": past},
        }
        names.append(name_of(shell.admin.create(REPLICASET.path("shop"), body)))
    return names


def images_of(raw: Raw) -> list[str]:
    return [each["image"] for each in raw["spec"]["template"]["spec"]["containers"]]

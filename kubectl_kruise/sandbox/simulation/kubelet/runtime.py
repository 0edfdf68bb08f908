"""What the node daemon's record says about containers that have to be started again for their environment."""

import json

from kubectl_kruise.engine.inplace.hashes import environment_hash
from kubectl_kruise.facts.names import IN_PLACE_READY, RUNTIME_META
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.raw import Raw, annotations_of, dig


def recorded_containers(pod: Raw) -> list[Raw]:
    """Give the records of the annotation, [] for none or one that cannot be read."""
    try:
        record = json.loads(annotations_of(pod).get(RUNTIME_META, "{}"))
    except ValueError:
        return []
    found = dig(record, ("containers",), [])
    return [each for each in found if isinstance(each, dict) and each.get("containerID")]


def stale_environments(pod: Raw) -> frozenset[str]:
    """Name the containers that run with other labels and annotations in their environment than the pod has now.

    The node daemon ends them while the pod's gate InPlaceUpdateReady is shut (cloneset.md §18.4).
    """
    if (condition(pod, IN_PLACE_READY) or {}).get("status") != "False":
        return frozenset()
    specs = {spec["name"]: spec for spec in dig(pod, ("spec", "containers"), [])}
    running = {status.get("containerID") for status in dig(pod, ("status", "containerStatuses"), [])}
    return frozenset(
        record["name"]
        for record in recorded_containers(pod)
        if record["containerID"] in running
        and record.get("name") in specs
        and dig(record, ("hashes", "extractedEnvFromMetadataHash"), 0)
        != environment_hash(specs[record["name"]], pod)
    )

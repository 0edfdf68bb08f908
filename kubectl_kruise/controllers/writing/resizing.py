"""Gives running pods new resources before they are written themselves (cloneset.md §19.2)."""

import re
from typing import Final

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.writing.pod_writes import PodWriter
from kubectl_kruise.engine.inplace.resources import Resources, resize_patch, with_resources
from kubectl_kruise.objects.raw import Raw

RESIZE_SINCE: Final = (1, 32)
"""The first Kubernetes that takes new resources through a subresource of the pod only."""


class Resizer:
    """Resizes through subresource `resize`; on older clusters the resources go with the write of the pod."""

    def __init__(self, cluster: Cluster, writer: PodWriter) -> None:
        self._cluster, self._writer = cluster, writer
        self._separate: bool | None = None

    def resize(self, pod: Raw, resources: Resources) -> Raw:
        """Give the pod as it has to be written on; no request where it has the resources already.

        Raises the KruiseError of a server that refuses the resize: nothing of the pod has changed then.
        """
        if not resources:
            return pod
        if not self._takes_subresource():
            return with_resources(pod, resources)
        patch = resize_patch(pod, resources)
        return pod if patch is None else self._writer.patch(pod, patch, "resize")

    def _takes_subresource(self) -> bool:
        if self._separate is None:
            self._separate = server_version(self._cluster.get("/version")) >= RESIZE_SINCE
        return self._separate


def server_version(answer: Raw) -> tuple[int, int]:
    """Read `/version` leniently (`1`, `32+`); (0, 0) for what is no number, which counts as old."""
    found = [re.match(r"[0-9]+", str(answer.get(part) or "")) for part in ("major", "minor")]
    major, minor = (int(number[0]) if number else None for number in found)
    return (0, 0) if major is None or minor is None else (major, minor)

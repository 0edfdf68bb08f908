"""What the simulated cluster looks like and how fast it is."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One world. Delays are in seconds; `annotations` prefixes the annotations that steer single pods and nodes."""

    nodes: tuple[str, ...]
    region: str
    zone_prefix: str
    provider: str
    """Scheme of the nodes' providerID: nodes that carry it are the simulation's to run."""
    annotations: str
    capacity: tuple[tuple[str, str], ...]
    start_delay: float
    """From binding to running."""
    restart_delay: float
    """From a changed image to the container's next run."""
    stop_delay: float
    """From the deletion timestamp to the end, at most the grace period."""
    resize_delay: float = 0.0
    """From new resources of a running container to their effect."""
    resize_conditions: bool = True
    """Say in the pod's conditions that new resources are on their way or held back."""
    resize_restarts: bool = True
    """End a container whose resizePolicy asks for a restart; otherwise its new resources take effect as it runs."""
    barriers: bool = True
    """Containers with launch priorities start only when their barrier is open."""
    run_seconds: float = 1.0
    """How long a container of a pod that is meant to end runs."""
    announce_after: float = 0.0
    """Write the state ContainerCreating only for containers that start later than this."""
    jobs_end: bool = True
    """Containers of pods that are meant to end do so with any image; otherwise only with `complete` or `exit1`."""
    events: bool = True
    node_daemon: bool = True
    volumes: bool = True
    """Every claim is bound at once; otherwise nobody provides volumes and claims stay pending."""
    image_id: str
    """Format of imageID, from the image's name and its `digest`."""
    container_id: str


DEFAULT: Final = Profile(
    nodes=("sandbox-node-0", "sandbox-node-1", "sandbox-node-2"),
    region="sandbox",
    zone_prefix="",
    provider="sandbox",
    annotations="sandbox.kruise",
    capacity=(("cpu", "16"), ("memory", "64Gi"), ("pods", "110"), ("ephemeral-storage", "100Gi")),
    start_delay=0.05,
    restart_delay=0.05,
    stop_delay=0.05,
    announce_after=0.5,
    image_id="sha256:{digest}",
    container_id="sandbox://{digest}",
)
"""Fast, for people, demos and tests (sandbox-apiserver.md KB1 to KB8)."""

RECORDED: Final = Profile(
    nodes=("fake-0", "fake-1", "fake-2"),
    region="fake",
    zone_prefix="fake-",
    provider="fake",
    annotations="fake.kubelet",
    capacity=(("cpu", "64"), ("memory", "256Gi"), ("pods", "2000"), ("ephemeral-storage", "500Gi")),
    start_delay=0.5,
    restart_delay=1.0,
    stop_delay=1.0,
    resize_conditions=False,
    barriers=False,
    jobs_end=False,
    events=False,
    node_daemon=False,
    volumes=False,
    image_id="docker-pullable://{image}@sha256:{digest}",
    container_id="containerd://{digest}",
)
"""The cluster that recordings of the real manager were made on, for their replay."""

"""Find the pods that a user named, for the verbs that delete chosen ones."""

from collections.abc import Sequence

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.session import Session
from kubectl_kruise.errors import NotAllowedError, NotFoundError
from kubectl_kruise.facts.kinds import HPA, POD
from kubectl_kruise.objects.autoscaler import scales
from kubectl_kruise.objects.raw import Raw, name_of
from kubectl_kruise.objects.workload import Workload


def fetch_pods(session: Session, target: Target, live: Raw, names: Sequence[str]) -> dict[str, Raw]:
    """Give the pods of a workload by name, and those of `names` that its selector does not match."""
    listed = session.cluster.list(POD.path(target.namespace), labels=Workload(live, target.kind).selector)
    pods = {name_of(pod): pod for pod in listed["items"]}
    for name in names:
        if name not in pods:
            try:
                pods[name] = session.cluster.get(POD.path(target.namespace, name))
            except NotFoundError:
                continue
    return pods


def hpa_warnings(session: Session, target: Target) -> tuple[str, ...]:
    """Warn where a HorizontalPodAutoscaler owns the number of pods; say nothing where it cannot be read."""
    try:
        listed = session.cluster.list(HPA.path(target.namespace))
    except (NotAllowedError, NotFoundError):
        return ()
    return tuple(
        f"HorizontalPodAutoscaler {name_of(hpa)} owns the number of pods of {target.display} and may change it back"
        for hpa in listed["items"]
        if scales(hpa, target.kind, target.name)
    )

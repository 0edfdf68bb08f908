"""HorizontalPodAutoscalers: whose number of pods one owns."""

from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import Raw, dig


def scales(autoscaler: Raw, kind: Kind, name: str) -> bool:
    """Say whether the autoscaler of the same namespace aims at this workload, whatever version it names."""
    target = dig(autoscaler, ("spec", "scaleTargetRef"), {})
    group = str(target.get("apiVersion") or "").rpartition("/")[0]
    return (target.get("kind"), target.get("name"), group) == (kind.kind, name, kind.group)

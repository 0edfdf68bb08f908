"""Kinds of other projects that point at workloads, which a migration has to look for (migration.md §8)."""

from typing import Final

from kubectl_kruise.facts.kinds import Kind

SCALED_OBJECT: Final = Kind(
    "ScaledObject", "keda.sh", ("v1alpha1",), "scaledobjects", "scaledobject", ("so",)
)
VPA: Final = Kind(
    "VerticalPodAutoscaler", "autoscaling.k8s.io", ("v1",), "verticalpodautoscalers", "verticalpodautoscaler", ("vpa",)
)  # fmt: skip
SERVICE_MONITOR: Final = Kind(
    "ServiceMonitor", "monitoring.coreos.com", ("v1",), "servicemonitors", "servicemonitor"
)
POD_MONITOR: Final = Kind("PodMonitor", "monitoring.coreos.com", ("v1",), "podmonitors", "podmonitor")
PROMETHEUS_RULE: Final = Kind(
    "PrometheusRule", "monitoring.coreos.com", ("v1",), "prometheusrules", "prometheusrule"
)
ARGO_ROLLOUT: Final = Kind("Rollout", "argoproj.io", ("v1alpha1",), "rollouts", "rollout", ("ro",))
FLAGGER_CANARY: Final = Kind("Canary", "flagger.app", ("v1beta1",), "canaries", "canary")
KRUISE_ROLLOUT: Final = Kind("Rollout", "rollouts.kruise.io", ("v1beta1", "v1alpha1"), "rollouts", "rollout")
NETWORK_POLICY: Final = Kind(
    "NetworkPolicy", "networking.k8s.io", ("v1",), "networkpolicies", "networkpolicy", ("netpol",)
)
ROLE: Final = Kind("Role", "rbac.authorization.k8s.io", ("v1",), "roles", "role")
JOB: Final = Kind("Job", "batch", ("v1",), "jobs", "job")

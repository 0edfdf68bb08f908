"""Specs of random Deployments: odd ones, that any server takes and whose pods any kubelet starts."""

from typing import Any

from hypothesis import strategies as st

from kubectl_kruise.objects.raw import Raw, dig

COUNTS = st.integers(0, 3)
SHARES = st.sampled_from(["0%", "25%", "50%", "100%"])
WORDS = st.sampled_from(["a", "b-1", "log"])
VALUES = st.sampled_from(["", "a", "b_1.2", "x" * 63])
PROBES = st.fixed_dictionaries(
    {},
    optional={
        "periodSeconds": st.sampled_from([1, 3, 600]),
        "failureThreshold": st.sampled_from([1, 30]),
        "initialDelaySeconds": st.just(1),
        "timeoutSeconds": st.just(1),
    },
).flatmap(
    lambda timing: st.sampled_from(
        [
            {"httpGet": {"path": "/", "port": 80}, **timing},
            {
                "httpGet": {"port": "http", "scheme": "HTTPS", "httpHeaders": [{"name": "A", "value": ""}]},
                **timing,
            },
            {"tcpSocket": {"port": 65535}, **timing},
            {"exec": {"command": ["true"]}, **timing},
            {"grpc": {"port": 1, "service": ""}, **timing},
        ]
    )
)
ENTRIES: list[Raw] = [
    {"name": "A", "value": ""},
    {"name": "B", "value": "$(A)"},
    {"name": "a.b-c", "value": "1"},
    {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
    {"name": "TIER", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['tier']"}}},
    {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
    {"name": "KEY", "valueFrom": {"configMapKeyRef": {"name": "no-such", "key": "k", "optional": True}}},
]
ENVIRON = st.lists(st.sampled_from(ENTRIES), max_size=3, unique_by=lambda entry: str(entry["name"]))
RESOURCES = st.sampled_from(
    [
        {"limits": {"cpu": "100m"}},
        {"limits": {"cpu": "0.05"}, "requests": {"cpu": "1e-2"}},
        {"requests": {"memory": "1Mi", "ephemeral-storage": "1k"}},
        {"limits": {"cpu": "0.1", "memory": "128Mi"}, "requests": {"cpu": "100m", "memory": "134217728"}},
    ]
)
CONTAINERS = st.fixed_dictionaries(
    {"image": st.sampled_from(["web:1", "web", "web:latest", "example.com/web@sha256:" + "a" * 64])},
    optional={
        "imagePullPolicy": st.sampled_from(["Always", "IfNotPresent", "Never"]),
        "command": st.just(["sh", "-c", "exec sleep 1d"]),
        "args": st.just(["--x=$(A)", "ü"]),
        "env": ENVIRON,
        "envFrom": st.just([{"prefix": "P_", "configMapRef": {"name": "no-such", "optional": True}}]),
        "resources": RESOURCES,
        "resizePolicy": st.just([{"resourceName": "cpu", "restartPolicy": "NotRequired"}]),
        "readinessProbe": PROBES,
        "livenessProbe": PROBES,
        "startupProbe": PROBES,
        "lifecycle": st.sampled_from(
            [
                {"preStop": {"exec": {"command": ["sleep", "1"]}}},
                {"postStart": {"httpGet": {"port": 80}}},
            ]
        ),
        "securityContext": st.just({"runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}}),
        "terminationMessagePolicy": st.just("FallbackToLogsOnError"),
        "stdin": st.just(True),
        "workingDir": st.just("/"),
        "volumeMounts": st.just([{"name": "scratch", "mountPath": "/scratch", "subPath": "a"}]),
    },
)
PODS = st.fixed_dictionaries(
    {"terminationGracePeriodSeconds": st.sampled_from([0, 5, 30])},
    optional={
        "initContainers": st.sampled_from(
            [
                [{"name": "first", "image": "init:1"}],
                [{"name": "beside", "image": "side:1", "restartPolicy": "Always"}],
            ]
        ),
        "tolerations": st.just(
            [
                {"key": "example.com/t", "operator": "Exists", "effect": "NoSchedule"},
                {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0},
            ]
        ),
        "topologySpreadConstraints": st.sampled_from(
            [
                [
                    {
                        "maxSkew": 1,
                        "topologyKey": "zone",
                        "whenUnsatisfiable": "ScheduleAnyway",
                        "labelSelector": {"matchLabels": {"app": "web"}},
                        **more,
                    }
                ]
                for more in ({}, {"nodeTaintsPolicy": "Honor"})
            ]
        ),
        "affinity": st.just(
            {
                "podAntiAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {
                            "weight": 1,
                            "podAffinityTerm": {
                                "topologyKey": "kubernetes.io/hostname",
                                "labelSelector": {"matchLabels": {"app": "web"}},
                            },
                        }
                    ]
                }
            }
        ),
        "hostAliases": st.just([{"ip": "192.0.2.1", "hostnames": ["a.example.com"]}]),
        "dnsPolicy": st.sampled_from(["Default", "ClusterFirst"]),
        "dnsConfig": st.just({"options": [{"name": "ndots", "value": "1"}, {"name": "edns0"}]}),
        "enableServiceLinks": st.just(False),
        "automountServiceAccountToken": st.just(False),
        "shareProcessNamespace": st.just(True),
        "securityContext": st.just({"fsGroup": 2000, "fsGroupChangePolicy": "OnRootMismatch"}),
        "hostname": st.just("same"),
        "imagePullSecrets": st.just([{"name": "no-such"}]),
        "restartPolicy": st.just("Always"),
    },
)
LABELS = st.dictionaries(
    st.sampled_from(["tier", "team", "app.kubernetes.io/version", "example.com/Upper_Case.1"]),
    VALUES,
    max_size=3,
)
ANNOTATIONS = st.dictionaries(
    st.sampled_from(
        ["example.com/a", "kubectl.kubernetes.io/restartedAt", "kubectl.kubernetes.io/default-container"]
    ),
    st.sampled_from(["", "a", "{}", "line\nline ü"]),
    max_size=3,
)
SELECTORS = st.sampled_from(
    [
        {"matchLabels": {"app": "web"}},
        {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "other"]}]},
        {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "no", "operator": "DoesNotExist"}]},
        {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
    ]
)


def _rolling(found: Raw) -> bool:
    """Say whether pods could ever be updated: both limits at nothing are refused."""
    return bool(str(found["maxUnavailable"]).strip("0%") or found["maxSurge"] not in (0, "0%"))


def strategies() -> st.SearchStrategy[Raw]:
    limits = st.one_of(COUNTS, SHARES)
    rolling = st.fixed_dictionaries({"maxSurge": limits, "maxUnavailable": limits}).filter(_rolling)
    return st.fixed_dictionaries({"type": st.just("RollingUpdate"), "rollingUpdate": rolling})


@st.composite
def deployments(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the spec of a Deployment whose pods have the label `app: web`."""
    names = draw(st.lists(WORDS, min_size=1, max_size=2, unique=True))
    containers = [draw(CONTAINERS) | {"name": name} for name in names]
    containers[0]["ports"] = draw(
        st.sampled_from(
            [
                [{"containerPort": 80, "name": "http"}],
                [{"containerPort": 80, "name": "http", "protocol": "UDP"}],
            ]
        )
    )
    for container in containers[1:]:
        for probe in ("readinessProbe", "livenessProbe", "startupProbe"):
            if dig(container, (probe, "httpGet", "port")) == "http":  # only the first container has that port
                del container[probe]
    pod = {**draw(PODS), "containers": containers, "volumes": [{"name": "scratch", "emptyDir": {}}]}
    return {
        "replicas": draw(COUNTS),
        "selector": draw(SELECTORS),
        "strategy": draw(strategies()),
        "minReadySeconds": draw(st.sampled_from([0, 0, 2])),
        "revisionHistoryLimit": draw(st.integers(0, 12)),
        "progressDeadlineSeconds": draw(st.sampled_from([60, 600, 2147483647])),
        "template": {
            "metadata": {"labels": {**draw(LABELS), "app": "web"}, "annotations": draw(ANNOTATIONS)},
            "spec": pod,
        },
    }

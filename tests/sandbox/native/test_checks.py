"""Validation of native kinds beyond the recordings (sandbox-apiserver.md N4)."""

import copy

import pytest

from kubectl_kruise.objects.notation.field_errors import summary
from kubectl_kruise.sandbox.native import model

TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}}
SELECTOR = {"matchLabels": {"a": "b"}}


def made(api_version, kind, **fields):
    of_kind = model(api_version, kind)
    return of_kind.default(
        of_kind.decode({"metadata": {"name": "a", "namespace": "n"}, **copy.deepcopy(fields)}).object
    )


def complaints(api_version, kind, before=None, **fields):
    old = None if before is None else made(api_version, kind, **before)
    return [error.text for error in model(api_version, kind).validate(made(api_version, kind, **fields), old)]


def of_pod(**spec):
    return {"spec": {"containers": [{"name": "c", "image": "i:1"}], **spec}}


def of_container(**fields):
    return {"spec": {"containers": [{"name": "c", "image": "i:1", **fields}]}}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (of_container(image=" i:1"), 'spec.containers[0].image: Invalid value: " i:1": must not have leading or trailing whitespace'),
        (of_container(ports=[{"containerPort": 80, "hostPort": 99999}]), "spec.containers[0].ports[0].hostPort: Invalid value: 99999: must be between 1 and 65535, inclusive"),
        (of_container(env=[{"name": "A=B"}]), "must consist only of printable ASCII characters"),
        (of_container(env=[{"name": "A", "valueFrom": {}}]), "must specify one of: `fieldRef`"),
        (of_container(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "x"}, "secretKeyRef": {"key": "k"}}}]), "may not have more than one field specified at a time"),
        (of_container(volumeMounts=[{"name": "v"}]) | {}, 'spec.containers[0].volumeMounts[0].name: Not found: "v"'),
        (of_container(resources={"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}), 'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'),
        (of_container(readinessProbe={"exec": {}, "periodSeconds": -1}), "spec.containers[0].readinessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0"),
        (of_pod(activeDeadlineSeconds=0), "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"),
        (of_pod(tolerations=[{"key": "a", "value": "x", "operator": "Exists"}]), "value must be empty when `operator` is 'Exists'"),
        (of_pod(tolerations=[{"key": "a", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5}]), "effect must be 'NoExecute' when `tolerationSeconds` is set"),
        (of_pod(tolerations=[{"value": "x"}]), "operator must be Exists when `key` is empty"),
        (of_pod(hostname="x.y"), 'spec.hostname: Invalid value: "x.y": must not contain dots'),
        (of_pod(dnsPolicy="None"), "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"),
        (of_pod(volumes=[{"name": "v", "hostPath": {}}]), "spec.volumes[0].hostPath.path: Required value"),
        (of_container(ports=[{"containerPort": 1, "name": "Bad_"}]), "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"),
        (of_container(ports=[{"containerPort": 1, "name": "a" * 16}]), "must be no more than 15 characters"),
        (of_container(lifecycle={"preStop": {}}), "spec.containers[0].lifecycle.preStop: Required value: must specify a handler type"),
        (of_container(readinessProbe={"httpGet": {"port": 0}}), "spec.containers[0].readinessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive"),
        (of_container(livenessProbe={"exec": {"command": ["x"]}, "httpGet": {"port": 5}}), "spec.containers[0].livenessProbe.httpGet: Forbidden: may not specify more than 1 handler type"),
        (of_pod(readinessGates=[{"conditionType": "a b"}]), 'spec.readinessGates[0].conditionType: Invalid value: "a b"'),
        (of_pod(volumes=[{"name": "Bad"}]), 'spec.volumes[0].name: Invalid value: "Bad": a lowercase RFC 1123 label'),
        (of_pod(hostname="Bad_"), 'spec.hostname: Invalid value: "Bad_"'),
        (of_pod(hostNetwork=True, containers=[{"name": "c", "image": "i", "ports": [{"containerPort": 1, "hostPort": 2}]}]), "must match `containerPort` when `hostNetwork` is true"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_pods(fields, text):
    assert any(text in found for found in complaints("v1", "Pod", **fields))


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (of_container(), of_container(image="i:2"), ""),
        (of_pod(), of_pod(activeDeadlineSeconds=5), ""),
        (of_pod(activeDeadlineSeconds=5), of_pod(activeDeadlineSeconds=9), "must be less than or equal to previous value"),
        (of_pod(activeDeadlineSeconds=5), of_pod(), "must not update from a positive integer to nil value"),
        (of_pod(), of_pod(tolerations=[{"key": "x", "operator": "Exists"}]), ""),
        (of_pod(tolerations=[{"key": "x", "operator": "Exists"}]), of_pod(), "existing toleration can not be modified"),
        (of_pod(schedulingGates=[{"name": "a/b"}]), of_pod(), ""),
        (of_pod(), of_pod(schedulingGates=[{"name": "a/b"}]), "only deletion is allowed, but found new scheduling gate 'a/b'"),
        (of_container(), of_container(command=["x"]), "pod updates may not change fields other than"),
        (of_pod(), of_pod(nodeName="n"), "pod updates may not change fields other than"),
        (of_pod(terminationGracePeriodSeconds=-1), of_pod(terminationGracePeriodSeconds=1), ""),
        (of_pod(terminationGracePeriodSeconds=30), of_pod(terminationGracePeriodSeconds=1), "pod updates may not change fields other than"),
    ],
)  # fmt: skip
def test_what_of_a_pod_may_change(before, after, text):
    found = complaints("v1", "Pod", before, **after)

    assert any(text in complaint for complaint in found) if text else found == []


@pytest.mark.parametrize(
    ("kind", "spec", "text"),
    [
        ("Deployment", {"strategy": {"type": "Odd"}}, 'spec.strategy: Unsupported value: {"type":"Odd"}: supported values: "Recreate", "RollingUpdate"'),
        ("Deployment", {"strategy": {"rollingUpdate": {"maxUnavailable": "120%"}}}, 'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "120%": must not be greater than 100%'),
        ("Deployment", {"strategy": {"rollingUpdate": {"maxSurge": "x"}}}, "a valid percent string must be a numeric string followed by an ending '%'"),
        ("Deployment", {"selector": {"matchExpressions": [{"key": "a", "operator": "Odd"}]}}, "not a valid selector operator"),
        ("Deployment", {"selector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}}, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        ("Deployment", {"template": {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}}, 'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'),
        ("Deployment", {"template": {**TEMPLATE, "spec": {**TEMPLATE["spec"], "activeDeadlineSeconds": 5}}}, "activeDeadlineSeconds in ReplicaSet is not Supported"),
        ("DaemonSet", {"selector": {}}, "empty selector is invalid for daemonset"),
        ("StatefulSet", {"selector": {}}, "empty selector is invalid for statefulset"),
        ("StatefulSet", {"updateStrategy": {"rollingUpdate": {"partition": -1}}}, "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_workloads(kind, spec, text):
    found = complaints("apps/v1", kind, spec={"selector": SELECTOR, "template": TEMPLATE, **spec})

    assert any(text in complaint for complaint in found)


def test_containers_of_a_stateful_set_mount_its_claims():
    mounts = [{"name": name, "mountPath": f"/{name}"} for name in ("data", "other")]
    template = {**TEMPLATE, **of_container(volumeMounts=mounts)}
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    claims = [{"metadata": {"name": "data"}, "spec": claim}]
    spec = {"selector": SELECTOR, "template": template, "volumeClaimTemplates": claims}

    found = complaints("apps/v1", "StatefulSet", spec=spec)

    assert found == ['spec.template.spec.containers[0].volumeMounts[1].name: Not found: "other"']


def test_the_selector_of_a_deployment_is_fixed():
    other = {"metadata": {"labels": {"a": "c"}}, "spec": TEMPLATE["spec"]}
    before = {"spec": {"selector": SELECTOR, "template": TEMPLATE}}

    found = complaints(
        "apps/v1", "Deployment", before, spec={"selector": {"matchLabels": {"a": "c"}}, "template": other}
    )

    assert found == ['spec.selector: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable']


@pytest.mark.parametrize(
    ("api_version", "kind", "before", "after", "text"),
    [
        ("apps/v1", "ControllerRevision", {"data": {"a": 1}}, {"data": {"a": 2}}, "data: Invalid value"),
        ("v1", "Secret", {"immutable": True}, {"immutable": True, "data": {"a": "eA=="}}, "data: Forbidden: field is immutable when `immutable` is set"),
        ("v1", "ConfigMap", {"immutable": True}, {}, "immutable: Forbidden: field is immutable when `immutable` is set"),
        ("v1", "Service", {"spec": {"ports": [{"port": 1}], "clusterIP": "10.96.0.5"}}, {"spec": {"ports": [{"port": 1}], "clusterIP": "10.96.0.6"}}, "spec.clusterIPs[0]"),
    ],
)  # fmt: skip
def test_what_is_fixed_elsewhere(api_version, kind, before, after, text):
    assert any(text in found for found in complaints(api_version, kind, before, **after))


def test_a_config_map_holds_a_mebibyte():
    assert complaints("v1", "ConfigMap", data={"a": "x" * 1024 * 1024}) == []
    assert complaints("v1", "ConfigMap", data={"a": "x" * 1024 * 1024, "b": "x"}) == [
        "[]: Too long: may not be more than 1048576 bytes"
    ]


def test_annotations_hold_256_kibibytes():
    kind = model("v1", "ConfigMap")

    found = kind.validate({"metadata": {"name": "a", "annotations": {"key": "x" * 262144}}})

    assert summary(found) == "metadata.annotations: Too long: may not be more than 262144 bytes"


@pytest.mark.parametrize("subresource", ["status", "binding"])
def test_writes_of_a_subresource_check_metadata_alone(subresource):
    broken = {"metadata": {"name": "a", "labels": {"a b": ""}}, "spec": {"containers": []}}

    found = model("v1", "Pod").validate(broken, broken, subresource=subresource)

    assert {error.field for error in found} == {"metadata.labels"}


def test_warnings_about_a_template_come_when_it_changes():
    kind = model("apps/v1", "Deployment")
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    template = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "topologySpreadConstraints": [spread]}}
    old = made("apps/v1", "Deployment", spec={"selector": SELECTOR, "template": template})
    old["metadata"]["generation"] = 1
    new = {**old, "metadata": {**old["metadata"], "generation": 2}}
    text = "spec.template.spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod"

    assert kind.warnings(old) == kind.warnings(new, old) == [text]
    assert kind.warnings(old, old) == []

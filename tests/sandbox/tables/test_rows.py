"""Rows of the other kinds, as far as recordings do not show them (sandbox-apiserver.md TB4, TB5)."""

from datetime import UTC, datetime

import pytest

from kubectl_kruise.facts.crds.definitions import definition
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.sandbox.tables import custom_table, native_table

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
META = {"name": "x", "creationTimestamp": "2026-11-30T11:59:00Z"}


def row(api_version, kind, **fields):
    shape = native_table(api_version, kind)
    cells = shape.cells({"metadata": META, **fields}, NOW)
    return dict(zip([column["name"] for column in shape.columns], cells, strict=True))


@pytest.mark.parametrize(
    ("api_version", "kind", "fields", "wanted"),
    [
        ("apps/v1", "ReplicaSet", {"spec": {"replicas": 2}, "status": {"replicas": 1}}, {"Desired": 2, "Current": 1, "Ready": 0, "Selector": "<none>"}),
        ("apps/v1", "DaemonSet", {"status": {"desiredNumberScheduled": 3}}, {"Desired": 3, "Node Selector": "<none>"}),
        ("v1", "Service", {"spec": {"type": "LoadBalancer", "externalIPs": ["1.1.1.1"]}, "status": {"loadBalancer": {"ingress": [{"hostname": "h"}]}}}, {"External-IP": "h,1.1.1.1", "Port(s)": "<none>"}),
        ("v1", "Service", {"spec": {"type": "ExternalName", "externalName": "e"}}, {"External-IP": "e", "Cluster-IP": "<none>"}),
        ("v1", "Node", {"metadata": {**META, "labels": {"node-role.kubernetes.io/worker": "", "kubernetes.io/role": "odd"}}, "spec": {"unschedulable": True},
                        "status": {"conditions": [{"type": "Ready", "status": "False"}], "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}]}},
         {"Status": "NotReady,SchedulingDisabled", "Roles": "worker,odd", "Internal-IP": "10.0.0.1", "External-IP": "<none>", "OS-Image": "<unknown>"}),
        ("v1", "Node", {}, {"Status": "Unknown", "Roles": "<none>"}),
        ("v1", "Event", {"firstTimestamp": "2026-11-30T11:58:00Z", "lastTimestamp": "2026-11-30T11:59:30Z", "involvedObject": {"kind": "Pod", "name": "p"}, "count": 4, "source": {"component": "kubelet", "host": "n"}, "message": "m\n"},
         {"Last Seen": "30s", "First Seen": "2m", "Object": "pod/p", "Count": 4, "Source": "kubelet, n", "Message": "m"}),
        ("v1", "PersistentVolumeClaim", {"spec": {"volumeName": "v"}, "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}},
         {"Status": "Bound", "Volume": "v", "Capacity": "1Gi", "Access Modes": "RWO", "VolumeAttributesClass": "<unset>"}),
        ("v1", "PersistentVolumeClaim", {"status": {"phase": "Pending", "accessModes": ["ReadWriteOnce"]}}, {"Capacity": "", "Access Modes": ""}),
        ("autoscaling/v2", "HorizontalPodAutoscaler", {"spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "minReplicas": 1, "maxReplicas": 3,
                        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 80}}}, {"type": "Resource", "resource": {"name": "memory", "target": {"averageValue": "1Gi"}}}, {"type": "External"}]}},
         {"Reference": "Deployment/web", "Targets": "cpu: <unknown>/80%, memory: <unknown>/1Gi + 1 more...", "MinPods": "1", "MaxPods": 3, "Replicas": 0}),
        ("rbac.authorization.k8s.io/v1", "Role", {}, {"Created At": "2026-11-30T11:59:00Z"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_rows(api_version, kind, fields, wanted):
    found = row(api_version, kind, **fields)

    assert {name: found[name] for name in wanted} == wanted


def test_columns_of_a_custom_kind_take_values_of_their_type_alone():
    crd = {"spec": {"versions": [{"name": "v1", "additionalPrinterColumns": [
        {"name": "N", "type": "integer", "jsonPath": ".n"}, {"name": "B", "type": "boolean", "jsonPath": ".n"},
        {"name": "S", "type": "string", "jsonPath": ".m", "description": "what it is", "priority": 1},
        {"name": "D", "type": "date", "jsonPath": ".n"}, {"name": "Odd", "type": "string", "jsonPath": ".x["},
    ]}]}}  # fmt: skip
    shape = custom_table(crd, "v1")

    assert shape.cells({"metadata": META, "n": 5, "m": {"a": 1}}, NOW) == [
        "x",
        5,
        None,
        '{"a":1}',
        None,
        None,
    ]
    assert [column["description"] for column in shape.columns[3:5]] == [
        "what it is", "Custom resource definition column (in JSONPath format): .n",
    ]  # fmt: skip
    assert [column["priority"] for column in shape.columns] == [0, 0, 0, 1, 0, 0]


def test_a_custom_kind_without_columns_has_name_and_age():
    shape = custom_table({"spec": {"versions": [{"name": "v1"}]}}, "v1")

    assert [column["name"] for column in shape.columns] == ["Name", "Age"]
    assert shape.cells({"metadata": META}, NOW) == ["x", "60s"]


def test_of_several_containers_a_clone_set_shows_the_first():
    shape = custom_table(dict(definition(CLONESET)), "v1alpha1")
    spec = {
        "replicas": 2,
        "template": {"spec": {"containers": [{"name": "a", "image": "i"}, {"name": "b", "image": "j"}]}},
    }
    cells = dict(
        zip(
            [column["name"] for column in shape.columns],
            shape.cells({"metadata": META, "spec": spec}, NOW),
            strict=True,
        )
    )

    assert (cells["DESIRED"], cells["CONTAINERS"], cells["IMAGES"]) == (2, "a", "i")

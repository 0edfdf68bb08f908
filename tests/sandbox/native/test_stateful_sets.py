"""Native StatefulSets as the real server takes, completes and refuses them."""

import pytest

from kubectl_kruise.sandbox.native import model
from tests.sandbox.native.test_checks import SELECTOR, TEMPLATE, complaints, made

SET = {"selector": SELECTOR, "template": TEMPLATE, "serviceName": "a"}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def of_claim(**differs):
    return {"volumeClaimTemplates": [{"metadata": {"name": "d"}, "spec": CLAIM | differs}]}


@pytest.mark.parametrize(
    ("fields", "texts"),
    [
        ({"serviceName": "a" * 64}, [f'spec.serviceName: Invalid value: "{"a" * 64}": must be no more than 63 characters']),
        ({"serviceName": ""}, []),
        ({"podManagementPolicy": "Odd"}, ["spec.podManagementPolicy: Invalid value: \"Odd\": must be 'OrderedReady' or 'Parallel'"]),
        ({"ordinals": {"start": -3}}, ["spec.ordinals.start: Invalid value: -3: must be greater than or equal to 0"]),
        ({"revisionHistoryLimit": -1}, []),
        ({"updateStrategy": {"type": "Odd", "rollingUpdate": {"partition": 2}}}, ['spec.updateStrategy: Invalid value: {"Type":"Odd","RollingUpdate":{"Partition":2,"MaxUnavailable":null}}: must be \'RollingUpdate\' or \'OnDelete\'']),
        ({"updateStrategy": {"type": "OnDelete", "rollingUpdate": {}}}, ["spec.updateStrategy.rollingUpdate: Invalid value: {\"Partition\":0,\"MaxUnavailable\":null}: only allowed for updateStrategy 'RollingUpdate'"]),
        ({"template": {**TEMPLATE, "spec": {**TEMPLATE["spec"], "hostname": "a.b", "subdomain": "X_Y"}}}, []),
        (of_claim(accessModes=[]), ["spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required"]),
        (of_claim(accessModes=["ReadWriteOncePod", "ReadWriteMany"]), ["spec.volumeClaimTemplates[0].spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"]),
        (of_claim(resources={}), ["spec.volumeClaimTemplates[0].spec.resources[storage]: Required value"]),
        (of_claim(resources={"requests": {"storage": "0"}}), ['spec.volumeClaimTemplates[0].spec.resources[storage]: Invalid value: "0": must be greater than zero']),
    ],
)  # fmt: skip
def test_what_a_new_set_may_say(fields, texts):
    assert complaints("apps/v1", "StatefulSet", spec=SET | fields) == texts


@pytest.mark.parametrize(
    ("change", "forbidden"),
    [
        ({"replicas": 3}, False),
        ({"ordinals": {"start": 1}}, False),
        ({"minReadySeconds": 5}, False),
        ({"revisionHistoryLimit": 1}, False),
        ({"updateStrategy": {"type": "OnDelete"}}, False),
        ({"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"}}, False),
        ({"serviceName": "Not_A_Label"}, True),
        ({"podManagementPolicy": "Parallel"}, True),
        (of_claim(accessModes=[]), True),
    ],
)
def test_what_may_change(change, forbidden):
    found = complaints("apps/v1", "StatefulSet", before={"spec": SET}, spec=SET | change)

    assert [text.partition(" for fields")[0] for text in found] == [
        "spec: Forbidden: updates to statefulset spec"
    ] * forbidden


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({}, {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}),
        ({"type": "RollingUpdate"}, {"type": "RollingUpdate"}),
        ({"rollingUpdate": {"maxUnavailable": 2}}, {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}),
        ({"type": "OnDelete"}, {"type": "OnDelete"}),
    ],
    ids=["nothing", "a type alone", "a field behind its gate", "OnDelete"],
)  # fmt: skip
def test_update_strategies_are_completed(given, kept):
    assert (
        made("apps/v1", "StatefulSet", spec=SET | {"updateStrategy": given})["spec"]["updateStrategy"] == kept
    )


def test_a_negative_history_limit_is_warned_about():
    limited = made("apps/v1", "StatefulSet", spec=SET | {"revisionHistoryLimit": -1})

    assert [text.partition(":")[0] for text in model("apps/v1", "StatefulSet").warnings(limited)] == [
        "spec.revisionHistoryLimit"
    ]

"""Advanced StatefulSets at the sandbox's API server: both versions, their scale, their table, odd manifests."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Patch, PatchType, Request
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.statefulset.view import read_statefulset
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import CRD, STATEFULSET
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox.embedded import Sandbox

SHARDS: Raw = {
    "replicas": 5,
    "serviceName": "shards",
    "podManagementPolicy": "Parallel",
    "reserveOrdinals": [1, "4-6"],
    "scaleStrategy": {"maxUnavailable": "10%"},
    "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Delete"},
    "updateStrategy": {
        "type": "RollingUpdate",
        "rollingUpdate": {
            "podUpdatePolicy": "InPlaceIfPossible", "partition": 3, "maxUnavailable": "50%", "minReadySeconds": 20,
            "paused": False, "unorderedUpdate": {"priorityStrategy": {"orderPriority": [{"orderedKey": "rank"}]}},
        },
    },
    "selector": {"matchLabels": {"app": "shards"}},
    "template": {
        "metadata": {"labels": {"app": "shards"}},
        "spec": {
            "readinessGates": [{"conditionType": "InPlaceUpdateReady"}],
            "containers": [{"name": "shard", "image": "data/shard:5.1", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}],
        },
    },
    "volumeClaimTemplates": [
        {
            "metadata": {"name": "data"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Ti"}}},
        }
    ],
}  # fmt: skip
BETA = STATEFULSET.path("default", "web")
NEGATIVE = ".spec.replicas: Invalid value: -1: should be a non-negative integer"
ALPHA = STATEFULSET.path("default", "web", version="v1alpha1")


def manifest(version: str = "v1beta1", **spec: Any) -> Raw:
    return {
        "apiVersion": f"apps.kruise.io/{version}",
        "kind": "StatefulSet",
        "metadata": {"name": "web"},
        "spec": {**copy.deepcopy(SHARDS), **spec},
    }


def make(client: Client, version: str = "v1beta1", **spec: Any) -> Raw:
    return client.create(STATEFULSET.path("default", version=version), manifest(version, **spec))


def edit(client: Client, path: str, spec: Raw) -> None:
    client.patch(path, Patch(PatchType.MERGE, {"spec": spec}))


def test_everything_of_a_full_manifest_is_kept() -> None:
    client = Sandbox().client()
    make(client)

    view = read_statefulset(client.get(BETA))

    assert (view.replicas, view.reserved.ranges, view.unavailable, view.scale_unavailable) == (
        5,
        ((1, 1), (4, 6)),
        2,
        1,
    )
    assert (view.partition, view.min_ready, view.unordered, view.when_scaled) == (3, 20, True, "Delete")


@pytest.mark.parametrize("webhooks", [True, False])
def test_what_the_older_version_hides_and_a_write_through_it_erases(*, webhooks: bool) -> None:
    """X-109, K-2, K-3: with the manager's converter, and where there is none and strategy None prunes."""
    client = Sandbox(webhooks=webhooks).client()
    strategy = client.get(CRD.path("", STATEFULSET.resource))["spec"]["conversion"]["strategy"]
    made = make(client)
    older = client.get(ALPHA)["spec"]
    seen = client.get(BETA)["spec"]
    edit(client, ALPHA, {"revisionHistoryLimit": 3})
    left = client.get(BETA)["spec"]

    assert strategy == ("Webhook" if webhooks else "None")
    assert "reserveOrdinals" not in older
    assert seen == made["spec"]
    assert left["revisionHistoryLimit"] == 3
    assert not {"reserveOrdinals", "scaleStrategy", "persistentVolumeClaimRetentionPolicy"} & left.keys()
    assert left["updateStrategy"] == seen["updateStrategy"]


@pytest.mark.parametrize("path", [BETA, ALPHA], ids=["v1beta1", "v1alpha1"])
def test_scale(path: str) -> None:
    client = Sandbox().client()
    make(client)
    client.replace(
        f"{BETA}/status",
        client.get(BETA)
        | {"status": {"labelSelector": "app=shards", "replicas": 4, **dict.fromkeys(COUNTERS, 0)}},
    )

    client.patch(f"{path}/scale", Patch(PatchType.MERGE, {"spec": {"replicas": 7}}))

    scale = client.get(f"{path}/scale")
    assert (scale["kind"], scale["spec"], scale["status"]) == (
        "Scale", {"replicas": 7}, {"replicas": 4, "selector": "app=shards"},
    )  # fmt: skip
    assert client.get(BETA)["spec"]["replicas"] == 7
    with pytest.raises(KruiseError) as refused:
        client.patch(f"{path}/scale", Patch(PatchType.MERGE, {"spec": {"replicas": -1}}))
    assert NEGATIVE in refused.value.status["message"]


COUNTERS = ("readyReplicas", "availableReplicas", "currentReplicas", "updatedReplicas")


def test_the_table_shows_how_far_it_is() -> None:
    sandbox = Sandbox()
    client = sandbox.client()
    make(client)
    counters = {
        "replicas": 4,
        "updatedReplicas": 3,
        "readyReplicas": 2,
        "availableReplicas": 0,
        "currentReplicas": 1,
    }
    client.replace(f"{BETA}/status", client.get(BETA) | {"status": counters})

    accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    table = json.loads(sandbox.transport.send(Request("GET", BETA, {"Accept": accept}, None)).body)

    titles = [column["name"] for column in table["columnDefinitions"] if not column["priority"]]
    assert titles == ["Name", "DESIRED", "CURRENT", "UPDATED", "READY", "AGE"]
    assert table["rows"][0]["cells"][:5] == ["web", 5, 4, 3, 2]


@pytest.mark.parametrize("version", ["v1beta1", "v1alpha1"])
def test_server_side_apply_settles_after_one_write(version: str) -> None:
    sandbox = Sandbox()
    path = BETA if version == "v1beta1" else ALPHA
    applied = manifest(version)
    for field in (
        ("reserveOrdinals", "scaleStrategy", "persistentVolumeClaimRetentionPolicy") if path == ALPHA else ()
    ):
        del applied["spec"][field]

    def apply() -> Raw:
        headers = {"Content-Type": "application/apply-patch+yaml"}
        body = json.dumps(applied).encode()
        answer = sandbox.transport.send(Request("PATCH", f"{path}?fieldManager=me", headers, body))
        assert answer.status in (200, 201), answer.body
        made: Raw = json.loads(answer.body)
        return made

    first = apply()
    assert apply()["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 3), st.sampled_from([1.5, 2**31, 1e30]),
    st.sampled_from(["", "x", "5", "30%", "-5%", "%", "1-2", "5-2", "1-99999999999", "1Gi", "OnDelete", "Parallel", "InPlaceOnly"]),
    st.sampled_from([[], [None], [1], {}, {"a": None}, [{}], {"type": "OnDelete"}]),
)  # fmt: skip
WORLDS = [
    Sandbox(gates=gates)
    for gates in (Gates(), Gates(resize_claims=True, start_ordinal=True), Gates(auto_delete_claims=False, bare_templates=True))
]  # fmt: skip


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield from places(below, (*path, key))


PLACES = [path for path in places(manifest()["spec"]) if path]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(WORLDS), st.sampled_from(["v1beta1", "v1alpha1"]), st.sampled_from(PLACES), ODD)
def test_odd_manifests_are_answered_and_what_is_accepted_can_be_read(
    sandbox: Sandbox, version: str, place: tuple[str | int, ...], value: Any
) -> None:
    body = manifest(version)
    dig(body["spec"], place[:-1])[place[-1]] = copy.deepcopy(value)
    path = STATEFULSET.path("default", version=version)

    answer = sandbox.transport.send(
        Request("POST", path, {"Content-Type": "application/json"}, json.dumps(body).encode())
    )

    assert answer.status in (201, 400, 422)
    if answer.status == 201:
        client = sandbox.client()
        read_statefulset(client.get(BETA), Gates(start_ordinal=True))
        client.delete(BETA)

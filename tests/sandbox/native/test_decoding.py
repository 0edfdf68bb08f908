"""Reading native objects as the Go types do (sandbox-apiserver.md N2, N3, N5)."""

import copy

import pytest

from kubectl_kruise.sandbox.native import model
from kubectl_kruise.sandbox.registry.kinds.resources import native_resources

DEPLOYMENT, POD, EVENT, SECRET = (
    model("apps/v1", "Deployment"),
    model("v1", "Pod"),
    model("v1", "Event"),
    model("v1", "Secret"),
)


def deployment(**spec):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "w"}, "spec": spec}


def container(**fields):
    return {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i:1", **fields}]}}


@pytest.mark.parametrize(
    ("kind", "obj", "problem"),
    [
        (DEPLOYMENT, deployment(replicas="x"), "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"),
        (DEPLOYMENT, deployment(replicas=3_000_000_000), "json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32"),
        (DEPLOYMENT, deployment(paused=1), "json: cannot unmarshal number into Go struct field DeploymentSpec.spec.paused of type bool"),
        (DEPLOYMENT, deployment(strategy={"rollingUpdate": {"maxSurge": True}}), "json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32"),
        (POD, {"metadata": "x"}, "json: cannot unmarshal string into Go struct field Pod.metadata of type v1.ObjectMeta"),
        (POD, container(image=5), "json: cannot unmarshal number into Go struct field Container.spec.containers.image of type string"),
        (POD, container(args={}), "json: cannot unmarshal object into Go struct field Container.spec.containers.args of type []string"),
        (POD, {"metadata": {"labels": {"a": 1}}}, "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string"),
        (POD, container(resources={"limits": {"cpu": "much"}}), "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        (POD, container(resources={"limits": {"cpu": True}}), "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        (POD, {"metadata": {"creationTimestamp": "yesterday"}}, 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"'),
        (SECRET, {"data": {"a": "#"}}, "illegal base64 data at input byte 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_wrong_types_are_named_in_go_words(kind, obj, problem):
    assert kind.decode(obj).problem == problem


def test_unknown_fields_are_dropped_and_named():
    found = DEPLOYMENT.decode(
        deployment(bogus=1, template={"spec": {"containers": [{"name": "c", "imag": 1}]}})
    )

    assert found.unknown == ("spec.bogus", "spec.template.spec.containers[0].imag")
    assert "bogus" not in found.object["spec"]


@pytest.mark.parametrize(
    ("written", "kept"),
    [("1000m", "1"), ("1024Mi", "1Gi"), (1.5, "1500m"), ("2G", "2G"), ("1e3", "1e3")],
)
def test_quantities_take_their_one_spelling(written, kept):
    found = POD.decode(container(resources={"limits": {"cpu": written}}))

    assert found.object["spec"]["containers"][0]["resources"]["limits"]["cpu"] == kept


def test_zero_values_are_left_out_or_kept_as_the_types_say():
    obj = deployment(replicas=0, minReadySeconds=0, paused=False, revisionHistoryLimit=0, selector=None)
    obj["metadata"] |= {"labels": {}, "finalizers": [], "annotations": None}

    found = DEPLOYMENT.decode(obj).object

    assert found["metadata"] == {"name": "w"}
    assert found["spec"] == {
        "replicas": 0, "revisionHistoryLimit": 0, "selector": None, "strategy": {},
        "template": {"metadata": {}, "spec": {"containers": None}},
    }  # fmt: skip


def test_an_event_prints_its_empty_times():
    found = EVENT.decode({"metadata": {"name": "e"}}).object

    assert (found["firstTimestamp"], found["eventTime"], found["source"], found["reportingComponent"]) == (
        None,
        None,
        {},
        "",
    )


@pytest.mark.parametrize(
    ("field", "written", "kept"),
    [
        ("creationTimestamp", "2020-01-02T03:04:05.678+01:00", "2020-01-02T02:04:05Z"),
        ("creationTimestamp", "2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z"),
    ],
)
def test_times_are_whole_seconds_in_utc(field, written, kept):
    assert POD.decode({"metadata": {"name": "a", field: written}}).object["metadata"][field] == kept


def test_times_of_leases_have_microseconds():
    lease = model("coordination.k8s.io/v1", "Lease")

    found = lease.decode({"metadata": {"name": "l"}, "spec": {"renewTime": "2020-01-02T03:04:05.5Z"}})

    assert found.object["spec"]["renewTime"] == "2020-01-02T03:04:05.500000Z"


def test_free_form_data_stays_as_it_is():
    revision = model("apps/v1", "ControllerRevision")
    data = {"spec": {"template": {"$patch": "replace", "x": None}}}

    assert revision.decode({"metadata": {"name": "r"}, "data": data}).object["data"] == data


@pytest.mark.parametrize("row", native_resources(), ids=lambda row: f"{row.api_version} {row.kind}")
def test_every_kind_reads_defaults_and_rereads_to_the_same(row):
    kind = model(row.api_version, row.kind)
    sent = {"metadata": {"name": "a"}}

    made = kind.default(kind.decode(sent).object)
    again = kind.default(kind.decode(copy.deepcopy(made)).object)

    assert again == made
    assert sent == {"metadata": {"name": "a"}}
    assert (made["apiVersion"], made["kind"]) == (row.api_version, row.kind)


def test_unknown_kinds_have_no_type():
    with pytest.raises(KeyError):
        model("v1", "Gadget")

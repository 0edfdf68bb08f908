"""Files of manifests: what is converted, what follows, what stays as it is (migration.md §7)."""

import copy

from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.convert.cloneset import cloneset_to_deployment
from kubectl_kruise.convert.defaults import fill_cloneset, fill_deployment
from kubectl_kruise.convert.deployment import Target, deployment_to_cloneset
from kubectl_kruise.convert.documents import Converted, convert_documents
from kubectl_kruise.convert.report import Conversion
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, Kind
from kubectl_kruise.objects.raw import Raw
from tests.convert.sources import deployment

OLD = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
NEW = {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "name": "web"}


def convert(*documents: Raw) -> tuple[list[Raw], list[Converted]]:
    def one(source: Raw, _kind: Kind) -> Conversion:
        return deployment_to_cloneset(fill_deployment(source), Target())

    return convert_documents(documents, (DEPLOYMENT,), one)


def hpa(namespace: str = "shop", **aim: str) -> Raw:
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": namespace},
        "spec": {"scaleTargetRef": {**OLD, **aim}, "maxReplicas": 5},
    }


SERVICE: Raw = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"selector": {"app": "web"}},
}
CONFIG: Raw = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"run.sh": "#!/bin/sh\nexec app\n"}}


def test_documents_keep_their_order_and_others_stay_as_they_are() -> None:
    made, converted = convert(CONFIG, hpa(), deployment(), SERVICE)
    assert [each["kind"] for each in made] == ["ConfigMap", "HorizontalPodAutoscaler", "CloneSet", "Service"]
    assert (made[0], made[3]) == (CONFIG, SERVICE)
    assert [one.source.reference for one in converted] == ["deployment/web"]


def test_what_names_the_workload_follows_wherever_it_stands() -> None:
    """Fault B023."""
    made, _ = convert(hpa(), deployment(), hpa())
    assert [made[0]["spec"]["scaleTargetRef"], made[2]["spec"]["scaleTargetRef"]] == [NEW, NEW]


def test_names_of_other_namespaces_groups_and_workloads_stay() -> None:
    others = [hpa("other"), hpa(name="api"), hpa(apiVersion="example.com/v1")]
    made, _ = convert(deployment(), *others)
    assert made[1:] == others


def test_the_files_are_not_changed() -> None:
    documents = [hpa(), deployment()]
    before = copy.deepcopy(documents)
    convert(*documents)
    assert documents == before


def test_objects_in_lists_are_converted_where_they_stand() -> None:
    listed = {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": [CONFIG, deployment(), hpa()]}
    made, converted = convert(listed, SERVICE)
    assert len(converted) == 1
    assert [each["kind"] for each in made] == ["List", "Service"]
    assert [each["kind"] for each in made[0]["items"]] == ["ConfigMap", "CloneSet", "HorizontalPodAutoscaler"]
    assert made[0]["items"][2]["spec"]["scaleTargetRef"] == NEW


def test_a_list_of_deployments_becomes_one_of_anything() -> None:
    item = {key: value for key, value in deployment().items() if key not in ("apiVersion", "kind")}
    made, _ = convert({"apiVersion": "apps/v1", "kind": "DeploymentList", "items": [item]})
    assert (made[0]["apiVersion"], made[0]["kind"]) == ("v1", "List")
    assert made[0]["items"][0]["kind"] == "CloneSet"


def test_workloads_of_one_name_in_two_namespaces() -> None:
    other = deployment({"namespace": "other"}, replicas=7)
    made, converted = convert(deployment(), other, hpa("other"))
    assert [each["spec"].get("replicas") for each in made[:2]] == [3, 7]
    assert [len(one.pointers) for one in converted] == [0, 1]
    assert made[2]["spec"]["scaleTargetRef"] == NEW


@given(
    replicas=st.integers(0, 9),
    surge=st.sampled_from([1, "25%", "100%"]),
    unavailable=st.sampled_from([0, 2, "10%"]),
    ready=st.integers(0, 500),
    history=st.integers(0, 20),
    paused=st.booleans(),
    labels=st.dictionaries(st.sampled_from(["a", "team"]), st.sampled_from(["", "1", "x"])),
)
def test_an_export_of_an_export_is_the_deployment_again(
    replicas: int,
    surge: int | str,
    unavailable: int | str,
    ready: int,
    history: int,
    paused: bool,
    labels: Raw,
) -> None:
    """migration.md §11.1 row 30."""
    source = deployment(
        {"labels": labels},
        replicas=replicas,
        strategy={
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable},
        },
        minReadySeconds=ready,
        revisionHistoryLimit=history,
        paused=paused or None,
    )
    once = deployment_to_cloneset(fill_deployment(source), Target()).obj
    again, converted = convert_documents(
        [once], (CLONESET,), lambda each, _: cloneset_to_deployment(fill_cloneset(each))
    )
    assert len(converted) == 1
    assert again[0]["spec"] == source["spec"]
    assert again[0]["metadata"].get("labels", {}) == labels
    twice, _ = convert(again[0])
    assert twice == [once]

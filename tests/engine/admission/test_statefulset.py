"""Advanced StatefulSets on their way in: the examples and rules of advanced-statefulset.md §6, §7 and §21.9."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings

from kubectl_kruise.engine.admission.complaint import Refusal
from kubectl_kruise.engine.admission.statefulset_defaults import complete_statefulset, default_statefulset
from kubectl_kruise.engine.admission.statefulset_validation import validate_statefulset
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.objects.raw import Raw, put
from tests.engine.admission.statefulsets import specs

DENIED = 'admission webhook "vstatefulset.kb.io" denied the request: '
GATED = {"readinessGates": [{"conditionType": "InPlaceUpdateReady"}]}
ROLLING = "spec.updateStrategy.rollingUpdate"
RESIZING = Gates(resize_claims=True)


def statefulset(version: str = "v1beta1", name: str = "web", **spec: Any) -> Raw:
    """Give a set; a name with `__` stands for a path below the spec."""
    obj: Raw = {
        "apiVersion": f"apps.kruise.io/{version}",
        "kind": "StatefulSet",
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
            },
        },
    }
    for path, value in spec.items():
        put(obj["spec"], path.split("__"), value)
    return obj


def parallel(**spec: Any) -> Raw:
    return statefulset(podManagementPolicy="Parallel", **spec)


def rolling(**switches: Any) -> Raw:
    return {"type": "RollingUpdate", "rollingUpdate": switches}


def admit(obj: Raw, old: Raw | None = None, gates: Gates | None = None, classes: tuple[Raw, ...] = ()) -> str:
    """Default and judge an object; gives what the webhook says, "" where it says nothing."""
    stored = None if old is None else default_statefulset(old, gates=gates)
    answer = validate_statefulset(
        default_statefulset(obj, stored, gates), stored, gates=gates, classes=lambda: classes
    )
    if answer is None:
        return ""
    assert answer == Refusal(422, answer.message)
    return answer.message.removeprefix(DENIED)


SHARE = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"


def text_share(text: str) -> str:
    return f"intstr.IntOrString{{Type:1, IntVal:0, StrVal:{json.dumps(text)}}}"


def number_share(number: int) -> str:
    return f'intstr.IntOrString{{Type:0, IntVal:{number}, StrVal:""}}'


MAX = f"{ROLLING}.maxUnavailable: Invalid value:"
ORDERED = "can only work with Parallel PodManagementPolicyType"
SMALL = "should not be less than 1"
RESERVED = "spec: Invalid value: []intstr.IntOrString{{{}}}: 0 th reserve ordinal is {}"


@pytest.mark.parametrize(
    ("obj", "said"),
    [
        pytest.param(statefulset(updateStrategy=rolling(maxUnavailable=2)), f"{MAX} {number_share(2)}: {ORDERED}", id="X-97 two"),
        pytest.param(statefulset(updateStrategy=rolling(maxUnavailable="1%")), f"{MAX} {text_share('1%')}: {ORDERED}", id="X-97 1%"),
        pytest.param(statefulset(updateStrategy=rolling(maxUnavailable=1)), "", id="X-97 one"),
        pytest.param(parallel(updateStrategy=rolling(maxUnavailable=0)), f"{MAX} 0: {SMALL}", id="X-98 none"),
        pytest.param(parallel(updateStrategy=rolling(maxUnavailable="0%")), f"{MAX} 0: {SMALL}", id="X-98 0%"),
        pytest.param(parallel(updateStrategy=rolling(maxUnavailable="5")), f"{MAX} {text_share('5')}: {SHARE}", id="X-98 text"),
        pytest.param(
            parallel(updateStrategy=rolling(maxUnavailable=-1)),
            f"[{MAX} -1: must be greater than or equal to 0, {MAX} -1: {SMALL}]", id="X-98 negative",
        ),
        pytest.param(parallel(updateStrategy=rolling(maxUnavailable="1%")), "", id="X-98 1%"),
        pytest.param(parallel(updateStrategy=rolling(maxUnavailable="250%")), "", id="X-98 250%"),
        pytest.param(parallel(updateStrategy=rolling(maxUnavailable=7)), "", id="X-98 seven"),
        pytest.param(
            statefulset(updateStrategy=rolling(minReadySeconds=301)),
            f"{ROLLING}.minReadySeconds: Invalid value: 301: must be no more than 300 seconds", id="X-99 301",
        ),
        pytest.param(
            statefulset(updateStrategy=rolling(minReadySeconds=-1)),
            f"{ROLLING}.minReadySeconds: Invalid value: -1: must be greater than or equal to 0", id="X-99 -1",
        ),
        pytest.param(
            statefulset(updateStrategy=rolling(partition=-1)),
            f"{ROLLING}.partition: Invalid value: -1: must be greater than or equal to 0", id="X-99 partition",
        ),
        pytest.param(
            statefulset(reserveOrdinals=["12"]),
            f"[{RESERVED.format(text_share('12'), 'not a valid range: 12')}, "
            f"{RESERVED.format(text_share('12'), 'invalid: 12, err = invalid range 12')}]",
            id="X-100 a number as text",
        ),
        pytest.param(
            statefulset(reserveOrdinals=[-1]), RESERVED.format(number_share(-1), "negative: -1"), id="X-100 negative"
        ),
        pytest.param(
            statefulset(reserveOrdinals=["5-2"]),
            RESERVED.format(text_share("5-2"), "invalid: 5-2, err = invalid range 5-2"), id="X-100 backwards",
        ),
        pytest.param(
            statefulset(reserveOrdinals=["1-99999999999999999999"]),
            RESERVED.format(
                text_share("1-99999999999999999999"),
                'invalid: 1-99999999999999999999, err = strconv.Atoi: parsing "99999999999999999999": value out of range',
            ),
            id="W-3 beyond 64 bits",
        ),
        pytest.param(statefulset(reserveOrdinals=["1-2", 1, "3-3", "0003-5"]), "", id="X-100 numbers and ranges"),
        pytest.param(
            statefulset(updateStrategy=rolling(podUpdatePolicy="InPlaceIfPossible")),
            "spec.template.spec.readinessGates: Invalid value: []v1.PodReadinessGate(nil): "
            "must contains InPlaceUpdateReady when podUpdatePolicy is InPlaceIfPossible",
            id="X-101",
        ),
        pytest.param(
            statefulset(
                updateStrategy=rolling(podUpdatePolicy="InPlaceOnly"),
                template__spec__readinessGates=[{"conditionType": "other"}],
            ),
            'spec.template.spec.readinessGates: Invalid value: []v1.PodReadinessGate{v1.PodReadinessGate{ConditionType:"other"}}: '
            "must contains InPlaceUpdateReady when podUpdatePolicy is InPlaceOnly",
            id="W-9 another gate",
        ),
        pytest.param(
            statefulset(updateStrategy={"type": "OnDelete", "rollingUpdate": {}}),
            f"{ROLLING}: Invalid value: v1beta1.RollingUpdateStatefulSetStrategy{{Partition:(*int32)(nil), "
            'MaxUnavailable:(*intstr.IntOrString)(nil), PodUpdatePolicy:"", Paused:false, '
            "UnorderedUpdate:(*v1beta1.UnorderedUpdateStrategy)(nil), "
            "InPlaceUpdateStrategy:(*pub.InPlaceUpdateStrategy)(nil), MinReadySeconds:(*int32)(nil)}: "
            "only allowed for updateStrategy 'RollingUpdate'",
            id="X-102",
        ),
        pytest.param(statefulset(updateStrategy={"type": "OnDelete"}), "", id="X-102 without it"),
        pytest.param(
            statefulset(name="a.b"), 'metadata.name: Invalid value: "a.b": must not contain dots', id="X-106"
        ),
        pytest.param(
            statefulset(name=f"{'a' * 40}.{'b' * 40}"),
            f'[metadata.name: Invalid value: "{"a" * 40}.{"b" * 40}": must be no more than 63 characters, '
            f'metadata.name: Invalid value: "{"a" * 40}.{"b" * 40}": must not contain dots]',
            id="W-1 long and dotted",
        ),
        pytest.param(
            statefulset(scaleStrategy={"maxUnavailable": "x"}),
            "[spec.scaleStrategy.maxUnavailable: Invalid value: " + f"{text_share('x')}: {SHARE}, "
            "spec.scaleStrategy.maxUnavailable: Invalid value: 0: getValueFromIntOrPercent error: invalid value for "
            'IntOrString: invalid value "x": strconv.Atoi: parsing "x": invalid syntax, '
            f"spec.scaleStrategy.maxUnavailable: Invalid value: {text_share('x')}: {ORDERED}]",
            id="W-4, W-8 all three",
        ),
        pytest.param(
            statefulset(updateStrategy=rolling(unorderedUpdate={"priorityStrategy": {"orderPriority": [{"orderedKey": ""}]}})),
            f"[{ROLLING}.unorderedUpdate: Required value: unorderedUpdate can only work with Parallel "
            f"PodManagementPolicyType, {ROLLING}.unorderedUpdate.priorityStrategy: Required value: order key can not be empty]",
            id="W-10",
        ),
        pytest.param(
            statefulset(podManagementPolicy="No", selector={}, template__spec__restartPolicy="Never"),
            "[spec.podManagementPolicy: Invalid value: \"No\": must be 'OrderedReady' or 'Parallel', spec.selector: Invalid "
            "value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: "
            "empty selector is invalid for statefulset, spec.template.spec.restartPolicy: "
            'Unsupported value: "Never": supported values: "Always"]',
            id="W-2 to W-14 in order",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("version", ["v1beta1", "v1alpha1"])
def test_creation(obj: Raw, said: str, version: str) -> None:
    older = {"reserveOrdinals", "scaleStrategy"} & obj["spec"].keys()
    if version == "v1alpha1" and older:  # it does not know them, so that nobody looks at them
        said = ""

    assert admit({**obj, "apiVersion": f"apps.kruise.io/{version}"}) == said


FIXED = (
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
    "'reserveOrdinals', 'lifecycle', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy', "
    "`volumeClaimTemplates`, `VolumeClaimUpdateStrategy` and 'updateStrategy' are forbidden"
)
CLAIM = {"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"selector": {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "app", "operator": "Exists"}]}}, FIXED, id="X-103 selector"),
        pytest.param({"selector": {"matchLabels": {"app": "web"}, "matchExpressions": []}}, "", id="W-20 nothing is no change"),
        pytest.param({"serviceName": "other"}, FIXED, id="X-103 service"),
        pytest.param({"serviceName": ""}, FIXED, id="W-20 no service"),
        pytest.param({"podManagementPolicy": "OrderedReady"}, FIXED, id="X-103 policy"),
        pytest.param(
            {
                "replicas": 5, "template__spec__nodeSelector": {"a": "b"}, "volumeClaimTemplates": [CLAIM],
                "lifecycle": {"preDelete": {"labelsHandler": {"a": "b"}}}, "revisionHistoryLimit": 3,
                "scaleStrategy": {"maxUnavailable": 2}, "reserveOrdinals": [1], "ordinals": {"start": 2},
                "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete"},
                "volumeClaimUpdateStrategy": {"type": "OnPodRollingUpdate"},
            },
            "", id="X-103 the rest together",
        ),
        pytest.param(
            {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Keep"}},
            'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep": supported values: "Retain", "Delete"',
            id="W-11 said once",
        ),
    ],
)  # fmt: skip
def test_update(change: Raw, said: str) -> None:
    stored = parallel(serviceName="web")
    changed = copy.deepcopy(stored)
    for path, value in change.items():
        put(changed["spec"], path.split("__"), value)

    assert admit(changed, stored) == said


def in_place_only(**pod: Any) -> Raw:
    obj = statefulset(updateStrategy=rolling(podUpdatePolicy="InPlaceOnly"))
    obj["spec"]["template"]["spec"] |= {**GATED, **pod}
    return obj


@pytest.mark.parametrize(
    ("pod", "said"),
    [
        ({"containers": [{"name": "main", "image": "nginx:2"}]}, ""),
        ({"containers": [{"name": "main", "image": "nginx:1", "imagePullPolicy": "Never"}]}, ""),
        (
            {"containers": [{"name": "main", "image": "nginx:1", "env": [{"name": "A"}]}]},
            "add /containers/0/env",
        ),
        ({"nodeSelector": {"a/b": "c"}}, "add /nodeSelector"),
        ({"containers": [{"name": "main", "image": "nginx:1"}] * 2}, "add /containers/1"),
    ],
)
def test_only_images_change_in_place(pod: Raw, said: str) -> None:
    """W-23: the policy of the new object counts."""
    wanted = (
        f"invalid template modified with InPlaceOnly strategy: {said}, currently only image update is allowed for InPlaceOnly"
        if said
        else ""
    )

    assert admit(in_place_only(**pod), in_place_only()) == wanted


GROWING = {"metadata": {"name": "grow"}, "allowVolumeExpansion": True}
FIXED_SIZE = {"metadata": {"name": "fixed"}, "allowVolumeExpansion": False}
UNSET = {"metadata": {"name": "unset"}}


def claim(size: str = "2Gi", storage_class: str | None = "grow", name: str = "data", **spec: Any) -> Raw:
    made: Raw = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **spec}
    if storage_class is not None:
        made["storageClassName"] = storage_class
    return {"metadata": {"name": name}, "spec": made}


def claiming(*claims: Raw, kind: str = "OnPodRollingUpdate") -> Raw:
    return statefulset(volumeClaimTemplates=list(claims), volumeClaimUpdateStrategy={"type": kind})


def default(name: str, created: str, *, grows: bool) -> Raw:
    annotations = {"storageclass.kubernetes.io/is-default-class": "true"}
    return {
        "metadata": {"name": name, "creationTimestamp": created, "annotations": annotations},
        "allowVolumeExpansion": grows,
    }


DATA = "spec.volumeClaimTemplates[data]"
STUCK = (
    f"{DATA}.spec.resources.requests.storage: Forbidden: storage class {{}} does not support volume expansion"
)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        pytest.param(claiming(claim()), claiming(claim("3Gi")), "", id="X-104 larger"),
        pytest.param(claiming(claim()), claiming(claim("1Gi")), "", id="X-104 smaller"),
        pytest.param(claiming(claim("2Gi", "fixed")), claiming(claim("3Gi", "fixed")), STUCK.format("fixed"), id="X-104 larger, fixed"),
        pytest.param(claiming(claim("2Gi", "fixed")), claiming(claim("1Gi", "fixed")), STUCK.format("fixed"), id="X-104 smaller, fixed"),
        pytest.param(claiming(claim("2Gi", "unset")), claiming(claim("3Gi", "unset")), "", id="W-24 a class that says nothing"),
        pytest.param(
            claiming(claim("2Gi", "lost")), claiming(claim("3Gi", "lost")),
            f'{DATA}.spec.storageClassName: Invalid value: "lost": can not get sc', id="W-24 unknown class",
        ),
        pytest.param(claiming(claim("2Gi", "lost")), claiming(claim("2048Mi", "lost")), "", id="W-24 the same size is not asked about"),
        pytest.param(claiming(claim("2Gi", None)), claiming(claim("3Gi", None)), STUCK.format("newer"), id="W-24 the newest default"),
        pytest.param(claiming(claim("2Gi", None)), claiming(claim("2Gi", "fixed")), "", id="W-24 a class where there was none"),
        pytest.param(
            claiming(claim()), claiming(claim(name="other")),
            "spec.volumeClaimTemplates[other].name: Forbidden: volumeClaimTemplate name can not be modified", id="W-24 renamed",
        ),
        pytest.param(
            claiming(claim(), kind="OnDelete"), claiming(claim(storage_class="fixed"), claim(name="more")), "",
            id="X-105 the type before counts",
        ),
        pytest.param(
            claiming(claim(), kind="OnDelete"), claiming(claim("9Gi", "lost")), "", id="W-24 OnDelete",
        ),
    ],
)  # fmt: skip
def test_claims_that_grow_with_their_template(before: Raw, after: Raw, said: str) -> None:
    classes = (
        GROWING, FIXED_SIZE, UNSET, default("older", "2026-01-01T00:00:00Z", grows=True),
        default("newer", "2026-01-02T00:00:00Z", grows=False),
    )  # fmt: skip

    assert admit(after, before, RESIZING, classes) == said
    assert admit(after, before) == ""  # the gate is off


@pytest.mark.parametrize(
    "after",
    [claim(storage_class="fixed"), claim(accessModes=["ReadOnlyMany"]), claim(accessModes=[])],
    ids=["class", "modes", "no modes"],
)
def test_what_else_of_a_claim_may_not_change(after: Raw) -> None:
    """X-104: the whole claim is shown in Go's words."""
    said = admit(claiming(after), claiming(claim()), RESIZING, (GROWING, FIXED_SIZE))

    assert said.startswith(f"{DATA}: Invalid value: v1.PersistentVolumeClaim{{TypeMeta:v1.TypeMeta{{")
    assert said.endswith(": volumeClaimTemplate can not be modified when OnRollingUpdate")


def test_claims_are_not_added_while_they_grow() -> None:
    said = admit(claiming(), claiming(claim()), RESIZING, (GROWING,))

    assert said == (
        "spec.volumeClaimTemplates: Invalid value: []v1.PersistentVolumeClaim(nil): "
        "volumeClaimTemplate can not be added or deleted when OnRollingUpdate"
    )


@pytest.mark.parametrize(
    ("gates", "policy", "strategy"),
    [
        pytest.param(Gates(), {"whenDeleted": "Retain", "whenScaled": "Retain"}, {}, id="D-4"),
        pytest.param(Gates(auto_delete_claims=False), None, {}, id="D-4 off"),
        pytest.param(
            Gates(auto_delete_claims=False, resize_claims=True), None, {"type": "OnDelete"}, id="D-5"
        ),
    ],
)
def test_defaults_under_gates(gates: Gates, policy: Raw | None, strategy: Raw) -> None:
    spec = default_statefulset(statefulset(), gates=gates)["spec"]

    assert spec.get("persistentVolumeClaimRetentionPolicy") == policy
    assert spec["volumeClaimUpdateStrategy"] == strategy


def test_half_a_retention_policy_is_refused_where_nobody_completes_it() -> None:
    """W-11."""
    obj = statefulset(persistentVolumeClaimRetentionPolicy={"whenDeleted": "Delete"})

    assert admit(obj) == ""
    assert admit(obj, gates=Gates(auto_delete_claims=False)) == (
        'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "": supported values: "Retain", "Delete"'
    )


def test_templates_are_completed_when_they_change() -> None:
    """D-7: on create, and on updates of the template."""
    stored = default_statefulset(statefulset())
    bare = statefulset(replicas=4)
    bare["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] = "Never"

    changed = default_statefulset(bare, stored)["spec"]["template"]["spec"]
    same = default_statefulset({**bare, "spec": {**stored["spec"], "replicas": 4}}, stored)

    assert (changed["containers"][0]["imagePullPolicy"], changed["restartPolicy"]) == ("Never", "Always")
    assert same["spec"]["template"] == stored["spec"]["template"]
    assert (
        "restartPolicy"
        not in default_statefulset(bare, stored, Gates(bare_templates=True))["spec"]["template"]["spec"]
    )


def test_what_lacks_nothing_stays_as_it_was_sent() -> None:
    """D-10: an object is written back only where something was filled in, or a status emptied."""
    stored = default_statefulset(statefulset())
    odd = copy.deepcopy(stored)
    odd["spec"]["volumeClaimTemplates"] = [{"metadata": {"name": "data"}, "spec": {}, "unknown": 1}]

    assert complete_statefulset(odd, stored) is odd
    written = complete_statefulset({**odd, "status": {"observedGeneration": 1}}, stored)
    assert written["spec"]["volumeClaimTemplates"] == [
        {"metadata": {"name": "data", "creationTimestamp": None}, "spec": {"resources": {}}, "status": {}}
    ]


@settings(max_examples=40)
@given(specs())
def test_defaults_are_filled_in_once(spec: Raw) -> None:
    full = default_statefulset({**statefulset(), "spec": spec})

    assert default_statefulset(full) == full
    assert complete_statefulset(full, full) is full
    assert complete_statefulset(full) is full

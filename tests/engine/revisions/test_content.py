"""Revision bytes come from the typed form of the template."""

import json
from typing import Any

import pytest

from kubectl_kruise.engine.revisions.content import (
    data_bytes,
    recorded_template,
    revision_data,
    typed_template,
)
from kubectl_kruise.engine.revisions.naming import claim_hash, revision_hash, revision_name
from kubectl_kruise.objects.raw import Raw
from tests.places import DATA

RECORDED = [json.loads(line) for line in (DATA / "revisions" / "recorded.jsonl").read_text().splitlines()]
MADE_BY_HAND = "web-76dd669664"  # planted by the recording to provoke a collision: its name is not its hash
AFTER_COLLISION = "web-76dd669665"


def revision_bytes(template: Raw) -> bytes:
    return data_bytes(revision_data(template))


def demo(image: str = "nginx:1.25", **container: Any) -> Raw:
    main = {"name": "main", "image": image, **container}
    return {"metadata": {"labels": {"app": "demo"}}, "spec": {"containers": [main]}}


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: row["name"])
def test_recorded_revisions_have_their_bytes_and_names(row: Raw) -> None:
    template = recorded_template(row["data"])
    collisions = 1 if row["name"] == AFTER_COLLISION else 0

    name = revision_name(row["name"].rpartition("-")[0], revision_hash(revision_bytes(template), collisions))

    assert data_bytes(revision_data(template)) == data_bytes(row["data"])
    assert name == row["name"] or row["name"] == MADE_BY_HAND


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: row["name"])
def test_the_typed_form_is_its_own_typed_form(row: Raw) -> None:
    once = typed_template(recorded_template(row["data"]))

    assert json.dumps(typed_template(once)) == json.dumps(once)


def test_worked_example() -> None:
    """cloneset.md §9.2."""
    content = (
        '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"demo"}},'
        '"spec":{"containers":[{"image":"nginx:1.25","name":"main","resources":{}}]}}}}'
    )

    assert revision_bytes(demo()).decode() == content
    assert revision_name("demo", revision_hash(content.encode())) == "demo-788944f45"
    assert revision_name("demo", revision_hash(content.encode(), 1)) == "demo-788944f44"
    assert revision_hash(revision_bytes(demo("nginx:1.26"))) == "5b54ff9d4d"


def test_long_owner_names_are_cut() -> None:
    assert revision_name("x" * 300, "abc") == "x" * 223 + "-abc"


SAME = [
    ("unknown fields", demo(nonsense={"a": 1}), demo()),
    ("cpu", demo(resources={"limits": {"cpu": "1000m"}}), demo(resources={"limits": {"cpu": 1}})),
    (
        "memory",
        demo(resources={"requests": {"memory": "1024Mi"}}),
        demo(resources={"requests": {"memory": "1Gi"}}),
    ),
    ("empty values", demo(env=[], command=None, stdin=False, workingDir=""), demo()),
    ("no resources", demo(resources=None), demo(resources={})),
    ("creation time", {**demo(), "metadata": {"creationTimestamp": None, "labels": {"app": "demo"}}}, demo()),
]


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_spelling_makes_no_new_revision(one: Raw, other: Raw) -> None:
    """cloneset.md §9.1."""
    assert revision_bytes(one) == revision_bytes(other)


KEPT = [
    ("an empty struct behind a pointer", demo(securityContext={}), '"securityContext":{}'),
    (
        "a zero behind a pointer",
        demo(livenessProbe={"terminationGracePeriodSeconds": 0}),
        '"terminationGracePeriodSeconds":0',
    ),
    ("a false behind a pointer", demo(securityContext={"privileged": False}), '"privileged":false'),
    ("a required empty string", demo(volumeMounts=[{"name": "v"}]), '"mountPath":""'),
    (
        "a divisor",
        demo(env=[{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}]),
        '"divisor":"0"',
    ),
    ("a port of a probe", demo(readinessProbe={"httpGet": {"path": "/"}}), '"port":0'),
    ("a list that must be there", {"spec": {}}, '"containers":null'),
    ("an empty list that must be there", {"spec": {"containers": []}}, '"containers":[]'),
    ("escapes", demo(args=["a<b>&c\u2028ü"]), '"a\\u003cb\\u003e\\u0026c\\u2028ü"'),
    (
        "an ephemeral claim",
        {
            "spec": {
                "containers": [],
                "volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}],
            }
        },
        '"volumeClaimTemplate":{"metadata":{"creationTimestamp":null},"spec":{"resources":{}}}',
    ),
    (
        "a number beyond a float",
        {"spec": {"activeDeadlineSeconds": 9223372036854775807}},
        ":9223372036854776000",
    ),
]


@pytest.mark.parametrize(("template", "part"), [row[1:] for row in KEPT], ids=[row[0] for row in KEPT])
def test_prints_what_the_go_type_prints(template: Raw, part: str) -> None:
    assert part in revision_bytes(template).decode()


WRONG = [
    (demo(stdin="yes"), "cannot unmarshal string into Go struct field Container.spec.containers.stdin of type bool"),
    (demo(env=[{"name": "A", "value": 1}]), "cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string"),
    (demo(ports=[{"containerPort": 1.5}]), "cannot unmarshal number 1.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32"),
    (demo(imagePullPolicy=[]), "cannot unmarshal array into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy"),
    ({"spec": "x"}, "cannot unmarshal string into Go struct field PodTemplateSpec.spec of type v1.PodSpec"),
]  # fmt: skip


@pytest.mark.parametrize(("template", "message"), WRONG, ids=[row[1].split()[-6] for row in WRONG])
def test_names_what_does_not_fit(template: Raw, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        typed_template(template)

    assert str(refused.value) == f"json: {message}"


def claim(name: str, *, limits: str = "", requests: str, **extra: Any) -> Raw:
    resources: Raw = {
        "requests": {"storage": requests},
        **({"limits": {"storage": limits}} if limits else {}),
    }
    return {
        "metadata": {"name": name, **extra},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": resources},
    }


ONE, TWO = claim("pvc-1", limits="2Gi", requests="1Gi"), claim("pvc-2", limits="4Gi", requests="2Gi")
CLAIMS = [
    ("none", [], ""),
    ("one", [ONE], "1129974074"),
    ("two", [ONE, TWO], "510584408"),
    ("order does not matter", [TWO, ONE], "510584408"),
    ("recorded 1Gi", [claim("data", requests="1Gi")], "3636919212"),
    ("recorded 2Gi", [claim("data", requests="2Gi")], "2656862266"),
    ("recorded 3Gi", [claim("data", requests="3072Mi")], "3897651091"),
    ("recorded 4Gi", [claim("data", requests="4Gi")], "1984573200"),
    ("labels do not matter", [claim("data", requests="1Gi", labels={"kind": "fast"})], "3636919212"),
]


@pytest.mark.parametrize(("templates", "digest"), [row[1:] for row in CLAIMS], ids=[row[0] for row in CLAIMS])
def test_claim_hashes(templates: list[Raw], digest: str) -> None:
    """cloneset.md §9.3."""
    assert claim_hash(templates) == digest

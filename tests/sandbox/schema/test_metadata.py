"""Validation of metadata (sandbox-apiserver.md M5 to M9, G6)."""

import pytest

from kubectl_kruise.objects.notation.field_errors import causes, summary
from kubectl_kruise.sandbox.schema.metadata import (
    label_name,
    metadata_errors,
    metadata_warnings,
    unite_owners,
)

OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "1"}


def errors(meta, old=None, **settings):
    return metadata_errors({"metadata": meta}, None if old is None else {"metadata": old}, **settings)


@pytest.mark.parametrize(
    ("meta", "fields"),
    [
        ({"name": "a.b-c.d"}, []),
        ({"name": "a_b"}, ["metadata.name"]),
        ({}, ["metadata.name"]),
        ({"name": "ok", "generateName": "ok-"}, []),
        ({"name": "ok", "generateName": "Bad_"}, ["metadata.generateName"]),
        ({"name": "a", "labels": {"a": "c d", "x/y/z": ""}}, ["metadata.labels", "metadata.labels"]),
        ({"name": "a", "annotations": {"a b": "x"}}, ["metadata.annotations"]),
        ({"name": "a", "annotations": {"UPPER/Case": "fine"}}, []),
        ({"name": "a", "annotations": {"k": "x" * 262144}}, ["metadata.annotations"]),
        ({"name": "a", "finalizers": ["plain"]}, ["metadata.finalizers[0]"]),
        ({"name": "a", "finalizers": ["orphan", "example.com/x"]}, []),
        ({"name": "a", "finalizers": ["orphan", "foregroundDeletion"]}, ["metadata.finalizers"]),
        ({"name": "a", "ownerReferences": [{**OWNER, "controller": True}, {**OWNER, "uid": "2", "controller": True}]}, ["metadata.ownerReferences"]),
        ({"name": "a", "ownerReferences": [{**OWNER, "kind": "Event"}]}, ["metadata.ownerReferences"]),
        ({"name": "a", "ownerReferences": [{}]}, [f"metadata.ownerReferences.{name}" for name in ("apiVersion", "kind", "name", "uid")]),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_complained_about(meta, fields):
    assert [error.field for error in errors(meta)] == fields


def test_names_of_namespaces_have_no_dots():
    assert (
        summary(errors({"name": "a.b"}, name=label_name))
        == 'metadata.name: Invalid value: "a.b": must not contain dots'
    )


def test_a_long_name_is_counted_in_characters():
    assert summary(errors({"name": "a" * 254})).endswith("must be no more than 253 characters")


def test_the_uid_is_immutable_and_said_twice_in_the_causes():
    found = errors({"name": "a", "uid": "x"}, {"name": "a", "uid": "1"})

    assert summary(found) == 'metadata.uid: Invalid value: "x": field is immutable'
    assert len(causes(found)) == 2


def test_no_finalizer_joins_an_object_that_goes():
    old = {"name": "a", "deletionTimestamp": "2024-01-01T00:00:00Z", "finalizers": ["example.com/a"]}
    new = {**old, "finalizers": ["example.com/a", "example.com/b"]}

    assert summary(errors(new, old)) == (
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted,"
        ' found new finalizers []string{"example.com/b"}'
    )
    assert errors({**old, "finalizers": []}, old) == []


def test_custom_objects_get_a_warning_where_native_ones_are_refused():
    obj = {"metadata": {"name": "a", "finalizers": ["plain"]}}

    assert metadata_errors(obj, None, native=False) == []
    assert [text.split(":")[0] for text in metadata_warnings(obj, native=False)] == ["metadata.finalizers"]
    assert metadata_warnings(obj, native=True) == []


def test_equal_owners_become_one():
    meta = {"ownerReferences": [OWNER, dict(OWNER), {**OWNER, "uid": "2"}]}

    (warning,) = unite_owners(meta)

    assert warning.endswith("duplicate UID(s) observed: 1")
    assert meta["ownerReferences"] == [OWNER, {**OWNER, "uid": "2"}]
    assert unite_owners(meta) == ()

"""Entries of managedFields: read, ordered, kept few (sandbox-apiserver.md F1, F3, F8)."""

import pytest

from kubectl_kruise.sandbox.managed.owners import (
    APPLY,
    OLD_UPDATES,
    UPDATE,
    Identity,
    Owned,
    capped,
    entries_of,
    held_owners,
    read_owners,
    writer,
)

ENTRY = {
    "manager": "m",
    "operation": "Update",
    "apiVersion": "v1",
    "fieldsType": "FieldsV1",
    "fieldsV1": {"f:a": {}},
}


def updates(number, version="v1"):
    return {
        Identity(f"m{index:02}", UPDATE, version): Owned(
            {f"f:k{index}": {}}, version, f"2026-01-01T00:00:{index:02}Z"
        )
        for index in range(number)
    }


def test_ten_updates_stand_by_themselves():
    assert capped(updates(10)) == updates(10)


def test_the_oldest_of_more_are_put_together():
    owners = capped(updates(13))

    assert len(owners) == 10
    assert owners[Identity(OLD_UPDATES, UPDATE, "v1")] == Owned(
        {"f:k0": {}, "f:k1": {}, "f:k2": {}, "f:k3": {}}, "v1", "2026-01-01T00:00:03Z"
    )
    assert Identity("m04", UPDATE, "v1") in owners


def test_each_version_has_old_changes_of_its_own_and_appliers_do_not_count():
    applied = {Identity("a", APPLY): Owned({"f:x": {}}, "v1", "2020-01-01T00:00:00Z")}
    owners = capped(updates(6) | updates(6, "v2") | applied)

    assert applied.items() <= owners.items()
    assert owners[Identity(OLD_UPDATES, UPDATE, "v1")].fields == {"f:k0": {}, "f:k1": {}}
    assert owners[Identity(OLD_UPDATES, UPDATE, "v2")].fields == {"f:k0": {}, "f:k1": {}}
    assert len(owners) == 11


def test_entries_come_appliers_first_then_by_time_then_by_name():
    owners = {
        Identity("u", UPDATE, "v1"): Owned({"f:a": {}}, "v1", "2026-01-01T00:00:02Z"),
        Identity("b", UPDATE, "v1"): Owned({"f:a": {}}, "v1", "2026-01-01T00:00:02Z"),
        Identity("scaler", UPDATE, "v1", "scale"): Owned({"f:a": {}}, "v1"),
        Identity("z", APPLY): Owned({"f:a": {}}, "v1", "2026-01-01T00:00:03Z"),
    }

    assert [entry["manager"] for entry in entries_of(owners)] == ["z", "scaler", "b", "u"]
    assert held_owners({"metadata": {"managedFields": entries_of(owners)}}) == owners


@pytest.mark.parametrize(
    "change",
    [
        {"operation": "Patch"},
        {"apiVersion": ""},
        {"fieldsType": "FieldsV9"},
        {"fieldsV1": "x"},
        {"fieldsV1": {"x": {}}},
    ],
)
def test_one_bad_entry_spoils_them_all(change):
    assert read_owners([ENTRY, ENTRY | change]) is None


def test_of_two_entries_of_one_owner_the_last_counts():
    assert read_owners([ENTRY, ENTRY | {"fieldsV1": {"f:b": {}}}]) == {
        Identity("m", UPDATE, "v1"): Owned({"f:b": {}}, "v1")
    }


def test_an_applier_is_the_same_in_every_version():
    assert writer("m", APPLY, "v1", "") == writer("m", APPLY, "v2", "")
    assert writer("m", UPDATE, "v1", "") != writer("m", UPDATE, "v2", "")
    assert writer("", UPDATE, "v1", "").manager == "unknown"

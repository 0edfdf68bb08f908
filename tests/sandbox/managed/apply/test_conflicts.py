"""How conflicts are told (sandbox-apiserver.md F5)."""

from kubectl_kruise.sandbox.managed.apply.conflicts import causes, message
from kubectl_kruise.sandbox.managed.owners import APPLY, UPDATE, Identity, Owned

FIELDS = {"f:spec": {"f:size": {}, "f:sub": {"f:a": {}}}}


def owner(manager, operation=UPDATE, subresource="", fields=FIELDS):
    who = Identity(manager, operation, "" if operation == APPLY else "v1", subresource)
    return {who: Owned(fields, "v1")}


def test_one_conflict_is_told_in_a_line():
    conflicts = owner("me", fields={"f:spec": {"f:size": {}}})

    assert message(conflicts) == 'Apply failed with 1 conflict: conflict with "me" using v1: .spec.size'
    assert causes(conflicts) == [
        {"reason": "FieldManagerConflict", "message": 'conflict with "me" using v1', "field": ".spec.size"}
    ]


def test_several_are_told_by_owner_those_of_a_subresource_first():
    conflicts = owner("you") | owner("you", subresource="scale", fields={"f:x": {}}) | owner("me", APPLY)

    assert message(conflicts).splitlines() == [
        'Apply failed with 5 conflicts: conflicts with "me":',
        "- .spec.size",
        "- .spec.sub.a",
        'conflicts with "you" with subresource "scale" using v1:',
        "- .x",
        'conflicts with "you" using v1:',
        "- .spec.size",
        "- .spec.sub.a",
    ]

import pytest

from kubectl_kruise.cluster.login.impersonation import acting_as, read_extra
from kubectl_kruise.errors import UsageError


def test_groups_and_extras_may_repeat_and_odd_keys_are_escaped():
    user = {
        "as": "joe",
        "as-uid": "7",
        "as-groups": ["a", "b"],
        "as-user-extra": {"Team/x y%": ["p", "q"], "ü": []},
    }

    assert acting_as(user, "u") == (
        ("Impersonate-User", "joe"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-Team%2Fx%20y%25", "p"),
        ("Impersonate-Extra-Team%2Fx%20y%25", "q"),
    )


def test_nobody_else():
    assert acting_as({"token": "t", "as": "", "as-groups": []}, "u") == ()


def test_values_with_signs_of_equality():
    assert read_extra(["a=b=c", "a=d", "e="]) == {"a": ["b=c", "d"], "e": [""]}


@pytest.mark.parametrize("pair", ["a", "=b", ""])
def test_what_is_no_pair(pair):
    with pytest.raises(UsageError, match="KEY=VALUE"):
        read_extra([pair])


@pytest.mark.parametrize(
    "user", [{"as": "a\nb"}, {"as": "a", "as-groups": ["\x7f"]}, {"as": "a", "as-user-extra": {"k": ["\r"]}}]
)
def test_what_no_header_can_carry(user):
    with pytest.raises(UsageError, match="no header can carry"):
        acting_as(user, "u")

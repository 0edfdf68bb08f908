import pytest

from kubectl_kruise.cli.flags import GlobalFlags, split_flags
from kubectl_kruise.cluster.connection import ConnectionFlags
from kubectl_kruise.errors import UsageError


@pytest.mark.parametrize(
    ("args", "rest", "flags"),
    [
        pytest.param(
            ["-n", "shop", "rollout", "pause", "cs/web"],
            ["rollout", "pause", "cs/web"],
            GlobalFlags({"namespace": "shop"}),
            id="before the verb",
        ),
        pytest.param(
            ["get", "--context=prod", "-nshop", "-o", "json"],
            ["get", "-o", "json"],
            GlobalFlags({"context": "prod", "namespace": "shop"}),
            id="after the verb, in every spelling",
        ),
        pytest.param(
            ["sandbox", "exec", "-n", "a", "--", "kubectl", "-n", "b"],
            ["sandbox", "exec", "--", "kubectl", "-n", "b"],
            GlobalFlags({"namespace": "a"}),
            id="nothing after --",
        ),
        pytest.param(
            ["get", "--as", "jo", "--as-group=a", "--as-group", "b"],
            ["get"],
            GlobalFlags({"as_": "jo", "as_group": ("a", "b")}),
            id="impersonation, groups repeated",
        ),
        pytest.param(["get", "-v", "6"], ["get"], GlobalFlags({}, verbosity=6), id="-v 6"),
        pytest.param(["get", "-v=6"], ["get"], GlobalFlags({}, verbosity=6), id="B38 -v=6"),
        pytest.param(["get", "--v=8"], ["get"], GlobalFlags({}, verbosity=8), id="--v=8"),
        pytest.param(["-v", "get"], ["get"], GlobalFlags({}, verbosity=1), id="bare -v"),
        pytest.param(
            ["get", "-q", "--no-color"], ["get"], GlobalFlags({}, quiet=True, color="never"), id="switches"
        ),
        pytest.param(
            ["get", "--insecure-skip-tls-verify=false"],
            ["get"],
            GlobalFlags({"insecure_skip_tls_verify": False}),
            id="a switch with its value",
        ),
        pytest.param(
            ["p", "--by", "-20%"], ["p", "--by", "-20%"], GlobalFlags({}), id="values of other options"
        ),
    ],
)
def test_connection_flags_stand_anywhere(args: list[str], rest: list[str], flags: GlobalFlags) -> None:
    assert split_flags(args) == (rest, flags)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["get", "-n"], "--namespace needs a value"),
        (["get", "--color=blue"], "--color=blue: say auto, always or never"),
        (["get", "--v=high"], "-v=high: the verbosity is a number from 0 to 9"),
        (["get", "--disable-compression=si"], "--disable-compression=si: say true or false"),
    ],
)
def test_flags_that_cannot_be_read_are_named(args: list[str], message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        split_flags(args)

    assert refusal.value.message == message


def test_every_connection_flag_is_one_that_the_connection_knows() -> None:
    from kubectl_kruise.cli.flags import CONNECTION

    args = [word for flag in CONNECTION for word in (f"--{flag.name}=1",)]

    assert set(split_flags(args)[1].connection) == set(ConnectionFlags._fields)


def test_the_environment_stands_for_flags_that_are_not_given() -> None:
    environ = {"KUBECTL_KRUISE_NAMESPACE": "a", "KUBECTL_KRUISE_CONTEXT": "prod"}

    assert split_flags(["get", "-n", "b"], environ)[1].connection == {"namespace": "b", "context": "prod"}

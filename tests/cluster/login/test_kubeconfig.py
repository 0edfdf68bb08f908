"""What the user is told about a kubeconfig that does not work; what is read is in the differential test."""

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubectl_kruise.cluster.login.kubeconfig import choose, find_files, load_kubeconfig
from kubectl_kruise.errors import UsageError
from tests.cluster.login.kubeconfigs import BLOCK

GOOD = """
current-context: x
clusters: [{name: c, cluster: {server: 'https://one'}}, {name: d, cluster: {server: 'https://two'}}]
contexts: [{name: x, context: {cluster: c, user: u}}, {name: bare, context: {}}]
users: [{name: u, user: {token: t}}, {name: v, user: {token: v}}]
"""


def load(folder: Path, text: str):
    file = folder / "config"
    file.write_text(text)
    return load_kubeconfig([file])


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("[]", "its top level is not a mapping"),
        ("clusters: 7", "clusters is not a list"),
        ("users: [7]", "users[0] is not a mapping"),
        ("users: [{name: 7}]", "users[0].name is not a string"),
        ("users: [{name: u, user: 7}]", "users[0].user is not a mapping"),
        ("kind: List", "it is not of kind Config in version v1"),
        ("users: [{name: u}, {name: u}]", 'users has "u" twice'),
        ("users: [{name: u, user: {token: 7}}]", "users[0].user.token is not a string"),
        ("current-context: [x]", "current-context is not a string"),
        ("users: [{name: u, user: {token: 'secret]}", "line 1: found unexpected end of stream"),
        ("\tx: 1", "line 1: found character that cannot start any token"),
    ],
)
def test_a_malformed_file_is_named_and_nothing_of_it_is_quoted(tmp_path, text, cause):
    with pytest.raises(UsageError) as caught:
        load(tmp_path, text)

    assert str(tmp_path / "config") in caught.value.message
    assert caught.value.cause == cause


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(UsageError, match="cannot read the kubeconfig file"):
        load_kubeconfig([tmp_path])


@pytest.mark.parametrize(
    ("flags", "lines"),
    [
        (
            {"context": "no"},
            ['error: context "no" does not exist', "  cause: in FILE", "  hint: known: x, bare"],
        ),
        (
            {"cluster": "no"},
            ['error: cluster "no" does not exist', "  cause: in FILE", "  hint: known: c, d"],
        ),
        ({"user": "no"}, ['error: user "no" does not exist', "  cause: in FILE", "  hint: known: u, v"]),
        ({"context": "bare"}, ['error: context "bare" names no cluster']),
    ],
)
def test_an_entry_that_does_not_exist_is_named(tmp_path, flags, lines):
    with pytest.raises(UsageError) as caught:
        choose(load(tmp_path, GOOD), **flags)

    assert [line.replace(str(tmp_path / "config"), "FILE") for line in caught.value.lines()] == lines


def test_no_current_context(tmp_path):
    with pytest.raises(UsageError) as caught:
        choose(load(tmp_path, GOOD.replace("current-context: x", "current-context: ''")))

    assert caught.value.lines() == [
        "error: no current context",
        f"  cause: in {tmp_path / 'config'}",
        "  hint: kubectl config get-contexts, then --context NAME",
    ]


def test_no_file_at_all():
    with pytest.raises(UsageError) as caught:
        choose(load_kubeconfig([]))

    assert caught.value.lines() == [
        "error: no current context",
        "  cause: no kubeconfig file was found",
        "  hint: set KUBECONFIG; to try without a cluster: kubectl kruise sandbox start",
    ]


def test_flags_replace_parts_of_the_context(tmp_path):
    choice = choose(load(tmp_path, GOOD), cluster="d", user="v")

    assert (choice.context, choice.cluster, choice.user) == ("x", {"server": "https://two"}, {"token": "v"})


class TestFiles:
    def test_the_flag_is_the_only_file(self, tmp_path):
        (tmp_path / "mine").touch()

        assert find_files(str(tmp_path / "mine"), {"KUBECONFIG": "/other"}, tmp_path) == [tmp_path / "mine"]

    def test_the_file_of_the_flag_must_exist(self, tmp_path):
        with pytest.raises(UsageError, match="/gone does not exist"):
            find_files(f"{tmp_path}/gone", {}, tmp_path)

    def test_a_file_that_is_there_and_cannot_be_read_is_not_called_missing(self, tmp_path):
        (tmp_path / "file").touch()

        (found,) = find_files(f"{tmp_path}/file/inside", {}, tmp_path)

        with pytest.raises(UsageError, match="cannot read the kubeconfig file") as caught:
            load_kubeconfig([found])
        assert caught.value.cause == "Not a directory"

    def test_it_may_come_through_a_pipe(self, tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_text, args=(GOOD,))
        writer.start()

        config = load_kubeconfig(find_files(str(pipe), {}, tmp_path))
        writer.join()

        assert config.current_context == "x"

    def test_the_variable_goes_before_the_home(self, tmp_path):
        home = tmp_path / ".kube" / "config"
        home.parent.mkdir()
        home.touch()

        assert find_files("", {"KUBECONFIG": f"{tmp_path}/a::{tmp_path}/b"}, tmp_path) == [
            tmp_path / "a",
            tmp_path / "b",
        ]
        assert find_files("", {"KUBECONFIG": os.pathsep}, tmp_path) == []
        assert find_files("", {"KUBECONFIG": ""}, tmp_path) == [home]


def test_a_helper_with_a_path_lies_beside_its_file_and_a_bare_one_does_not(tmp_path):  # fault B180
    text = "users: [{name: a, user: {exec: {command: ./helper}}}, {name: b, user: {exec: {command: helper}}}]"

    users = load(tmp_path, text).users

    assert users["a"]["exec"]["command"] == str(tmp_path / "helper")
    assert users["b"]["exec"]["command"] == "helper"


LINES = BLOCK.splitlines()
TOKENS = st.sampled_from(
    [
        "",
        "-",
        "- ",
        "  ",
        ": ",
        "a: ",
        "{",
        "}",
        "[",
        "]",
        "&a ",
        "*a",
        "!!int x",
        "|",
        ">",
        "'",
        '"',
        "\t",
        "\0",
        "~",
        "7",
        "\ud800",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(LINES) - 1), TOKENS, st.booleans()), max_size=3))
def test_whatever_stands_in_a_file_is_read_or_refused_in_words(tmp_path_factory, edits):
    lines = list(LINES)
    for at, token, append in edits:
        lines[at] = lines[at] + token if append else token + lines[at]
    file = tmp_path_factory.getbasetemp() / "odd"
    file.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))

    refusal, users = "", {}
    try:
        users = load_kubeconfig([file]).users
    except UsageError as error:
        refusal = error.message

    assert str(file) in refusal if refusal else all(isinstance(entry, dict) for entry in users.values())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_shells_of_windows_write(tmp_path, encoding):
    (tmp_path / "config").write_bytes(GOOD.replace("\n", "\r\n").encode(encoding))

    assert load_kubeconfig([tmp_path / "config"]).current_context == "x"

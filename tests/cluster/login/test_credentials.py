import base64
import json
import os
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kubectl_kruise.cluster.login.credentials import read_pem
from kubectl_kruise.cluster.login.logins import TOKEN_SECONDS, TokenFile, read_credentials
from kubectl_kruise.cluster.login.plugin import ExecPlugin
from kubectl_kruise.errors import KruiseError, UnreachableError, UsageError

V1 = "client.authentication.k8s.io/v1"
V1BETA1 = "client.authentication.k8s.io/v1beta1"


def header(user, **cluster):
    return read_credentials(user, "joe", cluster, environ=dict(os.environ)).authorize().get("Authorization")


PLUGIN = {"command": "/none", "apiVersion": V1, "interactiveMode": "Never"}


@pytest.mark.parametrize(
    ("user", "sent"),
    [
        ({}, None),
        ({"token": "t"}, "Bearer t"),
        ({"username": "joe", "password": "s:é"}, f"Basic {base64.b64encode('joe:s:é'.encode()).decode()}"),
        ({"password": "p"}, None),
        ({"token": "t", "exec": PLUGIN}, "Bearer t"),
        ({"username": "a:b", "exec": PLUGIN}, "Basic YTpiOg=="),
        ({"token": "schlüssel"}, "Bearer schlüssel"),
        ({"client-key": "/none"}, None),
    ],
)
def test_what_a_request_says(user, sent):
    assert header(user) == sent


@pytest.mark.parametrize(
    ("user", "message"),
    [
        ({"token": "se\ncret"}, "^the token holds a line break[^\n]*$"),
        ({"token": "t", "username": "u"}, 'user "joe" says both token and a user name or password'),
        ({"tokenFile": "t", "username": "p"}, 'user "joe" says both tokenFile and a user name'),
        ({"exec": PLUGIN, "auth-provider": {"name": "oidc"}}, 'user "joe" says both exec and auth-provider'),
        ({"client-certificate": "c"}, 'user "joe" has a client certificate but no client key'),
        (
            {"client-certificate": "c", "client-certificate-data": "Yw==", "client-key": "k"},
            'user "joe" says both client-certificate and client-certificate-data',
        ),
        (
            {"client-certificate": "c", "client-key-data": "Yw==", "client-key": "k"},
            'user "joe" says both client-key and client-key-data',
        ),
        ({"tokenFile": "/none/token"}, "cannot read the token file /none/token"),
        (
            {"client-certificate": "/none/c.pem", "client-key": "k"},
            "cannot read client-certificate /none/c.pem",
        ),
        ({"client-certificate-data": "Yw==", "client-key-data": "%"}, "client-key-data is not base64"),
        ({"exec": {"command": "x"}}, 'the exec section of user "joe" has apiVersion none'),
        (
            {"exec": {"command": "x", "apiVersion": V1}},
            'the exec section of user "joe" must say interactiveMode',
        ),
        ({"exec": {"apiVersion": V1BETA1}}, 'the exec section of user "joe" names no command'),
        ({"exec": PLUGIN | {"interactiveMode": "Maybe"}}, "interactiveMode Maybe"),
        ({"exec": PLUGIN | {"env": [{"value": "x"}]}}, "an env entry without a name"),
        ({"token": "t", "exec": PLUGIN | {"command": ""}}, "names no command"),
    ],
)
def test_what_cannot_be_used_is_said(user, message):
    with pytest.raises(UsageError, match=message):
        header(user)


def test_data_goes_before_the_file():
    assert read_pem({"client-key": "/none", "client-key-data": "a2V5\n"}, "client-key") == b"key"


class TestTokenFile:
    def test_a_rotated_token_is_read_again(self, tmp_path):
        file, now = tmp_path / "token", [0.0]
        file.write_text("one\n")
        token = TokenFile(file, now=lambda: now[0])

        first = token.read()
        file.write_text("two\n")
        soon, now[0] = token.read(), TOKEN_SECONDS

        assert (first, soon, token.read()) == ("one", "one", "two")

    def test_a_token_that_is_not_accepted_is_read_again_at_once(self, tmp_path):
        file = tmp_path / "token"
        file.write_text("one")
        token = TokenFile(file, now=lambda: 0.0)
        refused = token.authorize()

        unchanged = token.renew(refused)
        file.write_text("two")

        assert (unchanged, token.renew(refused), token.read()) == (False, True, "two")

    def test_the_last_token_stands_in_for_a_file_that_is_gone(self, tmp_path):
        file, now = tmp_path / "token", [0.0]
        file.write_text("one")
        token = TokenFile(file, now=lambda: now[0])
        token.read()
        file.unlink()
        now[0] = TOKEN_SECONDS

        assert token.read() == "one"

    def test_the_token_of_the_entry_stands_in_from_the_start(self, tmp_path):
        assert TokenFile(tmp_path / "none", "given").read() == "given"


@pytest.fixture
def helper(tmp_path):
    """Write a plugin that notes what it was told and prints the next of the given answers."""

    def make(*answers, code=0, stderr=""):
        told, texts = tmp_path / "told", tmp_path / "answers"
        texts.write_text(json.dumps([a if isinstance(a, str) else json.dumps(a) for a in answers]))
        script = tmp_path / "helper"
        script.write_text(
            f"#!{sys.executable}\nimport json, os, sys\n"
            f"told = open({str(told)!r}, 'a')\n"
            "told.write(json.dumps([os.environ['KUBERNETES_EXEC_INFO'], os.environ.get('MORE'), sys.argv[1:]]) + '\\n')\n"
            f"answers = json.load(open({str(texts)!r}))\n"
            f"print({stderr!r}, file=sys.stderr)\nprint(answers.pop(0))\n"
            f"json.dump(answers, open({str(texts)!r}, 'w'))\nsys.exit({code})\n"
        )
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        make.told = lambda: [json.loads(line) for line in told.read_text().splitlines()]
        return {"apiVersion": V1, "interactiveMode": "Never", "command": str(script)}

    return make


def credential(version=V1, **status):
    return {"apiVersion": version, "kind": "ExecCredential", "status": status}


class TestPlugin:
    def test_its_token_is_used_and_it_is_told_about_the_cluster(self, helper):
        section = helper(credential(token="fresh")) | {
            "provideClusterInfo": True,
            "args": ["get", "token"],
            "env": [{"name": "MORE", "value": "yes"}],
        }
        cluster = {
            "server": "https://k",
            "certificate-authority-data": base64.b64encode(b"CA").decode(),
            "extensions": [{"name": "client.authentication.k8s.io/exec", "extension": {"audience": "a"}}],
            "colour": "red",
        }

        assert header({"exec": section}, **cluster) == "Bearer fresh"
        ((info, more, args),) = helper.told()
        assert (more, args) == ("yes", ["get", "token"])
        assert json.loads(info) == {
            "kind": "ExecCredential",
            "apiVersion": V1,
            "spec": {
                "interactive": False,
                "cluster": {
                    "server": "https://k",
                    "certificate-authority-data": base64.b64encode(b"CA").decode(),
                    "config": {"audience": "a"},
                },
            },
        }

    def test_no_environment_of_its_own(self, helper):  # fault B174
        section = helper(credential(V1BETA1, token="t")) | {"apiVersion": V1BETA1}
        del section["interactiveMode"]

        assert header({"exec": section}) == "Bearer t"
        assert json.loads(helper.told()[0][0])["spec"] == {"interactive": False}

    def test_it_runs_once_per_validity(self, helper):  # fault B180
        section = helper(
            credential(token="old", expirationTimestamp="2026-01-01T00:00:00Z"),
            credential(token="new", expirationTimestamp="2026-01-01T02:00:00Z"),
            credential(token="newest"),
        )
        now = [1767229200.0]  # 2026-01-01T01:00:00Z
        authorize = ExecPlugin(section, "joe", {}, os.environ, now=lambda: now[0]).authorize

        used = [authorize()["Authorization"], authorize()["Authorization"]]
        now[0] += 3600
        used += [authorize()["Authorization"], authorize()["Authorization"]]

        assert used == ["Bearer new", "Bearer new", "Bearer newest", "Bearer newest"]
        assert len(helper.told()) == 3

    def test_many_threads_share_one_run(self, helper):
        plugin = ExecPlugin(helper(credential(token="t")), "joe", {}, os.environ)
        together = threading.Barrier(4)

        def ask(_):
            together.wait(5)
            return plugin.authorize()["Authorization"]

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(ask, range(4))) == ["Bearer t"] * 4
        assert len(helper.told()) == 1

    def test_another_thread_may_have_renewed_it_already(self, helper):
        section = helper(credential(token="one"), credential(token="two"))
        plugin = ExecPlugin(section, "joe", {}, os.environ)
        refused = plugin.authorize()

        assert [plugin.renew(refused), plugin.renew(refused)] == [True, True]
        assert len(helper.told()) == 2

    def test_it_is_looked_for_where_we_look_for_programs(self, helper, tmp_path):
        section = helper(credential(token="t")) | {"command": "helper"}
        section["env"] = [{"name": "PATH", "value": "/none"}]
        found = ExecPlugin(section, "joe", {}, {**os.environ, "PATH": str(tmp_path)})

        assert found.authorize() == {"Authorization": "Bearer t"}

    def test_it_may_print_yaml(self, helper):
        section = helper(f"apiVersion: {V1}\nkind: ExecCredential\nstatus: {{token: t}}")

        assert header({"exec": section}) == "Bearer t"

    def test_it_may_give_a_certificate(self, helper):
        section = helper(credential(clientCertificateData="CERT", clientKeyData="KEY"))

        credentials = read_credentials({"exec": section}, "joe", {}, environ=dict(os.environ))

        assert credentials.identify() == (b"CERT", b"KEY")
        assert credentials.authorize() == {}

    def test_when_it_fails_its_words_and_the_install_hint_are_shown(self, helper, capfd):  # fault B180
        section = helper("", code=3, stderr="session has ended") | {"installHint": "get it from example.com"}

        with pytest.raises(UnreachableError) as caught:
            header({"exec": section})

        assert capfd.readouterr().err == "session has ended\n"
        assert caught.value.lines() == [
            'error: the credentials plugin of user "joe" failed',
            f"  cause: {section['command']}: exit status 3, its messages are above",
            "  hint: get it from example.com",
        ]

    def test_when_it_is_not_installed(self):
        section = {
            "apiVersion": V1,
            "interactiveMode": "Never",
            "command": "no-such-helper",
            "installHint": "install it",
        }

        with pytest.raises(UnreachableError) as caught:
            header({"exec": section})

        assert caught.value.cause == "no-such-helper: not found, or not to be executed"
        assert caught.value.hint == "install it"

    @pytest.mark.parametrize(
        ("printed", "message"),
        [
            ("half a secr", "printed no ExecCredential"),
            ("{'half: a secr", "printed no ExecCredential"),
            ("[]", "printed no ExecCredential"),
            ({"kind": "Status"}, "printed no ExecCredential"),
            (credential(V1BETA1, token="t"), "answered in another version"),
            (credential(), "gave neither a token nor a client certificate"),
            (credential(clientCertificateData="C"), "gave neither a token nor a client certificate"),
            (credential(token="t", clientKeyData="K"), "gave neither a token nor a client certificate"),
            (credential(token=["secr"]), "an ExecCredential of another shape"),
            (credential(token="t", expirationTimestamp="soon"), "an expirationTimestamp that is no time"),
            ({"kind": "ExecCredential", "apiVersion": V1}, "gave neither a token"),
        ],
    )
    def test_what_it_prints_must_be_a_credential(self, helper, printed, message):
        section = helper(printed)

        with pytest.raises(UnreachableError, match=message) as caught:
            header({"exec": section})

        assert "secr" not in "".join(caught.value.lines())

    def test_it_cannot_ask_where_there_is_no_terminal(self, helper, monkeypatch):
        monkeypatch.setattr(sys, "stdin", Path(os.devnull).open())  # noqa: SIM115
        section = helper(credential(token="t")) | {"interactiveMode": "Always"}

        with sys.stdin, pytest.raises(KruiseError, match="needs a terminal"):
            header({"exec": section})

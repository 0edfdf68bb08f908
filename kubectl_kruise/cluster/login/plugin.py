"""Credentials plugins: a program that prints an ExecCredential (client.authentication.k8s.io)."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from kubectl_kruise.cluster.login.credentials import Credentials, bearer, read_pem
from kubectl_kruise.errors import UnreachableError, UsageError
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.raw import Raw, dig

VERSIONS: Final = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
MODES: Final = ("Never", "IfAvailable", "Always")
EXTENSION: Final = "client.authentication.k8s.io/exec"
CLUSTER_FIELDS: Final = (
    "server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority-data", "proxy-url",
    "disable-compression",
)  # fmt: skip


class Login(NamedTuple):
    """What a plugin gave; `expires` in seconds since the epoch, None for never."""

    token: str
    certificate: bytes
    key: bytes
    expires: float | None


class ExecPlugin:
    """One `exec` section; run once, and again when what it gave has expired."""

    def __init__(
        self,
        section: Raw,
        user: str,
        cluster: Raw,
        environ: Mapping[str, str],
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._section, self._user, self._cluster, self._environ = section, user, cluster, environ
        self._now = now
        self._login: Login | None = None
        self._lock = threading.Lock()
        self._interactive = _interactive(section, user)

    def credentials(self, certificate: bytes = b"", key: bytes = b"") -> Credentials:
        """Run the plugin; its certificate, if it gave one, takes the place of the given one."""
        login = self._current()
        return Credentials(self._authorize, login.certificate or certificate, login.key or key)

    def _authorize(self) -> Mapping[str, str]:
        token = self._current().token
        return bearer(token) if token else {}

    def _current(self) -> Login:
        with self._lock:
            expired = self._login and self._login.expires is not None and self._login.expires <= self._now()
            if self._login is None or expired:
                self._login = self._parse(self._run())
            return self._login

    def _run(self) -> str:
        command, hint = str(self._section.get("command") or ""), str(self._section.get("installHint") or "")
        if not command:
            raise UsageError(f'the exec section of user "{self._user}" names no command')
        more = {
            str(entry.get("name")): str(entry.get("value") or "") for entry in self._section.get("env") or []
        }
        environ = {**self._environ, **more, "KUBERNETES_EXEC_INFO": json.dumps(self._exec_info())}
        try:
            # Its stderr is the user's: it may ask to open a page or to touch a key, and it says why it fails.
            done = subprocess.run(
                [command, *map(str, self._section.get("args") or [])],
                env=environ,
                stdin=None if self._interactive else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                check=False,
            )
        except OSError as error:
            cause = f"{command}: {error.strerror or error}"
            raise _failed(self._user, "cannot be run", cause=cause, hint=hint) from error
        if done.returncode:
            cause = f"{command}: exit status {done.returncode}, its messages are above"
            raise _failed(self._user, "failed", cause=cause, hint=hint)
        return done.stdout.decode("utf-8", "replace")

    def _exec_info(self) -> Raw:
        spec: Raw = {"interactive": self._interactive}
        if self._section.get("provideClusterInfo"):
            spec["cluster"] = _cluster_info(self._cluster)
        return {"kind": "ExecCredential", "apiVersion": self._section["apiVersion"], "spec": spec}

    def _parse(self, output: str) -> Login:
        try:
            answer = json.loads(output)
        except ValueError as error:
            # The text itself stays unsaid: it may be half a credential.
            raise _failed(self._user, "printed no JSON", cause=str(error)) from error
        if not isinstance(answer, dict) or answer.get("kind") != "ExecCredential":
            raise _failed(self._user, "printed no ExecCredential")
        if answer.get("apiVersion") != self._section["apiVersion"]:
            cause = f"{answer.get('apiVersion')} instead of {self._section['apiVersion']}"
            raise _failed(self._user, "answered in another version", cause=cause)
        token = str(dig(answer, ("status", "token"), ""))
        certificate = str(dig(answer, ("status", "clientCertificateData"), ""))
        key = str(dig(answer, ("status", "clientKeyData"), ""))
        if not token and not (certificate and key):
            raise _failed(self._user, "gave neither a token nor a client certificate with its key")
        expires = parse_rfc3339(dig(answer, ("status", "expirationTimestamp")))
        return Login(token, certificate.encode(), key.encode(), expires)


def _interactive(section: Raw, user: str) -> bool:
    """Say whether the plugin may use stdin; UsageError for a section in a form that is not known."""
    version, mode = section.get("apiVersion"), section.get("interactiveMode")
    if version not in VERSIONS:
        raise UsageError(
            f'the exec section of user "{user}" has apiVersion {version}',
            hint=f"supported: {', '.join(VERSIONS)}",
        )
    if mode is None and version == VERSIONS[0]:
        raise UsageError(
            f'the exec section of user "{user}" must say interactiveMode', hint=" | ".join(MODES)
        )
    if mode not in (None, *MODES):
        raise UsageError(f'interactiveMode {mode} of user "{user}" is not known', hint=" | ".join(MODES))
    terminal = sys.stdin is not None and sys.stdin.isatty()
    if mode == "Always" and not terminal:
        raise _failed(user, "needs a terminal", cause="interactiveMode is Always and stdin is no terminal")
    return terminal and mode != "Never"


def _cluster_info(cluster: Raw) -> Raw:
    from base64 import b64encode

    told = {field: cluster[field] for field in CLUSTER_FIELDS if cluster.get(field)}
    if authority := read_pem(cluster, "certificate-authority"):
        told["certificate-authority-data"] = b64encode(authority).decode()
    for extension in cluster.get("extensions") or []:
        if extension.get("name") == EXTENSION:
            told["config"] = extension.get("extension")
    return told


def _failed(name: str, what: str, *, cause: str = "", hint: str = "") -> UnreachableError:
    """Give the error for a plugin that did not deliver."""
    return UnreachableError(f'the credentials plugin of user "{name}" {what}', cause=cause, hint=hint)

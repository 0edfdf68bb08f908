"""Credentials plugins: a program that prints an ExecCredential (client.authentication.k8s.io).

What it gave is kept in this process only, as kubectl does: on a disk it would be a secret that outlives the session, and
plugins that are slow keep a cache of their own.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from kubectl_kruise.cluster.http.tls import Identity
from kubectl_kruise.cluster.login.credentials import bearer, read_pem
from kubectl_kruise.errors import UnreachableError, UsageError
from kubectl_kruise.objects.raw import Raw, dig

GROUP: Final = "client.authentication.k8s.io"
VERSIONS: Final = (f"{GROUP}/v1", f"{GROUP}/v1beta1")
MODES: Final = ("Never", "IfAvailable", "Always")
EXTENSION: Final = f"{GROUP}/exec"
CLUSTER_FIELDS: Final = (
    "server", "tls-server-name", "insecure-skip-tls-verify", "proxy-url", "disable-compression",
)  # fmt: skip


class Login(NamedTuple):
    """What a plugin gave; `expires` in seconds since the epoch, None for never."""

    token: str
    identity: Identity
    expires: float | None


class ExecPlugin:
    """One `exec` section; run when first asked, when what it gave has expired, and when a server did not accept it.

    The methods raise UnreachableError where the plugin does not deliver.
    """

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
        # Held while the plugin runs: it may talk to a person, whom several of it at once would confuse.
        self._lock = threading.Lock()

    def authorize(self) -> Mapping[str, str]:
        """Give the header for its token, none where it gave a certificate alone."""
        return _header(self._current())

    def identify(self) -> Identity:
        """Give its certificate and key."""
        return self._current().identity

    def renew(self, refused: Mapping[str, str]) -> bool:
        """Run it again, unless another thread has meanwhile; say whether it gave anything else."""
        with self._lock:
            old = self._login
            if old is None or _header(old) != refused:
                return True
            self._login = self._ask()
            return self._login[:2] != old[:2]

    def _current(self) -> Login:
        with self._lock:
            if self._login is None or self._expired(self._login):
                self._login = self._ask()
                # One that was kept for too long somewhere gets a second chance; then its word is taken.
                if self._expired(self._login):
                    self._login = self._ask()
            return self._login

    def _expired(self, login: Login) -> bool:
        return login.expires is not None and login.expires <= self._now()

    def _ask(self) -> Login:
        return self._parse(self._run(_interactive(self._section, self._user)))

    def _run(self, interactive: bool) -> str:
        command = self._section["command"]
        more = {entry["name"]: entry.get("value", "") for entry in self._section.get("env", ())}
        environ = {**self._environ, **more, "KUBERNETES_EXEC_INFO": json.dumps(self._exec_info(interactive))}
        try:
            # Its stderr is the user's: it may ask to open a page or to touch a key, and it says why it fails. How long
            # that takes is between the two.
            done = subprocess.run(
                [_found(command, self._environ), *self._section.get("args", ())],
                env=environ,
                stdin=None if interactive else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                check=False,
            )
        except (OSError, ValueError) as error:
            cause = f"{command}: {getattr(error, 'strerror', None) or error}"
            raise self._failed("cannot be run", cause=cause, hint=self._hint()) from error
        if done.returncode:
            cause = f"{command}: exit status {done.returncode}, its messages are above"
            raise self._failed("failed", cause=cause, hint=self._hint())
        return done.stdout.decode("utf-8", "replace")

    def _exec_info(self, interactive: bool) -> Raw:
        spec: Raw = {"interactive": interactive}
        if self._section.get("provideClusterInfo"):
            spec["cluster"] = _cluster_info(self._cluster)
        return {"kind": "ExecCredential", "apiVersion": self._section["apiVersion"], "spec": spec}

    def _parse(self, output: str) -> Login:
        answer = _read_answer(output)
        if not isinstance(answer, dict) or answer.get("kind") != "ExecCredential":
            # The text itself stays unsaid: it may be half a credential.
            raise self._failed("printed no ExecCredential")
        if answer.get("apiVersion") != self._section["apiVersion"]:
            cause = f"{answer.get('apiVersion')} instead of {self._section['apiVersion']}"
            raise self._failed("answered in another version", cause=cause)
        token, certificate, key, until = (
            dig(answer, ("status", field)) or ""
            for field in ("token", "clientCertificateData", "clientKeyData", "expirationTimestamp")
        )
        if not all(isinstance(text, str) for text in (token, certificate, key, until)):
            raise self._failed("printed an ExecCredential of another shape")
        if not (token or certificate or key) or bool(certificate) != bool(key):
            raise self._failed("gave neither a token nor a client certificate with its key")
        return Login(token, (certificate.encode(), key.encode()), self._expiry(until))

    def _expiry(self, text: str) -> float | None:
        try:
            return datetime.fromisoformat(text).timestamp() if text else None
        except ValueError:
            raise self._failed("gave an expirationTimestamp that is no time", cause=text) from None

    def _hint(self) -> str:
        """Give the install hint in one line, without what would move the cursor."""
        words = " ".join(self._section.get("installHint", "").split())
        return "".join(character for character in words if character.isprintable())

    def _failed(self, what: str, *, cause: str = "", hint: str = "") -> UnreachableError:
        return _failed(self._user, what, cause=cause, hint=hint)


def check_section(section: Raw, user: str) -> None:
    """Refuse with UsageError an `exec` section that is incomplete or in a version that is not known."""
    said = f'the exec section of user "{user}"'
    version, mode = section.get("apiVersion", ""), section.get("interactiveMode", "")
    if version not in VERSIONS:
        hint = f"supported: {', '.join(VERSIONS)}"
        raise UsageError(f"{said} has apiVersion {version or 'none'}", hint=hint)
    if not section.get("command"):
        raise UsageError(f"{said} names no command")
    if not all(entry.get("name") for entry in section.get("env", ())):
        raise UsageError(f"{said} has an env entry without a name")
    if not mode and version == VERSIONS[0]:
        raise UsageError(f"{said} must say interactiveMode", hint=" | ".join(MODES))
    if mode and mode not in MODES:
        raise UsageError(f"{said} has interactiveMode {mode}", hint=" | ".join(MODES))


def _interactive(section: Raw, user: str) -> bool:
    """Say whether the plugin may use stdin."""
    mode = section.get("interactiveMode") or "IfAvailable"
    terminal = sys.stdin is not None and sys.stdin.isatty()
    if mode == "Always" and not terminal:
        raise _failed(user, "needs a terminal", cause="interactiveMode is Always and stdin is no terminal")
    return terminal and mode != "Never"


def _found(command: str, environ: Mapping[str, str]) -> str:
    """Give the program that our own PATH names, whatever PATH the plugin is then given."""
    from shutil import which

    found = which(command, path=environ.get("PATH"))
    if found is None:
        raise FileNotFoundError(None, "not found, or not to be executed")
    return found


def _read_answer(output: str) -> Any:
    try:
        return json.loads(output)
    except ValueError:
        pass
    import yaml

    from kubectl_kruise.cluster.goyaml import read_first

    try:
        return read_first(output)
    except yaml.YAMLError:
        return None


def _header(login: Login) -> Mapping[str, str]:
    return bearer(login.token) if login.token else {}


def _cluster_info(cluster: Raw) -> Raw:
    from base64 import b64encode

    told = {field: cluster[field] for field in CLUSTER_FIELDS if cluster.get(field)}
    if authority := read_pem(cluster, "certificate-authority"):
        told["certificate-authority-data"] = b64encode(authority).decode()
    configs = [
        extension.get("extension")
        for extension in cluster.get("extensions", ())
        if extension.get("name") == EXTENSION
    ]
    return {**told, "config": configs[-1] if configs else None}


def _failed(name: str, what: str, *, cause: str = "", hint: str = "") -> UnreachableError:
    """Give the error for a plugin that did not deliver."""
    return UnreachableError(f'the credentials plugin of user "{name}" {what}', cause=cause, hint=hint)

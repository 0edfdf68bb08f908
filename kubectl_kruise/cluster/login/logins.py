"""Logging in as a kubeconfig user entry says: by token, token file, password, certificate, plugin or provider."""

import base64
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from kubectl_kruise.cluster.http.tls import Identity
from kubectl_kruise.cluster.login.credentials import Credentials, bearer, nobody, read_pem
from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.raw import Raw

TOKEN_SECONDS: Final = 60.0
"""A token or certificate file is read again after this long: kubelets rotate them well before they expire."""


def check_user(user: Raw, name: str) -> None:
    """Refuse with UsageError an entry that says two things at once, or half of one, as kubectl does."""
    both = "says both {} and {}, of which only one may be given"
    clashes = [
        (field, f"{field}-data")
        for field in ("client-certificate", "client-key")
        if _has_certificate(user) and user.get(field) and user.get(f"{field}-data")
    ]
    if user.get("token") and (user.get("username") or user.get("password")):
        clashes.append(("token", "a user name or password"))
    if user.get("tokenFile") and user.get("username"):
        clashes.append(("tokenFile", "a user name"))
    if "exec" in user and "auth-provider" in user:
        clashes.append(("exec", "auth-provider"))
    if clashes:
        raise UsageError(f'user "{name}" {both.format(*clashes[0])}')
    if _has_certificate(user) and not (user.get("client-key") or user.get("client-key-data")):
        raise UsageError(f'user "{name}" has a client certificate but no client key')
    if "exec" in user:
        from kubectl_kruise.cluster.login.plugin import check_section

        check_section(user["exec"], name)


def read_credentials(user: Raw, name: str, cluster: Raw, *, environ: Mapping[str, str]) -> Credentials:
    """Give the credentials of a user entry: its certificate, and how its requests say who asks.

    That is a token file, token, basic auth, exec plugin or auth-provider, the first there is; a plugin is not asked
    where there is a certificate. Plugins and providers are asked when the first request wants to know. `cluster` is what
    an exec plugin may be told. Raises UsageError for an entry that is malformed (cli.md §3.1).
    """
    check_user(user, name)
    identify = ClientCertificate(user).identify if _has_certificate(user) else nobody
    if path := user.get("tokenFile"):
        token = TokenFile(Path(path), user.get("token", ""))
        token.read()
        return Credentials(token.authorize, identify, token.renew)
    if text := user.get("token"):
        return Credentials(partial(bearer, text), identify)
    if user.get("username"):
        return Credentials(basic(user["username"], user.get("password", "")), identify)
    if "exec" in user and not _has_certificate(user):
        from kubectl_kruise.cluster.login.plugin import ExecPlugin

        plugin = ExecPlugin(user["exec"], name, cluster, environ)
        return Credentials(plugin.authorize, plugin.identify, plugin.renew)
    if "auth-provider" in user:
        from kubectl_kruise.cluster.official import ProviderLogin

        provider = ProviderLogin(user["auth-provider"], name)
        return Credentials(provider.authorize, identify, provider.renew)
    return Credentials(identify=identify)


class ClientCertificate:
    """The certificate and key of a user entry; files of them are read again from time to time."""

    def __init__(self, user: Raw, *, now: Callable[[], float] = time.monotonic) -> None:
        self._user, self._now = user, now
        self._rotates = not (user.get("client-certificate-data") and user.get("client-key-data"))
        self._identity, self._read_at = self._read(), now()

    def identify(self) -> Identity:
        if self._rotates and self._now() - self._read_at >= TOKEN_SECONDS:
            self._identity, self._read_at = self._read(), self._now()
        return self._identity

    def _read(self) -> Identity:
        return read_pem(self._user, "client-certificate"), read_pem(self._user, "client-key")


class TokenFile:
    """A token that is rotated under our feet; `fallback` stands in while the file cannot be read."""

    def __init__(self, path: Path, fallback: str = "", *, now: Callable[[], float] = time.monotonic) -> None:
        self._path, self._token, self._now = path, fallback, now
        self._read_at: float | None = None

    def read(self, *, anew: bool = False) -> str:
        """Give the token, read again `anew` or when it is old; UsageError where there never was one."""
        now = self._now()
        if anew or self._read_at is None or now - self._read_at >= TOKEN_SECONDS:
            try:
                self._token = self._path.read_text(encoding="utf-8").strip() or self._token
                cause = "it is empty"
            except (OSError, UnicodeDecodeError) as error:
                cause = getattr(error, "strerror", None) or str(error)
            if not self._token:
                raise UsageError(f"cannot read the token file {self._path}", cause=cause)
            self._read_at = now
        return self._token

    def authorize(self) -> Mapping[str, str]:
        return bearer(self.read())

    def renew(self, refused: Mapping[str, str]) -> bool:
        return bearer(self.read(anew=True)) != refused


def basic(username: str, password: str) -> Callable[[], Mapping[str, str]]:
    """Give the header of basic authentication."""
    header = {"Authorization": f"Basic {base64.b64encode(f'{username}:{password}'.encode()).decode()}"}
    return lambda: header


def _has_certificate(user: Raw) -> bool:
    return bool(user.get("client-certificate") or user.get("client-certificate-data"))

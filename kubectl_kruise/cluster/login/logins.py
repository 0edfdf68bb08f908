"""Logging in as a kubeconfig user entry says: by token, token file, password, certificate, plugin or provider."""

import base64
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from kubectl_kruise.cluster.http.transport import Authorize
from kubectl_kruise.cluster.login.credentials import Credentials, bearer, read_pem
from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.raw import Raw

TOKEN_SECONDS: Final = 60.0
"""A token file is read again after this long: kubelets rotate projected tokens well before they expire."""


def read_credentials(user: Raw, name: str, cluster: Raw, *, environ: Mapping[str, str]) -> Credentials:
    """Give the credentials of a user entry: its certificate, and how its requests say who asks.

    That is a token file, token, basic auth, exec plugin or auth-provider, the first there is. `cluster` is what an exec
    plugin may be told. Raises UsageError for an entry that is malformed or not supported, UnreachableError for a plugin
    or provider that fails (cli.md §3.1).
    """
    _refuse_unsupported(user, name)
    certificate, key = read_pem(user, "client-certificate"), read_pem(user, "client-key")
    if path := user.get("tokenFile"):
        return Credentials(_from_file(Path(path), user.get("token", "")), certificate, key)
    if token := user.get("token"):
        return Credentials(partial(bearer, token), certificate, key)
    if user.get("username") or user.get("password"):
        return Credentials(_basic(user.get("username", ""), user.get("password", "")), certificate, key)
    if plugin := user.get("exec"):
        from kubectl_kruise.cluster.login.plugin import ExecPlugin

        return ExecPlugin(plugin, name, cluster, environ).credentials(certificate, key)
    if user.get("auth-provider"):
        from kubectl_kruise.cluster.official import provider_login

        return Credentials(provider_login(user, name), certificate, key)
    return Credentials(dict, certificate, key)


class TokenFile:
    """A token that is rotated under our feet; `fallback` stands in while the file cannot be read."""

    def __init__(self, path: Path, fallback: str = "", *, now: Callable[[], float] = time.monotonic) -> None:
        self._path, self._token, self._now = path, fallback, now
        self._read_at: float | None = None

    def __call__(self) -> str:
        now = self._now()
        if self._read_at is None or now - self._read_at >= TOKEN_SECONDS:
            try:
                self._token = self._path.read_text(encoding="utf-8").strip() or self._token
            except (OSError, UnicodeDecodeError) as error:
                if not self._token:
                    raise UsageError(f"cannot read the token file {self._path}", cause=str(error)) from error
            self._read_at = now
        return self._token


def _from_file(path: Path, fallback: str) -> Authorize:
    token = TokenFile(path, fallback)
    return lambda: bearer(token())


def _refuse_unsupported(user: Raw, name: str) -> None:
    if any(user.get(field) for field in ("as", "as-groups", "as-uid", "as-user-extra")):
        raise UsageError(f'user "{name}" acts as another user, which is not supported yet')


def _basic(username: str, password: str) -> Authorize:
    if ":" in username:
        raise UsageError("a user name for basic authentication cannot hold a colon")
    pair = base64.b64encode(f"{username}:{password}".encode()).decode()
    return lambda: {"Authorization": f"Basic {pair}"}

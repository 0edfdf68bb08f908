"""Logins that only the official client still knows: `auth-provider` entries, which Kubernetes removed in 1.26.

The one module that imports `kubernetes`, an optional package that takes half a second to load.
"""

import threading
from collections.abc import Mapping
from typing import Any, Final

from kubectl_kruise.errors import UnreachableError
from kubectl_kruise.objects.raw import Raw

HINT: Final = "use the exec plugin of your provider: kubectl config set-credentials --exec-command"


class ProviderLogin:
    """Lets the official client log in by an entry's auth-provider (gcp, azure, oidc) when the first request is made.

    A refreshed token is used and not written back. The methods raise UnreachableError, which points to exec plugins,
    where the client is not installed, does not know the provider or cannot log in.
    """

    def __init__(self, provider: Raw, user: str) -> None:
        self._provider, self._user = provider, user
        self._header = ""
        self._lock = threading.Lock()

    def authorize(self) -> Mapping[str, str]:
        with self._lock:
            self._header = self._header or self._log_in()
            return {"Authorization": self._header}

    def renew(self, refused: Mapping[str, str]) -> bool:
        with self._lock:
            if refused.get("Authorization") == self._header:
                self._header = self._log_in()
            return refused.get("Authorization") != self._header

    def _log_in(self) -> str:
        try:
            header = _ask_official_client(self._provider)
        except ImportError as error:
            raise self._failed(f"a package is missing: {error}") from error
        except Exception as error:  # noqa: BLE001 - it raises what its libraries do, and may quote secrets
            raise self._failed(f"{type(error).__name__}: {self._masked(str(error))}") from None
        if not header:
            raise self._failed("the provider gave no token")
        return header

    def _masked(self, text: str) -> str:
        """Take out of `text` what the entry holds: tokens and secrets of the provider among it."""
        for value in self._provider.get("config", {}).values():
            text = text.replace(value, "…") if value else text
        return text

    def _failed(self, cause: str) -> UnreachableError:
        name = self._provider.get("name", "without a name")
        return UnreachableError(
            f'user "{self._user}" cannot log in by auth-provider {name}', cause=cause, hint=HINT
        )


def _ask_official_client(provider: Raw) -> str:
    from kubernetes import client
    from kubernetes.config.kube_config import KubeConfigLoader

    document: dict[str, Any] = {
        "current-context": "x",
        "clusters": [{"name": "x", "cluster": {"server": "https://localhost"}}],
        "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}],
        "users": [{"name": "x", "user": {"auth-provider": provider}}],
    }
    settings = client.Configuration()
    KubeConfigLoader(config_dict=document).load_and_set(settings)
    return str(settings.api_key.get("authorization") or "")
